#include "hosts.h"

#include <string.h>

#include "port_name.h"

/*
 * Writes the name without the final dot, as dnsmasq expects it. TEXT has NAME_MAX_TEXT +
 * 1 octets.
 */
static void host_format_name(const struct name *name, char *text)
{
	name_format(name, text);
	text[strlen(text) - 1] = '\0';
}

/* The chosen name, or else the generated one. False: no name. */
static bool host_name(const struct host *host, struct name *name)
{
	struct why why;

	if (host->fqdn)
		*name = *host->fqdn;
	return host->fqdn || (host->domain->len &&
	                      !host_fqdn(host->address, host->domain, name, &why));
}

/*
 * The length of TEXT before the domain. If TEXT is outside of the domain, the length of
 * its first label.
 */
static size_t host_short_len(const char *text, const struct name *domain)
{
	char suffix[NAME_MAX_TEXT + 2] = ".";
	size_t len = strlen(text), suffix_len;

	if (domain->len) {
		host_format_name(domain, suffix + 1);
		suffix_len = strlen(suffix);
		if (len > suffix_len && !strcmp(text + len - suffix_len, suffix))
			return len - suffix_len;
	}
	return strcspn(text, ".");
}

static void host_put_line(const struct host *host, const struct name *name,
                          struct buf *file)
{
	char ip[ADDRESS_TEXT], text[NAME_MAX_TEXT + 1];

	address_format(host->address, ip);
	host_format_name(name, text);
	buf_printf(file, "%s\t%s %.*s\n", ip, text, (int)host_short_len(text,
	                                                                host->domain),
	           text);
}

void hosts_addn(const struct host *host, struct buf *file)
{
	struct name generated;
	struct why why;

	if (host->fqdn)
		host_put_line(host, host->fqdn, file);
	if (host->domain->len &&
	    !host_fqdn(host->address, host->domain, &generated, &why) &&
	    (!host->fqdn || !name_equal(host->fqdn, &generated)))
		host_put_line(host, &generated, file);
}

void hosts_dhcp(const struct host *host, struct buf *file)
{
	char ip[ADDRESS_TEXT], text[NAME_MAX_TEXT + 1] = "";
	bool is_v4 = host->address->bits == 32;
	struct name name;

	if (!host->mac)
		return;
	if (host_name(host, &name))
		host_format_name(&name, text);
	address_format(host->address, ip);
	buf_printf(file, "%s,%s%s%s%s%s\n", host->mac, text, *text ? "," : "",
	           is_v4 ? "" : "[", ip, is_v4 ? "" : "]");
}
