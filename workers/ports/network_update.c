#include "network_update.h"

#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "dnsmasq_lines.h"
#include "publish.h"

static void network_update_add_port(void *self, const struct port_row *port)
{
	struct network_update *update = self;

	if (update->count == update->size) {
		const struct port_row *old = update->rows;

		update->size = 2 * update->size + 64;
		update->rows = arena_alloc(update->arena, update->size *
		                                             sizeof(*old));
		if (old)
			memcpy(update->rows, old, update->count * sizeof(*old));
	}
	update->rows[update->count++] = *port;
}

/* Of several ports with one name the port with the lowest id gets it. */
static void network_update_name_port(struct network_update *update, struct port_row *port)
{
	struct why why;
	enum label_rules rules = *update->ports->settings.feed
	                         ? LABELS_RFC1123 : ports_label_rules(update->ports);
	enum err err = port_update_set_fqdn(update->network, port, rules, update->arena,
	                                    &why);

	if (!err && port->dns_fqdn && map_get(update->names, port->dns_fqdn,
	                                      strlen(port->dns_fqdn)))
		port->dns_fqdn = NULL;
	if (port->dns_fqdn)
		map_put(update->names, port->dns_fqdn, strlen(port->dns_fqdn), port);
	else if (port->dns_name && update->network->domain.len &&
	         json_array_size(update->unnamed) < UNNAMED_SHOWN)
		json_array_append_new(update->unnamed, json_string(port->id));
}

/* The ports of the network and their records. */
static void network_update_read(struct network_update *update, struct tx *tx)
{
	const struct port_filter all = { .network_id = update->network->id,
	                                 .marker = "", .limit = INT32_MAX };

	store_ports(tx, update->arena, &all, network_update_add_port, update);
	update->has_new_lines |= update->count > 0;
	record_diff_init(&update->diff, update->arena);
	store_records(tx, update->arena, update->network->id, NULL, record_diff_add_old,
	              &update->diff);
}

static void network_update_write(struct network_update *update, struct tx *tx)
{
	for (size_t i = 0; i < update->count; i++)
		port_update_want_records(update->ports, update->network, &update->rows[i],
		                         &update->diff);
	record_diff_write(&update->diff, tx);
	record_diff_clear(&update->diff);
}

void network_update_rename(struct network_update *update, struct tx *tx)
{
	network_update_read(update, tx);
	update->names = map_new(random_u32());
	for (size_t i = 0; i < update->count; i++)
		network_update_name_port(update, &update->rows[i]);
	map_free(&update->names);
	store_ports_rename(tx, update->network->id, update->rows, update->count);
	network_update_write(update, tx);
}

void network_update_republish(struct network_update *update, struct tx *tx)
{
	network_update_read(update, tx);
	network_update_write(update, tx);
}

void network_update_delete_ports(struct network_update *update, struct tx *tx)
{
	record_diff_init(&update->diff, update->arena);
	store_records(tx, update->arena, update->network->id, NULL, record_diff_add_old,
	              &update->diff);
	store_ports_delete(tx, update->network->id);
	update->has_new_lines = true;
	record_diff_write(&update->diff, tx);
	record_diff_clear(&update->diff);
}

enum err network_update_commit(struct network_update *update, struct tx *tx)
{
	struct lines_change change = {
		.network_id = update->has_new_lines ? update->network->id : NULL,
	};
	enum err err;

	dnsmasq_lines_raise(&change, tx);
	err = tx_commit(tx);
	if (err)
		return err;
	publish_now(update->ports, update->diff.zones, update->diff.zone_count);
	dnsmasq_lines_announce(&change, update->ports);
	return OK;
}
