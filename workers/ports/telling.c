#include "telling.h"

#include <string.h>

#include "base/log.h"
#include "codec.h"
#include "precedence.h"
#include "renaming.h"
#include "runtime/metrics.h"
#include "writing.h"

static struct figures {
	struct metric *stale, *conflicts;
} figures;

void telling_metrics(void)
{
	figures.stale = metric_new(METRIC_COUNTER, "ports_events_stale_total",
	    "objects in notifications that are older than what is known", NULL, NULL);
	figures.conflicts = metric_new(METRIC_COUNTER, "ports_conflicts_total",
	    "ports whose name another port of their network has", NULL, NULL);
}

/* ---- networks ---- */

/* Its own domain, or that of all who have none, which is ours. */
static void settle_domain(const struct told *told, struct network_row *network)
{
	const char *domain = told->ports->settings.domain;
	char text[NAME_MAX_TEXT + 1];
	struct why why;

	if (network->domain.len ||
	    codec_domain(domain, "ports.domain", &network->domain, &why) ||
	    !network->domain.len)
		return;
	name_format(&network->domain, text);
	network->domain_text = arena_strdup(told->arena, text);
	network->is_default = true;
}

static bool is_stale(uint64_t revision, uint64_t known)
{
	bool is_old = revision && known && revision <= known;

	if (is_old)
		metric_add(figures.stale, 1);
	return is_old;
}

/* The domain of those who have none is another since: no revision tells that. */
static bool has_new_default(const struct network_row *was,
                            const struct network_row *network)
{
	return was->revision == network->revision &&
	       (was->is_default || !was->domain.len) &&
	       strcmp(was->domain_text, network->domain_text);
}

static void put_network(struct told *told, struct renaming *renaming,
                        struct network_row *network, struct tx *tx)
{
	struct network_row was;
	bool is_there = store_network_lock(tx, told->arena, network->id, &was);

	if (tx->err || store_network_is_gone(tx, network->id) ||
	    (is_there && !has_new_default(&was, network) &&
	     is_stale(network->revision, was.revision)))
		return;
	told->has_changed = true;
	store_network_put(tx, network);
	if (!is_there)
		return;
	network->subnets = was.subnets;
	if (strcmp(was.domain_text, network->domain_text))
		renaming_all(renaming, tx);
}

static enum err take_network(void *self, struct why *why)
{
	struct told *told = self;
	struct network_row network;
	struct renaming renaming = { .ports = told->ports, .arena = told->arena,
	                             .network = &network, .unnamed = json_array() };
	enum err err = neutron_network(told->json, told->arena, &network, why);

	if (!err)
		err = precedence_network(told, &network, why);
	if (!err) {
		struct tx tx = tx_begin(told->ports->runtime.db, why);

		settle_domain(told, &network);
		put_network(told, &renaming, &network, &tx);
		err = renaming_commit(&renaming, &tx);
	}
	json_decref(renaming.unnamed);
	return err;
}

static void remove_network(struct told *told, struct renaming *renaming,
                           struct network_row *network, struct tx *tx)
{
	told->has_changed = true;
	if (!store_network_lock(tx, told->arena, told->id, network))
		*network = (struct network_row){ .project_id = "" };
	memcpy(network->id, told->id, sizeof(network->id));
	network->is_fed = true;
	network->domain_text = "";
	network->domain.len = 0;
	store_network_put(tx, network);
	renaming_end(renaming, tx);
	store_network_delete(tx, network->id);
}

/* It is told at least twice, by a notification and as an object: the first one counts. */
static enum err end_network(void *self, struct why *why)
{
	struct told *told = self;
	struct network_row network;
	struct renaming renaming = { .ports = told->ports, .arena = told->arena,
	                             .network = &network };
	struct tx tx = tx_begin(told->ports->runtime.db, why);

	if (!store_network_is_gone(&tx, told->id) && !tx.err)
		remove_network(told, &renaming, &network, &tx);
	return renaming_commit(&renaming, &tx);
}

/* Neutron has not told of it yet: it has no domain until Neutron does; it is compared. */
static void put_unknown(struct network_row *network, struct tx *tx, const char *id)
{
	*network = (struct network_row){ .project_id = "", .domain_text = "",
	                                 .is_fed = true };
	memcpy(network->id, id, sizeof(network->id));
	store_network_put_unknown(tx, id);
}

/* ---- subnets ---- */

