#include "precedence.h"

#include <string.h>

#include "base/log.h"
#include "network_update.h"

static struct log_limit limit;

static void precedence_log(const char *what, const char *id)
{
	if (log_is_due(&limit, LOG_STRANGER_MS))
		log_warn("%s replaced: id=%s unlogged=%llu reason=\"a call created this "
		         "object, but Neutron has an object with the same id\"",
		         what, id, (unsigned long long)limit.unlogged);
}

static enum err precedence_delete_network(const struct neutron_apply *apply,
                                          const char *id, struct why *why)
{
	struct network_row network;
	struct network_update update = { .ports = apply->ports, .arena = apply->arena,
	                                 .network = &network, .has_new_lines = true };
	struct tx tx = tx_begin(apply->ports->runtime.db, why);

	if (store_network_lock(&tx, apply->arena, id, &network) && !network.is_fed) {
		store_network_clear(&tx, id);
		store_network_put_unknown(&tx, id, &network);
		store_network_lock(&tx, apply->arena, id, &network);
		network_update_rename(&update, &tx);
	}
	precedence_log("network", id);
	return network_update_commit(&update, &tx);
}

static enum err precedence_delete_subnet(const struct neutron_apply *apply,
                                         const char *id, struct why *why)
{
	struct network_row network;
	struct subnet_row subnet;
	struct network_update update = { .ports = apply->ports, .arena = apply->arena,
	                                 .network = &network };
	struct tx tx = tx_begin(apply->ports->runtime.db, why);

	if (store_subnet_read(&tx, apply->arena, id, &subnet) && !subnet.is_fed) {
		bool has_network = store_network_lock(&tx, apply->arena,
		                                      subnet.network_id, &network);

		store_subnet_delete(&tx, id);
		if (has_network && store_network_lock(&tx, apply->arena,
		                                      subnet.network_id, &network))
			network_update_republish(&update, &tx);
	}
	precedence_log("subnet", id);
	return network_update_commit(&update, &tx);
}

static enum err precedence_delete_port(const struct neutron_apply *apply, const char *id,
                                       struct why *why)
{
	struct port_update update = { .ports = apply->ports, .arena = apply->arena };
	struct tx tx = tx_begin(apply->ports->runtime.db, why);

	port_update_read(&update, &tx, id);
	if (update.exists && !update.old.is_fed && !update.old.is_gone)
		port_update_delete(&update, &tx);
	precedence_log("port", id);
	return port_update_commit(&update, &tx);
}

/* ---- looking for a row of a call ---- */

enum err precedence_network(const struct neutron_apply *apply,
                            const struct network_row *network, struct why *why)
{
	struct tx tx = tx_autocommit(apply->ports->runtime.db, why);
	bool conflicts = store_network_conflicts(&tx, network);
	enum err err = tx_commit(&tx);

	return conflicts ? precedence_delete_network(apply, network->id, why) : err;
}

enum err precedence_subnet(const struct neutron_apply *apply,
                           const struct subnet_row *subnet, struct why *why)
{
	struct tx tx = tx_autocommit(apply->ports->runtime.db, why);
	bool conflicts = store_subnet_conflicts(&tx, subnet);
	enum err err = tx_commit(&tx);

	return conflicts ? precedence_delete_subnet(apply, subnet->id, why) : err;
}

enum err precedence_port(const struct neutron_apply *apply, const struct port_row *port,
                         struct why *why)
{
	struct tx tx = tx_autocommit(apply->ports->runtime.db, why);
	bool conflicts = store_port_conflicts(&tx, port);
	enum err err = tx_commit(&tx);

	return conflicts ? precedence_delete_port(apply, port->id, why) : err;
}
