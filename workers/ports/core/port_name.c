#include "port_name.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

/* ---- a chosen name ---- */

static bool port_name_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool port_name_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool port_name_is_label_octet(char c)
{
	return port_name_is_letter(c) || port_name_is_digit(c) || c == '-';
}

/* Checks one label of LEN octets. */
static enum err port_name_check_label(const char *label, size_t len,
                                      enum label_rules rules, struct why *why)
{
	if (!len || len > NAME_MAX_LABEL)
		return fail(why, ERR_INVALID, "dns_name: a label must have 1 to %d "
		            "octets, not %zu", NAME_MAX_LABEL, len);
	for (size_t i = 0; i < len; i++)
		if (!port_name_is_label_octet(label[i]))
			return fail(why, ERR_INVALID, "dns_name: a label may contain "
			            "only letters, digits and hyphens, not '%.*s'",
			            (int)len, label);
	if (label[0] == '-' || label[len - 1] == '-')
		return fail(why, ERR_INVALID, "dns_name: the label '%.*s' must not begin "
		            "or end with a hyphen", (int)len, label);
	if (rules == LABELS_RFC1035 && !port_name_is_letter(label[0]))
		return fail(why, ERR_INVALID, "dns_name: the label '%.*s' must begin "
		            "with a letter (RFC 1035 2.3.1), unless ports.label_rules = "
		            "\"rfc1123\"", (int)len, label);
	return OK;
}

static enum err port_name_check_labels(const char *text, size_t len,
                                       enum label_rules rules, struct why *why)
{
	enum err err = OK;

	for (size_t at = 0; !err && at <= len; ) {
		const char *dot = memchr(text + at, '.', len - at);
		size_t end = dot ? (size_t)(dot - text) : len;

		err = port_name_check_label(text + at, end - at, rules, why);
		at = end + 1;
	}
	return err;
}

/* Neutron treats the last of several labels as a top-level domain (RFC 1123 2.1). */
static enum err port_name_check_last(const char *text, size_t len, struct why *why)
{
	size_t digits = 0;

	while (digits < len && port_name_is_digit(text[len - 1 - digits]))
		digits++;
	if (digits && digits < len && text[len - 1 - digits] == '.')
		return fail(why, ERR_INVALID, "dns_name: the last label '%.*s' must not "
		            "be a number", (int)digits, text + len - digits);
	return OK;
}

/* Writes the full name to FULL, which has PORT_NAME_MAX + 1 octets. */
static enum err port_name_complete(const char *dns_name, size_t len,
                                   const struct name *domain, char *full, struct why *why)
{
	char suffix[NAME_MAX_TEXT + 1];
	bool is_full = dns_name[len - 1] == '.';

	name_format(domain, suffix);
	if (len + (is_full ? 0 : 1 + strlen(suffix)) > PORT_NAME_MAX)
		return fail(why, ERR_INVALID, "dns_name: the name with the domain of the "
		            "network must have at most %d octets, not %zu", PORT_NAME_MAX,
		            len + (is_full ? 0 : 1 + strlen(suffix)));
	snprintf(full, PORT_NAME_MAX + 1, "%s%s%s", dns_name, is_full ? "" : ".",
	         is_full ? "" : suffix);
	return OK;
}

/* Checks only the labels before the domain. */
static enum err port_name_check_suffix(const char *full, const struct name *fqdn,
                                       const struct name *domain, enum label_rules rules,
                                       struct why *why)
{
	char suffix[NAME_MAX_TEXT + 1];

	name_format(domain, suffix);
	if (!name_is_below(fqdn, domain) || name_equal(fqdn, domain))
		return fail(why, ERR_INVALID,
		            "dns_name: a full name must end in \".%.255s\", the domain "
		            "of the network", suffix);
	return port_name_check_labels(full, strlen(full) - strlen(suffix) - 1, rules,
	                              why);
}

enum err port_fqdn(const char *dns_name, const struct name *domain,
                   enum label_rules rules, struct name *fqdn, struct why *why)
{
	char full[PORT_NAME_MAX + 1];
	size_t len = strlen(dns_name);
	bool is_full = len && dns_name[len - 1] == '.';
	size_t end = is_full ? len - 1 : len;
	struct name name;
	enum err err = port_name_check_labels(dns_name, end, LABELS_RFC1123, why);

	if (!err)
		err = port_name_check_last(dns_name, end, why);
	if (!err)
		err = port_name_complete(dns_name, len, domain, full, why);
	if (!err)
		err = name_parse(full, "dns_name", &name, why);
	if (!err)
		err = port_name_check_suffix(full, &name, domain, rules, why);
	if (!err)
		*fqdn = name;
	return err;
}

void port_name_lower(const char *dns_name, char *text)
{
	size_t i = 0;

	for (; dns_name[i] && i < PORT_NAME_MAX; i++)
		text[i] = (char)(dns_name[i] >= 'A' && dns_name[i] <= 'Z'
		                 ? dns_name[i] - 'A' + 'a' : dns_name[i]);
	text[i] = '\0';
}

/* ---- generated names ---- */

void host_label(const struct address *address, char label[HOST_LABEL_MAX + 1])
{
	char text[INET6_ADDRSTRLEN];
	size_t len;

	inet_ntop(address->bits == 32 ? AF_INET : AF_INET6, address->octets, text,
	          sizeof(text));
	snprintf(label, HOST_LABEL_MAX + 1, "host-%s", text);
	for (char *at = label; *at; at++)
		if (*at == '.' || *at == ':')
			*at = '-';
	len = strlen(label);
	if (label[len - 1] == '-')
		snprintf(label + len, HOST_LABEL_MAX + 1 - len, "0");
}

enum err host_fqdn(const struct address *address, const struct name *domain,
                   struct name *fqdn, struct why *why)
{
	char label[HOST_LABEL_MAX + 1];

	host_label(address, label);
	return name_parse_in(label, domain, "host name", fqdn, why);
}
