#include "precedence.h"

#include <string.h>

#include "base/log.h"
#include "renaming.h"

static struct log_limit limit;

static void precedence_log(const char *what, const char *id)
{
	if (log_is_due(&limit, LOG_STRANGER_MS))
		log_warn("%s of a call gave way to Neutron's: id=%s unlogged=%llu", what, id,
		         (unsigned long long)limit.unlogged);
}

static enum err precedence_end_network(const struct told *told, const char *id,
                                       struct why *why)
{
	struct network_row network;
	struct renaming renaming = { .ports = told->ports, .arena = told->arena,
	                             .network = &network, .is_told = true };
	struct tx tx = tx_begin(told->ports->runtime.db, why);

	if (store_network_lock(&tx, told->arena, id, &network) && !network.is_fed) {
		store_network_clear(&tx, id);
		store_network_put_unknown(&tx, id);
		store_network_lock(&tx, told->arena, id, &network);
		renaming_all(&renaming, &tx);
	}
	precedence_log("network", id);
	return renaming_commit(&renaming, &tx);
}

static enum err precedence_end_subnet(const struct told *told, const char *id,
                                      struct why *why)
{
	struct network_row network;
	struct subnet_row subnet;
	struct renaming renaming = { .ports = told->ports, .arena = told->arena,
	                             .network = &network };
	struct tx tx = tx_begin(told->ports->runtime.db, why);

	if (store_subnet_read(&tx, told->arena, id, &subnet) && !subnet.is_fed) {
		bool has_network = store_network_lock(&tx, told->arena, subnet.network_id,
		                                      &network);

		store_subnet_delete(&tx, id);
		if (has_network && store_network_lock(&tx, told->arena, subnet.network_id,
		                                      &network))
			renaming_none(&renaming, &tx);
	}
	precedence_log("subnet", id);
	return renaming_commit(&renaming, &tx);
}

static enum err precedence_end_port(const struct told *told, const char *id,
                                    struct why *why)
{
	struct writing writing = { .ports = told->ports, .arena = told->arena };
	struct tx tx = tx_begin(told->ports->runtime.db, why);

	writing_read(&writing, &tx, id);
	if (writing.is_there && !writing.was.is_fed && !writing.was.is_gone)
		writing_end(&writing, &tx);
	precedence_log("port", id);
	return writing_commit(&writing, &tx);
}

/* ---- has anything to go? ---- */

enum err precedence_network(const struct told *told, const struct network_row *network,
                            struct why *why)
{
	struct tx tx = tx_autocommit(told->ports->runtime.db, why);
	bool gives_way = store_network_is_called(&tx, network);
	enum err err = tx_commit(&tx);

	return gives_way ? precedence_end_network(told, network->id, why) : err;
}

enum err precedence_subnet(const struct told *told, const struct subnet_row *subnet,
                           struct why *why)
{
	struct tx tx = tx_autocommit(told->ports->runtime.db, why);
	bool gives_way = store_subnet_is_called(&tx, subnet);
	enum err err = tx_commit(&tx);

	return gives_way ? precedence_end_subnet(told, subnet->id, why) : err;
}

enum err precedence_port(const struct told *told, const struct port_row *port,
                         struct why *why)
{
	struct tx tx = tx_autocommit(told->ports->runtime.db, why);
	bool gives_way = store_port_is_called(&tx, port);
	enum err err = tx_commit(&tx);

	return gives_way ? precedence_end_port(told, port->id, why) : err;
}
