#include "core/route_name.h"

#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/id.h"

/* TEXT_MAX: namespace and name, with a separator */
enum { HASH_LEN = 6, TEXT_MAX = 320 };

/* ---- labels ---- */

static bool route_label_has_octet(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

static enum err route_label_check(const char *label, size_t len, const char *field,
                                  struct why *why)
{
	if (!len || len > ROUTE_LABEL_MAX)
		return fail(why, ERR_INVALID, "%s: a label must have 1 to %d octets, "
		            "not %zu", field, ROUTE_LABEL_MAX, len);
	for (size_t i = 0; i < len; i++)
		if (!route_label_has_octet(label[i]))
			return fail(why, ERR_INVALID, "%s: a label may contain only "
			            "lower-case letters, digits and hyphens, not '%s'",
			            field, err_quote(label, (char[64]){ 0 }, 64));
	if (label[0] == '-' || label[len - 1] == '-')
		return fail(why, ERR_INVALID, "%s: the label '%.*s' must not begin or "
		            "end with a hyphen", field, (int)len, label);
	return OK;
}

static enum err route_labels_check(const char *text, const char *field, struct why *why)
{
	enum err err = OK;

	for (bool more = true; !err && more; ) {
		size_t len = strcspn(text, ".");

		err = route_label_check(text, len, field, why);
		more = text[len] == '.';
		text += len + more;
	}
	return err;
}

enum err route_name_check_label(const char *text, const char *field, struct why *why)
{
	return route_label_check(text, strlen(text), field, why);
}

enum err route_name_check(const char *text, const char *field, struct why *why)
{
	if (strlen(text) > ROUTE_HOST_MAX)
		return fail(why, ERR_INVALID, "%s: must have at most %d octets, not %zu",
		            field, ROUTE_HOST_MAX, strlen(text));
	return route_labels_check(text, field, why);
}

/* ---- hosts ---- */

static char host_lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Refuses octets that are not ASCII: their encoding is unknown. */
static enum err host_fold(const char *text, const char *field,
                          char host[ROUTE_HOST_MAX + 1], struct why *why)
{
	size_t len = strlen(text);

	len -= len && text[len - 1] == '.';
	if (!len || len > ROUTE_HOST_MAX)
		return fail(why, ERR_INVALID, "%s: must have 1 to %d octets, not %zu",
		            field, ROUTE_HOST_MAX, len);
	for (size_t i = 0; i < len; i++) {
		if (text[i] & 0x80)
			return fail(why, ERR_INVALID, "%s: must be ASCII: write other "
			            "letters in the form \"xn--...\" (RFC 5890)", field);
		host[i] = host_lower(text[i]);
	}
	host[len] = '\0';
	return OK;
}

static enum err host_check_last_label(const char *host, const char *field,
                                      struct why *why)
{
	const char *last = strrchr(host, '.');

	if (!last)
		return fail(why, ERR_INVALID, "%s: must have at least two labels: "
		            "'%.253s' has one", field, host);
	if (strspn(last + 1, "0123456789") == strlen(last + 1))
		return fail(why, ERR_INVALID, "%s: the last label of '%.253s' must not "
		            "be a number", field, host);
	return OK;
}

enum err host_normalize(const char *text, const char *field, bool wildcard,
                        char host[ROUTE_HOST_MAX + 1], struct why *why)
{
	enum err err = host_fold(text, field, host, why);

	if (!err)
		err = route_labels_check(wildcard && host_is_wildcard(host) ? host + 2
		                         : host, field, why);
	return err ? err : host_check_last_label(host, field, why);
}

bool host_is_wildcard(const char *host)
{
	return !strncmp(host, "*.", 2);
}

bool host_is_wide(const char *host)
{
	return host_is_wildcard(host) && !strchr(host + 2, '.');
}

const char *host_parent(const char *host)
{
	const char *dot = strchr(host, '.');

	return dot ? dot + 1 : "";
}

bool host_is_in(const char *host, const char *domain)
{
	size_t len = strlen(host), end = strlen(domain);

	return len >= end && !strcmp(host + len - end, domain) &&
	       (len == end || host[len - end - 1] == '.');
}

/* ---- generated names ---- */

/* The hash of "namespace/name" or "namespace/name/salt". No name has a slash. */
static void route_name_hash(const char *namespace, const char *name, const char *salt,
                            char text[HASH_LEN + 1])
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
	char whole[TEXT_MAX + ID_LEN + 1];
	uint8_t digest[EVP_MAX_MD_SIZE];
	uint32_t bits;

	snprintf(whole, sizeof(whole), "%s/%s%s%s", namespace, name, *salt ? "/" : "",
	         salt);
	EVP_Digest(whole, strlen(whole), digest, NULL, EVP_sha256(), NULL);
	bits = (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 |
	       (uint32_t)digest[2] << 8 | digest[3];
	for (int i = 0; i < HASH_LEN; i++)
		text[i] = digits[bits >> (27 - 5 * i) & 31];
	text[HASH_LEN] = '\0';
}

/* Cuts the label: makes room for "-" and the hash, and leaves no hyphen at the end. */
static void route_label_cut(char *label)
{
	size_t len = strlen(label), max = ROUTE_LABEL_MAX - HASH_LEN - 1;

	if (len > max)
		len = max;
	while (len && label[len - 1] == '-')
		len--;
	label[len] = '\0';
}

enum err route_name_generate(const char *namespace, const char *name, const char *dns,
                             const char *salt, char host[ROUTE_HOST_MAX + 1],
                             struct why *why)
{
	char label[TEXT_MAX + 1], end[HASH_LEN + 1];

	snprintf(label, sizeof(label), "%s-%s", namespace, name);
	for (char *at = label; *at; at++)
		if (*at == '.')
			*at = '-';
	if (!salt && strlen(label) > ROUTE_LABEL_MAX)
		salt = "";
	if (salt) {
		route_label_cut(label);
		route_name_hash(namespace, name, salt, end);
	}
	if (snprintf(host, ROUTE_HOST_MAX + 1, "%s%s%s.%s", label, salt ? "-" : "",
	             salt ? end : "", dns) > ROUTE_HOST_MAX)
		return fail(why, ERR_INVALID, "the name of route %.63s/%.253s in the "
		            "domain %.100s would have more than %d octets: choose a "
		            "shorter name or set host", namespace,
		            name, dns, ROUTE_HOST_MAX);
	return OK;
}
