#include "neutron_apply.h"

#include <string.h>

#include "base/log.h"
#include "codec.h"
#include "network_update.h"
#include "port_update.h"
#include "precedence.h"
#include "runtime/metrics.h"

static struct figures {
	struct metric *stale, *conflicts;
} figures;

void neutron_apply_metrics(void)
{
	figures.stale = metric_new(METRIC_COUNTER, "ports_events_stale_total",
	    "old objects in notifications from Neutron. zonefleet-ports ignored these "
	    "objects because they were not newer than the stored objects",
	    NULL, NULL);
	figures.conflicts = metric_new(METRIC_COUNTER, "ports_conflicts_total",
	    "ports that did not get the desired name because another port of the "
	    "network has this name",
	    NULL, NULL);
}

/* ---- networks ---- */

/* A network without a domain gets ports.domain. */
static void apply_default_domain(const struct neutron_apply *apply,
                                 struct network_row *network)
{
	const char *domain = apply->ports->settings.domain;
	char text[NAME_MAX_TEXT + 1];
	struct why why;

	if (network->domain.len ||
	    codec_domain(domain, "ports.domain", &network->domain, &why) ||
	    !network->domain.len)
		return;
	name_format(&network->domain, text);
	network->domain_text = arena_strdup(apply->arena, text);
	network->is_default = true;
}

static bool apply_is_stale(uint64_t revision, uint64_t known)
{
	bool is_old = revision && known && revision <= known;

	if (is_old)
		metric_add(figures.stale, 1);
	return is_old;
}

/* True: ports.domain was changed, which does not change the revision. */
static bool apply_has_new_default(const struct network_row *old,
                                  const struct network_row *network)
{
	return old->revision == network->revision &&
	       (old->is_default || !old->domain.len) &&
	       strcmp(old->domain_text, network->domain_text);
}

static void apply_write_network(struct neutron_apply *apply,
                                struct network_update *update,
                                struct network_row *network, struct tx *tx)
{
	struct network_row old;
	bool exists = store_network_lock(tx, apply->arena, network->id, &old);

	if (tx->err || store_network_is_gone(tx, network->id) ||
	    (exists && !apply_has_new_default(&old, network) &&
	     apply_is_stale(network->revision, old.revision)))
		return;
	apply->has_changed = true;
	store_network_put(tx, network);
	if (!exists)
		return;
	network->subnets = old.subnets;
	if (strcmp(old.domain_text, network->domain_text))
		network_update_rename(update, tx);
}

static enum err apply_network(void *self, struct why *why)
{
	struct neutron_apply *apply = self;
	struct network_row network;
	struct network_update update = { .ports = apply->ports, .arena = apply->arena,
	                                 .network = &network, .unnamed = json_array() };
	enum err err = neutron_network(apply->json, apply->arena, &network, why);

	if (!err)
		err = precedence_network(apply, &network, why);
	if (!err) {
		struct tx tx = tx_begin(apply->ports->runtime.db, why);

		apply_default_domain(apply, &network);
		apply_write_network(apply, &update, &network, &tx);
		err = network_update_commit(&update, &tx);
	}
	json_decref(update.unnamed);
	return err;
}

static void apply_delete_network(struct neutron_apply *apply,
                                 struct network_update *update,
                                 struct network_row *network, struct tx *tx)
{
	apply->has_changed = true;
	if (!store_network_lock(tx, apply->arena, apply->id, network))
		*network = (struct network_row){ .project_id = "" };
	memcpy(network->id, apply->id, sizeof(network->id));
	network->is_fed = true;
	network->domain_text = "";
	network->domain.len = 0;
	store_network_put(tx, network);
	network_update_delete_ports(update, tx);
	store_network_delete(tx, network->id);
}

/* The deletion of a network comes at least twice, as notification and push. */
static enum err apply_network_gone(void *self, struct why *why)
{
	struct neutron_apply *apply = self;
	struct network_row network;
	struct network_update update = { .ports = apply->ports, .arena = apply->arena,
	                                 .network = &network };
	struct tx tx = tx_begin(apply->ports->runtime.db, why);

	if (!store_network_is_gone(&tx, apply->id) && !tx.err)
		apply_delete_network(apply, &update, &network, &tx);
	return network_update_commit(&update, &tx);
}

/* ---- subnets ---- */

/* True: ports.publish was changed, which does not change the revision. */
static bool apply_has_new_option(const struct subnet_row *old,
                                 const struct subnet_row *subnet)
{
	return old->revision == subnet->revision &&
	       old->is_published != subnet->is_published;
}

static void apply_warn_overlaps(const struct network_row *network,
                                const struct subnet_row *subnet)
{
	char cidr[CIDR_TEXT], other[CIDR_TEXT];

	cidr_format(&subnet->cidr, cidr);
	for (size_t i = 0; i < network->subnets.count; i++) {
		const struct prefix *at = &network->subnets.list[i].cidr;

		if (!cidr_overlaps(at, &subnet->cidr))
			continue;
		cidr_format(at, other);
		log_warn("subnets overlap: network=%s subnet=%s cidr=%s other=%s",
		         network->id, subnet->id, cidr, other);
	}
}

