#include "port_update.h"

#include <string.h>

#include "dnsmasq_lines.h"
#include "port_network.h"
#include "publish.h"

/* len 0: TEXT is NULL or not a valid name. */
static struct name port_update_parse_name(const char *text)
{
	struct name name = { 0 };
	struct why why;

	if (text && name_parse(text, "name", &name, &why))
		name.len = 0;
	return name;
}

static struct name port_update_domain(const struct network_row *network,
                                      const struct port_row *port)
{
	return port->dns_domain ? port_update_parse_name(port->dns_domain)
	                        : network->domain;
}

enum err port_update_set_fqdn(const struct network_row *network, struct port_row *port,
                              enum label_rules rules, struct arena *arena,
                              struct why *why)
{
	struct name fqdn, domain = port_update_domain(network, port);
	char text[NAME_MAX_TEXT + 1];
	enum err err;

	port->dns_fqdn = NULL;
	if (!port->dns_name || !domain.len)
		return OK;
	err = port_fqdn(port->dns_name, &domain, rules, &fqdn, why);
	if (err)
		return err;
	name_format(&fqdn, text);
	port->dns_fqdn = arena_strdup(arena, text);
	return OK;
}

const char *port_update_taken_by(struct port_update *update, struct tx *tx,
                                 const struct port_row *port)
{
	const char *id = port->dns_fqdn ? store_port_find_fqdn(tx, update->arena,
	                                                       port->network_id,
	                                                       port->dns_fqdn) : NULL;

	return id && strcmp(id, port->id) ? id : NULL;
}

void port_update_want_records(const struct ports *ports,
                              const struct network_row *network,
                              const struct port_row *port, struct record_diff *diff)
{
	struct port_network as = port_network_of(ports, network, port);
	const struct port_names names = {
		port_update_parse_name(port->dns_fqdn),
		port_update_parse_name(port->dns_domain), port->addresses, port->count,
	};
	struct port_record *records;
	size_t count = port_records(&as, &names, diff->arena, &records);

	record_diff_add_wanted(diff, port, network->is_default ? "" : network->project_id,
	                       records, count);
}

void port_update_read(struct port_update *update, struct tx *tx, const char *id)
{
	update->exists = store_port_read(tx, update->arena, id, &update->old);
}

/* ---- the next port for a free name ---- */

struct name_search {
	struct port_update *update;
	struct port_row *waiting;
	bool is_found;
};

static void name_search_on_port(void *self, const struct port_row *port)
{
	struct name_search *search = self;
	const struct port_update *update = search->update;
	struct port_row named = *port;
	struct why why;

	if (search->is_found ||
	    port_update_set_fqdn(&update->network, &named, LABELS_RFC1123, update->arena,
	                         &why) ||
	    !named.dns_fqdn || strcmp(named.dns_fqdn, update->old.dns_fqdn))
		return;
	*search->waiting = named;
	search->is_found = true;
}

static bool port_update_frees_name(const struct port_update *update,
                                   const struct port_row *port)
{
	const char *had = update->old.dns_fqdn;

	return update->exists && had &&
	       (port->is_gone || !port->dns_fqdn || strcmp(port->dns_fqdn, had));
}

/* The old name without its domain: a dns_name may have this form. */
static const char *port_update_relative_name(const struct port_update *update)
{
	const struct name domain = port_update_domain(&update->network, &update->old);
	const char *full = update->old.dns_fqdn;
	char suffix[NAME_MAX_TEXT + 2] = ".";
	size_t len = strlen(full), suffix_len;

	if (!domain.len)
		return full;
	name_format(&domain, suffix + 1);
	suffix_len = strlen(suffix);
	return len > suffix_len && !strcmp(full + len - suffix_len, suffix)
	       ? arena_printf(update->arena, "%.*s", (int)(len - suffix_len), full)
	       : full;
}

static bool port_update_find_waiting(struct port_update *update, struct tx *tx,
                                     const struct port_row *port,
                                     struct port_row *waiting)
{
	struct name_search search = { update, waiting, false };

	if (!port_update_frees_name(update, port))
		return false;
	store_ports_awaiting_name(tx, update->arena, port->network_id,
	                          update->old.dns_fqdn, port_update_relative_name(update),
	                          name_search_on_port, &search);
	if (search.is_found)
		store_port_update(tx, waiting);
	return search.is_found && !tx->err;
}

static void port_update_add_lines(struct port_update *update, const struct port_row *port)
{
	update->lines_network = arena_strdup(update->arena, port->network_id);
	update->lines_ports[update->lines_count++] =
		arena_strdup(update->arena, port->id);
}

void port_update_mark_lines(struct port_update *update, const struct port_row *port)
{
	if (!update->lines_count)
		port_update_add_lines(update, port);
}

static void port_update_collect_lines(struct port_update *update,
                                      const struct port_row *port,
                                      const struct port_row *waiting)
{
	const struct port_row *old = update->exists ? &update->old : NULL;

	update->lines_count = 0;
	if (dnsmasq_lines_differ(update->ports, &update->network, old, port))
		port_update_add_lines(update, port);
	if (waiting)
		port_update_add_lines(update, waiting);
}

void port_update_write_records(struct port_update *update, struct tx *tx,
                               const struct port_row *port)
{
	struct record_diff *diff = &update->diff;
	struct port_row waiting;
	bool has_waiting = port_update_find_waiting(update, tx, port, &waiting);

	port_update_collect_lines(update, port, has_waiting ? &waiting : NULL);
	record_diff_init(diff, update->arena);
	store_records(tx, update->arena, NULL, port->id, record_diff_add_old, diff);
	if (has_waiting)
		store_records(tx, update->arena, NULL, waiting.id, record_diff_add_old,
		              diff);
	if (!port->is_gone)
		port_update_want_records(update->ports, &update->network, port, diff);
	if (has_waiting)
		port_update_want_records(update->ports, &update->network, &waiting, diff);
	record_diff_write(&update->diff, tx);
	record_diff_clear(&update->diff);
}

void port_update_read_network(struct port_update *update, struct tx *tx)
{
	if (!store_network_share(tx, update->arena, update->old.network_id,
	                         &update->network))
		update->network = (struct network_row){ .project_id = "" };
}

void port_update_delete(struct port_update *update, struct tx *tx)
{
	port_update_read_network(update, tx);
	update->old.is_gone = true;
	store_port_delete(tx, update->old.id);
	port_update_write_records(update, tx, &update->old);
}

enum err port_update_commit(struct port_update *update, struct tx *tx)
{
	struct lines_change change = {
		.network_id = update->lines_count ? update->lines_network : NULL,
		.port_ids = update->lines_ports, .count = update->lines_count,
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
