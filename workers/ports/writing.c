#include "writing.h"

#include <string.h>

#include "publish.h"

struct port_network writing_network_of(const struct ports *ports,
                                       const struct network_row *network)
{
	return (struct port_network){ network->domain,
	                              (uint8_t)ports->settings.v4_bits,
	                              (uint8_t)ports->settings.v6_bits };
}

enum err writing_name(const struct network_row *network, struct port_row *port,
                      enum label_rules rules, struct arena *arena, struct why *why)
{
	char text[NAME_MAX_TEXT + 1];
	struct name fqdn;
	enum err err;

	port->dns_fqdn = NULL;
	if (!port->dns_name || !network->domain.len)
		return OK;
	err = port_fqdn(port->dns_name, &network->domain, rules, &fqdn, why);
	if (err)
		return err;
	name_format(&fqdn, text);
	port->dns_fqdn = arena_strdup(arena, text);
	return OK;
}

const char *writing_rival(struct writing *writing, struct tx *tx,
                          const struct port_row *port)
{
	const char *id = port->dns_fqdn ? store_port_named(tx, writing->arena,
	                                                   port->network_id,
	                                                   port->dns_fqdn) : NULL;

	return id && strcmp(id, port->id) ? id : NULL;
}

void writing_want(const struct ports *ports, const struct network_row *network,
                  const struct port_row *port, struct change *change)
{
	struct port_network as = writing_network_of(ports, network);
	struct port_names names = { .addresses = port->addresses, .count = port->count };
	struct port_record *records;
	struct why why;
	size_t count;

	if (port->dns_fqdn && name_parse(port->dns_fqdn, "dns_fqdn", &names.fqdn, &why))
		names.fqdn.len = 0;
	count = port_records(&as, &names, change->arena, &records);
	change_want(change, port->id, network->is_default ? "" : network->project_id,
	            records, count);
}

void writing_read(struct writing *writing, struct tx *tx, const char *id)
{
	writing->is_there = store_port_read(tx, writing->arena, id, &writing->was);
}

void writing_records(struct writing *writing, struct tx *tx, const struct port_row *port)
{
	change_begin(&writing->change, writing->arena);
	store_records(tx, writing->arena, NULL, port->id, change_was, &writing->change);
	if (!port->is_gone)
		writing_want(writing->ports, &writing->network, port, &writing->change);
	change_write(&writing->change, tx);
	change_end(&writing->change);
}

enum err writing_commit(struct writing *writing, struct tx *tx)
{
	enum err err = tx_commit(tx);

	if (!err)
		publisher_now(writing->ports->publisher, writing->change.zones,
		              writing->change.zone_count);
	return err;
}
