#include "hosts.h"

#include <string.h>

#include "port_name.h"

/* As dnsmasq wants names: without the last dot. TEXT is of NAME_MAX_TEXT + 1. */
static void format_bare(const struct name *name, char *text)
{
	name_format(name, text);
	text[strlen(text) - 1] = '\0';
}

/* The chosen name, or the generated one. */
static void name_of(const struct host *host, struct name *name)
{
	struct why why;

	if (host->fqdn)
		*name = *host->fqdn;
	else if (host_fqdn(host->address, host->domain, name, &why))
		*name = *host->domain;	/* it leaves room: codec_domain() */
}

/* The name, and what of it is in front of the domain. */
static void put_line(const struct host *host, const struct name *name, struct buf *file)
{
	char ip[ADDRESS_TEXT], text[NAME_MAX_TEXT + 1], domain[NAME_MAX_TEXT + 1];
	size_t own;

	address_format(host->address, ip);
	format_bare(name, text);
	format_bare(host->domain, domain);
	own = strlen(text) - strlen(domain) - 1;
	buf_printf(file, "%s\t%s %.*s\n", ip, text, (int)own, text);
}

void hosts_addn(const struct host *host, struct buf *file)
{
	struct name generated;
	struct why why;

	if (host->fqdn)
		put_line(host, host->fqdn, file);
	if (!host_fqdn(host->address, host->domain, &generated, &why) &&
	    (!host->fqdn || !name_equal(host->fqdn, &generated)))
		put_line(host, &generated, file);
}

void hosts_dhcp(const struct host *host, struct buf *file)
{
	char ip[ADDRESS_TEXT], text[NAME_MAX_TEXT + 1];
	bool is_v4 = host->address->bits == 32;
	struct name name;

	if (!host->mac)
		return;
	name_of(host, &name);
	format_bare(&name, text);
	address_format(host->address, ip);
	buf_printf(file, "%s,%s,%s%s%s\n", host->mac, text, is_v4 ? "" : "[", ip,
	           is_v4 ? "" : "]");
}