/* Locks the network of a subnet. False: the network is deleted. */
static bool apply_lock_network(struct neutron_apply *apply, struct network_row *network,
                               struct tx *tx, const char *id)
{
	if (store_network_lock(tx, apply->arena, id, network))
		return true;
	if (tx->err || store_network_is_gone(tx, id))
		return false;
	store_network_put_unknown(tx, id, network);
	return !tx->err;
}

/* Publishes the ports of the network again, after a change of one of its subnets. */
static void apply_republish(struct neutron_apply *apply, struct network_update *update,
                            struct network_row *network, struct tx *tx)
{
	if (store_network_lock(tx, apply->arena, network->id, network))
		network_update_republish(update, tx);
}

static void apply_write_subnet(struct neutron_apply *apply, struct network_update *update,
                               struct network_row *network, struct subnet_row *subnet,
                               struct tx *tx)
{
	struct subnet_row old;
	bool exists, is_other;

	if (!apply_lock_network(apply, network, tx, subnet->network_id))
		return;
	exists = store_subnet_lock(tx, subnet->id, &old);
	if (tx->err || store_subnet_is_gone(tx, subnet->id) ||
	    (exists && !apply_has_new_option(&old, subnet) &&
	     apply_is_stale(subnet->revision, old.revision)))
		return;
	if (exists && strcmp(old.network_id, subnet->network_id)) {
		tx_fail(tx, old.is_fed ? ERR_INVALID : ERR_RACE, "subnet %.32s belongs "
		        "to another network", subnet->id);
		return;
	}
	is_other = !exists || !cidr_equal(&old.cidr, &subnet->cidr);
	if (is_other)
		apply_warn_overlaps(network, subnet);
	apply->has_changed = true;
	store_subnet_put(tx, subnet);
	if (is_other || old.is_published != subnet->is_published)
		apply_republish(apply, update, network, tx);
}

static enum err apply_subnet(void *self, struct why *why)
{
	struct neutron_apply *apply = self;
	struct network_row network;
	struct subnet_row subnet;
	struct network_update update = { .ports = apply->ports, .arena = apply->arena,
	                                 .network = &network };
	enum err err = neutron_subnet(apply->json, &subnet, why);

	if (!err)
		err = precedence_subnet(apply, &subnet, why);
	if (err)
		return err;

	struct tx tx = tx_begin(apply->ports->runtime.db, why);
	subnet.is_published = subnet.is_flagged || ports_publishes_all(apply->ports);
	apply_write_subnet(apply, &update, &network, &subnet, &tx);
	return network_update_commit(&update, &tx);
}

/* Locks the network first, like each change of a subnet. */
static bool apply_lock_subnet(struct neutron_apply *apply, struct network_row *network,
                              struct subnet_row *subnet, struct tx *tx)
{
	if (!store_subnet_read(tx, apply->arena, apply->id, subnet))
		return false;
	if (!store_network_lock(tx, apply->arena, subnet->network_id, network))
		memcpy(network->id, subnet->network_id, sizeof(network->id));
	return store_subnet_lock(tx, apply->id, subnet);
}

/*
 * An unknown subnet gets a tombstone, because an older message about it may come later.
 */
static enum err apply_subnet_gone(void *self, struct why *why)
{
	struct neutron_apply *apply = self;
	struct network_row network;
	struct subnet_row subnet = { .is_fed = false };
	struct network_update update = { .ports = apply->ports, .arena = apply->arena,
	                                 .network = &network };
	struct tx tx = tx_begin(apply->ports->runtime.db, why);

	apply->has_changed = true;
	if (apply_lock_subnet(apply, &network, &subnet, &tx)) {
		store_subnet_delete(&tx, apply->id);
		apply_republish(apply, &update, &network, &tx);
	}
	if (!subnet.is_fed && !tx.err)
		store_subnet_put_tombstone(&tx, apply->id);
	return network_update_commit(&update, &tx);
}

/* ---- ports ---- */

static void apply_read_network(struct port_update *update, struct tx *tx, const char *id)
{
	if (!store_network_share(tx, update->arena, id, &update->network) && !tx->err)
		store_network_put_unknown(tx, id, &update->network);
}

static void apply_report_conflict(const struct port_update *update,
                                  const struct port_row *port, const char *taken_by)
{
	json_t *payload = json_pack("{s:s, s:s, s:s, s:s}", "port", port->id, "network",
	                            port->network_id, "dns_name", port->dns_name,
	                            "taken_by", taken_by);
	struct why why;

	metric_add(figures.conflicts, 1);
	log_warn("name not given to the port, because another port has the name: "
	         "network=%s port=%s name=%s by=%s", port->network_id,
	         port->id, port->dns_name, taken_by);
	if (rpc_notify(update->ports->runtime.rpc, "dns.port.conflict", payload, &why))
		log_warn("notification not sent: event=dns.port.conflict port=%s "
		         "reason=\"%s\"", port->id, why.text);
	json_decref(payload);
}