/* The option is another since: no revision tells that. */
static bool has_new_option(const struct subnet_row *was, const struct subnet_row *subnet)
{
	return was->revision == subnet->revision &&
	       was->is_published != subnet->is_published;
}

static void warn_overlaps(const struct network_row *network,
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

/* Locks its network, if that is not gone. */
static bool find_its_network(struct told *told, struct network_row *network,
                             struct tx *tx, const char *id)
{
	if (store_network_lock(tx, told->arena, id, network))
		return true;
	if (tx->err || store_network_is_gone(tx, id))
		return false;
	put_unknown(network, tx, id);
	return !tx->err;
}

/* A subnet of the network is another one, or has gone. */
static void publish_again(struct told *told, struct renaming *renaming,
                          struct network_row *network, struct tx *tx)
{
	if (store_network_lock(tx, told->arena, network->id, network))
		renaming_none(renaming, tx);
}

static void put_subnet(struct told *told, struct renaming *renaming,
                       struct network_row *network, struct subnet_row *subnet,
                       struct tx *tx)
{
	struct subnet_row was;
	bool is_there, is_other;

	if (!find_its_network(told, network, tx, subnet->network_id))
		return;
	is_there = store_subnet_lock(tx, subnet->id, &was);
	if (tx->err || store_subnet_is_gone(tx, subnet->id) ||
	    (is_there && !has_new_option(&was, subnet) &&
	     is_stale(subnet->revision, was.revision)))
		return;
	if (is_there && strcmp(was.network_id, subnet->network_id)) {
		tx_fail(tx, was.is_fed ? ERR_INVALID : ERR_RACE,
		        "subnet %.32s is of another network", subnet->id);
		return;
	}
	is_other = !is_there || !cidr_equal(&was.cidr, &subnet->cidr);
	if (is_other)
		warn_overlaps(network, subnet);
	told->has_changed = true;
	store_subnet_put(tx, subnet);
	if (is_other || was.is_published != subnet->is_published)
		publish_again(told, renaming, network, tx);
}

static enum err take_subnet(void *self, struct why *why)
{
	struct told *told = self;
	struct network_row network;
	struct subnet_row subnet;
	struct renaming renaming = { .ports = told->ports, .arena = told->arena,
	                             .network = &network };
	enum err err = neutron_subnet(told->json, &subnet, why);

	if (!err)
		err = precedence_subnet(told, &subnet, why);
	if (err)
		return err;

	struct tx tx = tx_begin(told->ports->runtime.db, why);
	subnet.is_published = subnet.is_flagged || ports_publishes_all(told->ports);
	put_subnet(told, &renaming, &network, &subnet, &tx);
	return renaming_commit(&renaming, &tx);
}

/* Its network first, as all do who change a subnet. */
static bool lock_subnet(struct told *told, struct network_row *network,
                        struct subnet_row *subnet, struct tx *tx)
{
	if (!store_subnet_read(tx, told->arena, told->id, subnet))
		return false;
	if (!store_network_lock(tx, told->arena, subnet->network_id, network))
		memcpy(network->id, subnet->network_id, sizeof(network->id));
	return store_subnet_lock(tx, told->id, subnet);
}

/* Remembered also if it was never heard of. */
static enum err end_subnet(void *self, struct why *why)
{
	struct told *told = self;
	struct network_row network;
	struct subnet_row subnet = { .is_fed = false };
	struct renaming renaming = { .ports = told->ports, .arena = told->arena,
	                             .network = &network };
	struct tx tx = tx_begin(told->ports->runtime.db, why);

	told->has_changed = true;
	if (lock_subnet(told, &network, &subnet, &tx)) {
		store_subnet_delete(&tx, told->id);
		publish_again(told, &renaming, &network, &tx);
	}
	if (!subnet.is_fed && !tx.err)
		store_subnet_never(&tx, told->id);
	return renaming_commit(&renaming, &tx);
}

/* ---- ports ---- */

static void find_network(struct writing *writing, struct tx *tx, const char *id)
{
	if (!store_network_share(tx, writing->arena, id, &writing->network) && !tx->err)
		put_unknown(&writing->network, tx, id);
}

static void tell_conflict(const struct writing *writing, const struct port_row *port,
                          const char *rival)
{
	json_t *payload = json_pack("{s:s, s:s, s:s, s:s}", "port", port->id, "network",
	                            port->network_id, "dns_name", port->dns_name,
	                            "taken_by", rival);
	struct why why;

	metric_add(figures.conflicts, 1);
	log_warn("name taken: network=%s port=%s name=%s by=%s", port->network_id,
	         port->id, port->dns_name, rival);
	if (rpc_notify(writing->ports->runtime.rpc, "dns.port.conflict", payload, &why))
		log_warn("notification not sent: reason=\"%s\"", why.text);
	json_decref(payload);
}

static void name_port(struct told *told, struct writing *writing, struct tx *tx,
                      struct port_row *port)
{
	struct why why;

	if (writing_name(&writing->network, port, LABELS_RFC1123, writing->arena, &why))
		log_warn("name left out: port=%s reason=\"%s\"", port->id, why.text);
	told->rival = writing_rival(writing, tx, port);
	if (!told->rival)
		return;
	store_port_name_lock(tx, told->rival, port->dns_fqdn);
	port->dns_fqdn = NULL;
}

/* WAS is newer than PORT, or gone. What a call made of the id is neither. */
static bool is_late(const struct told *told, const struct port_row *was,
                    const struct port_row *port)
{
	return was->is_fed && (told->is_hint || was->is_gone ||
	                       is_stale(port->revision, was->revision));
}

static void write_port(struct writing *writing, struct tx *tx, const struct port_row *port)
{
	if (!writing->is_there)
		store_port_insert(tx, port);
	else if (writing->was.is_fed)
		store_port_update(tx, port);
	else
		store_port_take(tx, port);
	writing->is_there &= !writing->was.is_gone;
	writing_records(writing, tx, port);
}

static void put_port(struct told *told, struct writing *writing, struct tx *tx,
                     struct port_row *port)
{
	writing_read(writing, tx, port->id);
	if (told->has_changed && writing->is_there)
		writing_note(writing, &writing->was);
	if (tx->err || (writing->is_there && is_late(told, &writing->was, port)) ||
	    store_network_is_gone(tx, port->network_id))
		return;
	told->has_changed = true;
	find_network(writing, tx, port->network_id);
	name_port(told, writing, tx, port);
	write_port(writing, tx, port);
}

static enum err take_port(void *self, struct why *why)
{
	struct told *told = self;
	struct writing writing = { .ports = told->ports, .arena = told->arena };
	struct port_row port;
	enum err err = told->of == NEUTRON_FLOATING
	               ? neutron_floating(told->json, told->arena, &port, why)
	               : neutron_port(told->json, told->arena, &port, why);

	if (err || neutron_is_of_floating(told->json))
		return err;
	err = precedence_port(told, &port, why);
	if (err)
		return err;

	struct tx tx = tx_begin(told->ports->runtime.db, why);
	told->rival = NULL;
	put_port(told, &writing, &tx, &port);
	if (tx.err == ERR_EXISTS)	/* its name came to another one just now */
		tx.err = ERR_RACE;
	err = writing_commit(&writing, &tx);
	if (!err && told->rival)
		tell_conflict(&writing, &port, told->rival);
	return err;
}

/* Remembered also if it was never heard of: what tells of it may come yet. */
static enum err end_port(void *self, struct why *why)
{
	struct told *told = self;
	struct writing writing = { .ports = told->ports, .arena = told->arena };
	struct tx tx = tx_begin(told->ports->runtime.db, why);

	writing_read(&writing, &tx, told->id);
	if (told->has_changed && writing.is_there)
		writing_note(&writing, &writing.was);
	if (writing.is_there && !writing.was.is_gone && !tx.err) {
		told->has_changed = true;
		writing_end(&writing, &tx);
	}
	if (!writing.was.is_fed && !tx.err)
		store_port_never(&tx, told->id);
	return writing_commit(&writing, &tx);
}

/* ---- of each kind ---- */

static const struct {
	enum err (*take)(void *self, struct why *why);
	enum err (*end)(void *self, struct why *why);
} kinds[] = {
	[NEUTRON_PORT]     = { take_port,    end_port    },
	[NEUTRON_NETWORK]  = { take_network, end_network },
	[NEUTRON_SUBNET]   = { take_subnet,  end_subnet  },
	[NEUTRON_FLOATING] = { take_port,    end_port    },
};

enum err tell(struct told *told, struct why *why)
{
	return tx_retry_on_loop(kinds[told->of].take, told, why);
}

enum err tell_gone(struct told *told, struct why *why)
{
	return tx_retry_on_loop(kinds[told->of].end, told, why);
}
