#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/broker_private.h"

enum { URL_MAX = 4096, HOST_MAX = 253, PORT_PLAIN = 5672, PORT_TLS = 5671 };

static const struct scheme {
	const char *prefix;
	bool tls;
	int port;
} schemes[] = {
	{ "rabbit://",  false, PORT_PLAIN },
	{ "rabbits://", true,  PORT_TLS   },
};

static const struct scheme *url_scheme(const char *text)
{
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
		if (strncmp(text, schemes[i].prefix, strlen(schemes[i].prefix)) == 0)
			return &schemes[i];
	return NULL;
}

/* The byte that "%41" means, or -1. */
static int url_escape_value(const char *text, size_t len)
{
	char digits[3] = { 0 };

	if (len < 3 || !isxdigit((unsigned char)text[1]) ||
	    !isxdigit((unsigned char)text[2]))
		return -1;
	memcpy(digits, text + 1, 2);
	return (int)strtol(digits, NULL, 16);
}

/* Decodes the escapes of text[0..len). NULL: an invalid escape, or a NUL. */
static char *url_percent_decode(const char *text, size_t len)
{
	char *into = xmalloc(len + 1), *end = into;

	for (size_t i = 0; i < len; i++) {
		int byte = (unsigned char)text[i];

		if (byte == '%') {
			byte = url_escape_value(text + i, len - i);
			i += 2;
		}
		if (byte <= 0) {
			free(into);
			return NULL;
		}
		*end++ = (char)byte;
	}
	*end = '\0';
	return into;
}

/* Decodes an AMQP short string. */
static enum err url_decode_name(const char *text, size_t len, const char *what,
                                char **into, struct why *why)
{
	char *name = url_percent_decode(text, len);

	if (!name)
		return fail(why, ERR_INVALID, "broker.url: the %s must have two "
		            "hexadecimal digits after each %%", what);
	if (strlen(name) > SHORT_MAX) {
		size_t size = strlen(name);

		free(name);
		return fail(why, ERR_INVALID, "broker.url: the %s must have at most %d "
		            "bytes, not %zu", what, SHORT_MAX, size);
	}
	*into = name;
	return OK;
}

static enum err url_parse_port(const char *text, size_t len, int *port, struct why *why)
{
	char digits[6] = { 0 };
	long value;

	if (len == 0 || len >= sizeof digits || strspn(text, "0123456789") < len)
		return fail(why, ERR_INVALID, "broker.url: a port must be a number from "
		            "1 to 65535");
	memcpy(digits, text, len);
	value = strtol(digits, NULL, 10);
	if (value < 1 || value > 65535)
		return fail(why, ERR_INVALID, "broker.url: a port must be a number from "
		            "1 to 65535, not %ld", value);
	*port = (int)value;
	return OK;
}

static bool url_host_name_valid(const char *text, size_t len, bool bracketed)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";

	if (len == 0 || len > HOST_MAX)
		return false;
	for (size_t i = 0; i < len; i++) {
		bool of_address = bracketed && (text[i] == ':' || text[i] == '%');

		if (!of_address && (!text[i] || !strchr(allowed, text[i])))
			return false;
	}
	return true;
}

/* Parses "host", "host:5672" or "[2001:db8::1]:5672". */
static enum err url_parse_address(const char *text, size_t len, struct broker_host *host,
                                  struct why *why)
{
	bool bracketed = len && text[0] == '[';
	const char *name = text + bracketed;
	const char *end = memchr(name, bracketed ? ']' : ':', len - bracketed);
	const char *rest;

	if (bracketed && !end)
		return fail(why, ERR_INVALID, "broker.url: an IPv6 address must begin "
		            "with [ and end with ]");
	if (!end)
		end = text + len;
	if (!url_host_name_valid(name, end - name, bracketed))
		return fail(why, ERR_INVALID, "broker.url: a host must be a host name "
		            "or an address");
	rest = end + bracketed;
	if (rest < text + len) {
		enum err err;

		if (*rest != ':')
			return fail(why, ERR_INVALID, "broker.url: after the host, "
			            "there must be ':' and a port, or nothing");
		err = url_parse_port(rest + 1, text + len - rest - 1, &host->port, why);
		if (err)
			return err;
	}
	host->name = xmalloc(end - name + 1);
	memcpy(host->name, name, end - name);
	host->name[end - name] = '\0';
	return OK;
}