static void apply_name_port(struct neutron_apply *apply, struct port_update *update,
                            struct tx *tx, struct port_row *port)
{
	struct why why;

	if (port_update_set_fqdn(&update->network, port, LABELS_RFC1123, update->arena,
	                         &why))
		log_warn("name of the port ignored: port=%s reason=\"%s\"",
		         port->id, why.text);
	apply->taken_by = port_update_taken_by(update, tx, port);
	if (!apply->taken_by)
		return;
	store_port_name_lock(tx, apply->taken_by, port->dns_fqdn);
	port->dns_fqdn = NULL;
}

/*
 * True: OLD is newer than PORT, or deleted. A port of a call has no revision of Neutron.
 */
static bool apply_is_late(const struct neutron_apply *apply, const struct port_row *old,
                          const struct port_row *port)
{
	return old->is_fed && (apply->is_partial || old->is_gone ||
	                       apply_is_stale(port->revision, old->revision));
}

static void apply_write_row(struct port_update *update, struct tx *tx,
                            const struct port_row *port)
{
	if (!update->exists)
		store_port_insert(tx, port);
	else if (update->old.is_fed)
		store_port_update(tx, port);
	else
		store_port_take_over(tx, port);
	update->exists &= !update->old.is_gone;
	port_update_write_records(update, tx, port);
}

static void apply_write_port(struct neutron_apply *apply, struct port_update *update,
                             struct tx *tx, struct port_row *port)
{
	port_update_read(update, tx, port->id);
	if (apply->has_changed && update->exists)
		port_update_mark_lines(update, &update->old);
	if (tx->err || (update->exists && apply_is_late(apply, &update->old, port)) ||
	    store_network_is_gone(tx, port->network_id))
		return;
	apply->has_changed = true;
	apply_read_network(update, tx, port->network_id);
	apply_name_port(apply, update, tx, port);
	apply_write_row(update, tx, port);
}

static enum err apply_port(void *self, struct why *why)
{
	struct neutron_apply *apply = self;
	struct port_update update = { .ports = apply->ports, .arena = apply->arena };
	struct port_row port;
	enum err err = apply->kind == NEUTRON_FLOATING
	               ? neutron_floating(apply->json, apply->arena, &port, why)
	               : neutron_port(apply->json, apply->arena, &port, why);

	if (err || neutron_is_of_floating(apply->json))
		return err;
	err = precedence_port(apply, &port, why);
	if (err)
		return err;

	struct tx tx = tx_begin(apply->ports->runtime.db, why);
	apply->taken_by = NULL;
	apply_write_port(apply, &update, &tx, &port);
	if (tx.err == ERR_EXISTS)	/* another port has just got the name */
		tx.err = ERR_RACE;
	err = port_update_commit(&update, &tx);
	if (!err && apply->taken_by)
		apply_report_conflict(&update, &port, apply->taken_by);
	return err;
}

/* An unknown port gets a tombstone, because an older message about it may come later. */
static enum err apply_port_gone(void *self, struct why *why)
{
	struct neutron_apply *apply = self;
	struct port_update update = { .ports = apply->ports, .arena = apply->arena };
	struct tx tx = tx_begin(apply->ports->runtime.db, why);

	port_update_read(&update, &tx, apply->id);
	if (apply->has_changed && update.exists)
		port_update_mark_lines(&update, &update.old);
	if (update.exists && !update.old.is_gone && !tx.err) {
		apply->has_changed = true;
		port_update_delete(&update, &tx);
	}
	if (!update.old.is_fed && !tx.err)
		store_port_put_tombstone(&tx, apply->id);
	return port_update_commit(&update, &tx);
}

/* ---- all kinds ---- */

static const struct {
	enum err (*apply)(void *self, struct why *why);
	enum err (*apply_gone)(void *self, struct why *why);
} kinds[] = {
	[NEUTRON_PORT]     = { apply_port,    apply_port_gone    },
	[NEUTRON_NETWORK]  = { apply_network, apply_network_gone },
	[NEUTRON_SUBNET]   = { apply_subnet,  apply_subnet_gone  },
	[NEUTRON_FLOATING] = { apply_port,    apply_port_gone    },
};

enum err neutron_apply(struct neutron_apply *apply, struct why *why)
{
	return tx_retry_on_loop(kinds[apply->kind].apply, apply, why);
}

enum err neutron_apply_gone(struct neutron_apply *apply, struct why *why)
{
	return tx_retry_on_loop(kinds[apply->kind].apply_gone, apply, why);
}
