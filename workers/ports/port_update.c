#include "port_update.h"

#include <string.h>

#include "dnsmasq_lines.h"
#include "port_network.h"
#include "publish.h"

/* len 0: TEXT is NULL, or damaged. */
static struct name name_of(const char *text)
{
	struct name name = { 0 };
	struct why why;

	if (text && name_parse(text, "name", &name, &why))
		name.len = 0;
	return name;
}

static struct name domain_of(const struct network_row *network,
                             const struct port_row *port)
{
	return port->dns_domain ? name_of(port->dns_domain) : network->domain;
}

enum err writing_name(const struct network_row *network, struct port_row *port,
                      enum label_rules rules, struct arena *arena, struct why *why)
{
	struct name fqdn, domain = domain_of(network, port);
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
	struct port_network as = port_network_of(ports, network, port);
	const struct port_names names = {
		name_of(port->dns_fqdn), name_of(port->dns_domain), port->addresses,
		port->count,
	};
	struct port_record *records;
	size_t count = port_records(&as, &names, change->arena, &records);

	change_want(change, port, network->is_default ? "" : network->project_id,
	            records, count);
}

void writing_read(struct writing *writing, struct tx *tx, const char *id)
{
	writing->is_there = store_port_read(tx, writing->arena, id, &writing->was);
}

/* ---- a name that is free by now ---- */

struct waiting {
	struct writing *writing;
	struct port_row *heir;
	bool is_found;
};

static void take_waiting(void *self, const struct port_row *port)
{
	struct waiting *waiting = self;
	const struct writing *writing = waiting->writing;
	struct port_row named = *port;
	struct why why;

	if (waiting->is_found || writing_name(&writing->network, &named, LABELS_RFC1123,
	                                      writing->arena, &why) ||
	    !named.dns_fqdn || strcmp(named.dns_fqdn, writing->was.dns_fqdn))
		return;
	*waiting->heir = named;
	waiting->is_found = true;
}

static bool has_freed(const struct writing *writing, const struct port_row *port)
{
	const char *had = writing->was.dns_fqdn;

	return writing->is_there && had &&
	       (port->is_gone || !port->dns_fqdn || strcmp(port->dns_fqdn, had));
}

/* Its name without its domain, as a dns_name may be. */
static const char *relative(const struct writing *writing)
{
	const struct name domain = domain_of(&writing->network, &writing->was);
	const char *full = writing->was.dns_fqdn;
	char suffix[NAME_MAX_TEXT + 2] = ".";
	size_t len = strlen(full), suffix_len;

	if (!domain.len)
		return full;
	name_format(&domain, suffix + 1);
	suffix_len = strlen(suffix);
	return len > suffix_len && !strcmp(full + len - suffix_len, suffix)
	       ? arena_printf(writing->arena, "%.*s", (int)(len - suffix_len), full) : full;
}

static bool find_heir(struct writing *writing, struct tx *tx, const struct port_row *port,
                      struct port_row *heir)
{
	struct waiting waiting = { writing, heir, false };

	if (!has_freed(writing, port))
		return false;
	store_ports_waiting(tx, writing->arena, port->network_id, writing->was.dns_fqdn,
	                    relative(writing), take_waiting, &waiting);
	if (waiting.is_found)
		store_port_update(tx, heir);
	return waiting.is_found && !tx->err;
}

void writing_note(struct writing *writing, const struct port_row *port)
{
	if (writing->told_count)
		return;
	writing->told_of = arena_strdup(writing->arena, port->network_id);
	writing->told[writing->told_count++] = arena_strdup(writing->arena, port->id);
}

static void note_lines(struct writing *writing, const struct port_row *port,
                       const struct port_row *heir)
{
	const struct port_row *was = writing->is_there ? &writing->was : NULL;

	writing->told_count = 0;
	writing->told_of = arena_strdup(writing->arena, port->network_id);
	if (lines_differ(writing->ports, &writing->network, was, port))
		writing->told[writing->told_count++] =
			arena_strdup(writing->arena, port->id);
	if (heir)
		writing->told[writing->told_count++] =
			arena_strdup(writing->arena, heir->id);
}

void writing_records(struct writing *writing, struct tx *tx, const struct port_row *port)
{
	struct change *change = &writing->change;
	struct port_row heir;
	bool has_heir = find_heir(writing, tx, port, &heir);

	note_lines(writing, port, has_heir ? &heir : NULL);
	change_begin(change, writing->arena);
	store_records(tx, writing->arena, NULL, port->id, change_was, change);
	if (has_heir)
		store_records(tx, writing->arena, NULL, heir.id, change_was, change);
	if (!port->is_gone)
		writing_want(writing->ports, &writing->network, port, change);
	if (has_heir)
		writing_want(writing->ports, &writing->network, &heir, change);
	change_write(&writing->change, tx);
	change_end(&writing->change);
}

void writing_read_network(struct writing *writing, struct tx *tx)
{
	if (!store_network_share(tx, writing->arena, writing->was.network_id,
	                         &writing->network))
		writing->network = (struct network_row){ .project_id = "" };
}

void writing_end(struct writing *writing, struct tx *tx)
{
	writing_read_network(writing, tx);
	writing->was.is_gone = true;
	store_port_delete(tx, writing->was.id);
	writing_records(writing, tx, &writing->was);
}

enum err writing_commit(struct writing *writing, struct tx *tx)
{
	struct lines_news news = {
		.network_id = writing->told_count ? writing->told_of : NULL,
		.port_ids = writing->told, .count = writing->told_count,
	};
	enum err err;

	lines_raise(&news, tx);
	err = tx_commit(tx);
	if (err)
		return err;
	publisher_now(writing->ports->publisher, writing->change.zones,
	              writing->change.zone_count);
	lines_tell(&news, writing->ports);
	return OK;
}