/* Parses "user:password" or "user". */
static enum err url_parse_login(const char *text, size_t len, struct broker_host *host,
                                struct why *why)
{
	const char *colon = memchr(text, ':', len);
	size_t user_len = colon ? (size_t)(colon - text) : len;
	enum err err = url_decode_name(text, user_len, "user", &host->user, why);

	if (err)
		return err;
	if (!colon) {
		host->password = xstrdup("");
		return OK;
	}
	return url_decode_name(colon + 1, len - user_len - 1, "password", &host->password,
			       why);
}

/*
 * A host without a login gets the login of the previous host; the first one gets guest.
 */
static void url_inherit_login(const struct broker_url *url, struct broker_host *host)
{
	const struct broker_host *before =
	    url->count ? &url->hosts[url->count - 1] : NULL;

	host->user = xstrdup(before ? before->user : "guest");
	host->password = xstrdup(before ? before->password : "guest");
}

static void url_host_clear(struct broker_host *host)
{
	if (host->password)
		explicit_bzero(host->password, strlen(host->password));
	free(host->name);
	free(host->user);
	free(host->password);
	*host = (struct broker_host){ 0 };
}

static enum err url_parse_host(const char *text, size_t len, const struct scheme *scheme,
                               struct broker_url *url, struct why *why)
{
	const char *at = memrchr(text, '@', len);
	const char *address = at ? at + 1 : text;
	struct broker_host host = { .port = scheme->port };
	enum err err;

	if (url->count == URL_HOSTS_MAX)
		return fail(why, ERR_INVALID, "broker.url: must have at most %d hosts, "
		            "but lists more",
		            URL_HOSTS_MAX);
	err = url_parse_address(address, text + len - address, &host, why);
	if (!err && at)
		err = url_parse_login(text, at - text, &host, why);
	else if (!err)
		url_inherit_login(url, &host);
	if (err) {
		url_host_clear(&host);
		return err;
	}
	url->hosts[url->count++] = host;
	return OK;
}

static enum err url_parse_hosts(const char *text, size_t len, const struct scheme *scheme,
                                struct broker_url *url, struct why *why)
{
	const char *end = text + len;

	for (;;) {
		const char *comma = memchr(text, ',', end - text);
		enum err err =
		    url_parse_host(text, (comma ? comma : end) - text, scheme, url, why);

		if (err || !comma)
			return err;
		text = comma + 1;
	}
}

/* "" and "/" mean the default virtual host, which has the name "/". */
static enum err url_parse_vhost(const char *text, struct broker_url *url, struct why *why)
{
	if (text[0] == '/')
		text++;
	if (!text[0])
		text = "/";
	return url_decode_name(text, strlen(text), "virtual host", &url->vhost, why);
}

enum err broker_url_parse(const char *text, struct broker_url *url, struct why *why)
{
	const struct scheme *scheme = url_scheme(text);
	struct broker_url parsed = { 0 };
	const char *hosts;
	enum err err;

	if (!scheme)
		return fail(why, ERR_INVALID,
			    "broker.url: must begin with rabbit:// or rabbits://");
	if (strlen(text) > URL_MAX)
		return fail(why, ERR_INVALID,
		            "broker.url: must have at most %d bytes, not %zu", URL_MAX,
		            strlen(text));
	if (strchr(text, '?'))
		return fail(why, ERR_INVALID,
		            "broker.url: must not contain ?option: write %%3F for a ? in "
		            "a name or password");
	parsed.tls = scheme->tls;
	hosts = text + strlen(scheme->prefix);
	err = url_parse_hosts(hosts, strcspn(hosts, "/"), scheme, &parsed, why);
	if (!err)
		err = url_parse_vhost(hosts + strcspn(hosts, "/"), &parsed, why);
	if (err) {
		broker_url_clear(&parsed);
		return err;
	}
	*url = parsed;
	return OK;
}

void broker_url_clear(struct broker_url *url)
{
	for (size_t i = 0; i < url->count; i++)
		url_host_clear(&url->hosts[i]);
	free(url->vhost);
	*url = (struct broker_url){ 0 };
}

void broker_describe(const struct broker_config *config, char *words, size_t size)
{
	struct broker_url url;
	struct why why;
	struct buf text = { 0 };

	if (broker_url_parse(config->url, &url, &why)) {
		snprintf(words, size, "%s", why.text);
		return;
	}
	for (size_t i = 0; i < url.count; i++)
		buf_printf(&text, "%s%s:%d", i ? "," : "", url.hosts[i].name,
		           url.hosts[i].port);
	snprintf(words, size, "%s/%s", buf_string(&text), url.vhost);
	buf_clear(&text);
	broker_url_clear(&url);
}
