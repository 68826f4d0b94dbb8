#include "network_update.h"

#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "dnsmasq_lines.h"
#include "publish.h"

static void take_port(void *self, const struct port_row *port)
{
	struct renaming *renaming = self;

	if (renaming->count == renaming->size) {
		const struct port_row *old = renaming->all;

		renaming->size = 2 * renaming->size + 64;
		renaming->all = arena_alloc(renaming->arena, renaming->size *
		                                             sizeof(*old));
		if (old)
			memcpy(renaming->all, old, renaming->count * sizeof(*old));
	}
	renaming->all[renaming->count++] = *port;
}

/* The first one, by its id, has a name that several want. */
static void name_port(struct renaming *renaming, struct port_row *port)
{
	struct why why;
	enum label_rules rules = *renaming->ports->settings.feed
	                         ? LABELS_RFC1123 : ports_label_rules(renaming->ports);
	enum err err = writing_name(renaming->network, port, rules, renaming->arena,
	                            &why);

	if (!err && port->dns_fqdn && map_get(renaming->names, port->dns_fqdn,
	                                      strlen(port->dns_fqdn)))
		port->dns_fqdn = NULL;
	if (port->dns_fqdn)
		map_put(renaming->names, port->dns_fqdn, strlen(port->dns_fqdn), port);
	else if (port->dns_name && renaming->network->domain.len &&
	         json_array_size(renaming->unnamed) < UNNAMED_SHOWN)
		json_array_append_new(renaming->unnamed, json_string(port->id));
}

/* All that the network's ports are and have. */
static void read_all(struct renaming *renaming, struct tx *tx)
{
	const struct port_filter all = { .network_id = renaming->network->id,
	                                 .marker = "", .limit = INT32_MAX };

	store_ports(tx, renaming->arena, &all, take_port, renaming);
	renaming->is_told |= renaming->count > 0;
	change_begin(&renaming->change, renaming->arena);
	store_records(tx, renaming->arena, renaming->network->id, NULL, change_was,
	              &renaming->change);
}

static void write_records(struct renaming *renaming, struct tx *tx)
{
	for (size_t i = 0; i < renaming->count; i++)
		writing_want(renaming->ports, renaming->network, &renaming->all[i],
		             &renaming->change);
	change_write(&renaming->change, tx);
	change_end(&renaming->change);
}

void renaming_all(struct renaming *renaming, struct tx *tx)
{
	read_all(renaming, tx);
	renaming->names = map_new(random_u32());
	for (size_t i = 0; i < renaming->count; i++)
		name_port(renaming, &renaming->all[i]);
	map_free(&renaming->names);
	store_ports_rename(tx, renaming->network->id, renaming->all, renaming->count);
	write_records(renaming, tx);
}

void renaming_none(struct renaming *renaming, struct tx *tx)
{
	read_all(renaming, tx);
	write_records(renaming, tx);
}

void renaming_end(struct renaming *renaming, struct tx *tx)
{
	change_begin(&renaming->change, renaming->arena);
	store_records(tx, renaming->arena, renaming->network->id, NULL, change_was,
	              &renaming->change);
	store_ports_delete(tx, renaming->network->id);
	renaming->is_told = true;
	change_write(&renaming->change, tx);
	change_end(&renaming->change);
}

enum err renaming_commit(struct renaming *renaming, struct tx *tx)
{
	struct lines_news news = {
		.network_id = renaming->is_told ? renaming->network->id : NULL,
	};
	enum err err;

	lines_raise(&news, tx);
	err = tx_commit(tx);
	if (err)
		return err;
	publisher_now(renaming->ports->publisher, renaming->change.zones,
	              renaming->change.zone_count);
	lines_tell(&news, renaming->ports);
	return OK;
}
