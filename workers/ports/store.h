/*
 * store -- reads and writes the tables of networks, subnets, ports and their records.
 * Only zonefleet-ports writes these tables.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/id.h"
#include "consistency/election.h"
#include "core/port_records.h"
#include "core/revisions.h"
#include "core/subnets.h"
#include "runtime/tx.h"

/* ---- networks ---- */

struct network_row {
	char id[ID_LEN + 1];
	const char *project_id;
	/* domain of the network; "": the ports have no names */
	const char *domain_text;
	struct name domain;		/* domain_text as a name; len 0: no domain */
	/* revision in Neutron (neutron_revision()); 0: unknown */
	uint64_t revision;
	/* the network has the default domain (ports.domain) */
	bool is_default;
	bool is_fed;			/* the network comes from Neutron */
	/* subnets of the network; set only if the network was read by its id */
	struct subnets subnets;
};

/*
 * Reads the network and locks its row. Until the transaction ends, no other transaction
 * changes the network, its subnets or its ports.
 */
bool store_network_lock(struct tx *tx, struct arena *arena, const char *id,
                        struct network_row *network);
/*
 * Reads the network and locks its row in share mode. Call it before a change of a port.
 */
bool store_network_share(struct tx *tx, struct arena *arena, const char *id,
                         struct network_row *network);
bool store_network_read(struct tx *tx, struct arena *arena, const char *id,
                        struct network_row *network);
/* True: Neutron has deleted the network, and the tombstone of the network exists. */
bool store_network_is_gone(struct tx *tx, const char *id);
/*
 * Returns the tenant of a deleted network. NULL: the network is unknown or not deleted.
 */
const char *store_network_gone_project(struct tx *tx, struct arena *arena,
                                       const char *id);
/* True: a call created a network with this id for another tenant. */
bool store_network_conflicts(struct tx *tx, const struct network_row *network);
void store_network_put(struct tx *tx, const struct network_row *network);
/*
 * Inserts a network of Neutron whose message has not arrived. The row has no tenant and
 * no domain.
 */
void store_network_put_unknown(struct tx *tx, const char *id,
                               struct network_row *network);
/* Deletes the ports and subnets of the network that calls created. */
void store_network_clear(struct tx *tx, const char *id);
/* True: the network has ports. */
bool store_network_is_used(struct tx *tx, const char *id);
/* Deletes the network and its subnets. */
void store_network_delete(struct tx *tx, const char *id);
/*
 * Reads at most LIMIT networks of PROJECT_ID (NULL: of all tenants) with ids after
 * MARKER, sorted by id.
 */
void store_networks(struct tx *tx, struct arena *arena, const char *project_id,
                    const char *marker, int limit,
                    void (*each)(void *self, const struct network_row *network),
                    void *self);

/* ---- subnets: lock the network before changing a subnet ---- */

struct subnet_row {
	char id[ID_LEN + 1], network_id[ID_LEN + 1];
	/*
	 * values of the network. Only store_subnet_read() and store_subnets() set these
	 * members.
	 */
	const char *project_id, *domain_text;
	struct prefix cidr;
	bool is_published;		/* addresses in the subnet have records */
	/* value of dns_publish_fixed_ip of the subnet in Neutron */
	bool is_flagged;
	bool is_fed;			/* the subnet comes from Neutron */
	/* revision of the subnet in Neutron; 0: unknown */
	uint64_t revision;
};

bool store_subnet_lock(struct tx *tx, const char *id, struct subnet_row *subnet);
bool store_subnet_read(struct tx *tx, struct arena *arena, const char *id,
                       struct subnet_row *subnet);
/* True: a call created a subnet with this id in another network. */
bool store_subnet_conflicts(struct tx *tx, const struct subnet_row *subnet);
/* True: Neutron has deleted the subnet, and the tombstone of the subnet exists. */
bool store_subnet_is_gone(struct tx *tx, const char *id);
/*
 * Reads the network of a deleted subnet, even if a call created the subnet. False: the
 * subnet is unknown or not deleted.
 */
bool store_subnet_gone_network(struct tx *tx, const char *id,
                               char network_id[ID_LEN + 1]);
void store_subnet_put(struct tx *tx, const struct subnet_row *subnet);
void store_subnet_delete(struct tx *tx, const char *id);
/* Inserts a tombstone for a deleted subnet of Neutron that has no row yet. */
void store_subnet_put_tombstone(struct tx *tx, const char *id);
struct port_filter;
/* Reads subnets, sorted by id. filter->project_id is the tenant of the network. */
void store_subnets(struct tx *tx, struct arena *arena, const struct port_filter *filter,
                   void (*each)(void *self, const struct subnet_row *subnet), void *self);

/* ---- ports ---- */

struct port_row {
	char id[ID_LEN + 1], network_id[ID_LEN + 1];
	const char *project_id;
	/* values of the port; NULL: no such value */
	const char *dns_name, *dns_fqdn, *mac;
	/* the port's own domain; NULL: the port uses the domain of the network */
	const char *dns_domain;
	uint64_t revision;
	/* is_fed: the port comes from Neutron. is_floating: the port is a floating IP. */
	bool is_fed, is_floating;
	bool is_gone;
	struct address *addresses;
	size_t count;
	/* status of the records: "ACTIVE", "PENDING" or "ERROR" */
	const char *status;
	const char *reason;		/* reason of ERROR or PENDING; NULL: no reason */
};

/* Reads a port with its addresses, even if the port is deleted. */
bool store_port_read(struct tx *tx, struct arena *arena, const char *id,
                     struct port_row *port);
/*
 * Inserts a port with its addresses. ERR_EXISTS: another port has the same id, or another
 * port of the network has the same dns_fqdn.
 */
void store_port_insert(struct tx *tx, const struct port_row *port);
void store_port_update(struct tx *tx, const struct port_row *port);
/*
 * Writes the fully qualified names of all ports of a network. Two ports may exchange
 * their names. A port that is not in PORTS loses its name.
 */
void store_ports_rename(struct tx *tx, const char *network_id,
                        const struct port_row *ports, size_t count);
/* Deletes the port, frees its name and leaves a tombstone. */
void store_port_delete(struct tx *tx, const char *id);
/* Like store_port_delete(), but for all ports of the network. */
void store_ports_delete(struct tx *tx, const char *network_id);
/* True: a call created a port with this id in another network or tenant. */
bool store_port_conflicts(struct tx *tx, const struct port_row *port);
/*
 * Like store_port_update(), but for a port that a call created or that is deleted. Also
 * writes the network and the tenant. After this call, the port belongs to Neutron.
 */
void store_port_take_over(struct tx *tx, const struct port_row *port);
/* Inserts a tombstone for a deleted port of Neutron that has no row yet. */
void store_port_put_tombstone(struct tx *tx, const char *id);
/*
 * Deletes tombstones that are older than a day. Keeps the tombstones of ports that still
 * have rows of records, and of networks that still have rows of ports.
 */
void store_ports_sweep(struct tx *tx);
/*
 * Returns the id of the network's port with this fully qualified name. NULL: no port has
 * this name.
 */
const char *store_port_find_fqdn(struct tx *tx, struct arena *arena,
                                 const char *network_id, const char *fqdn);
/*
 * Locks the name of port ID until the transaction ends. ERR_RACE: the port no longer has
 * the name.
 */
void store_port_name_lock(struct tx *tx, const char *id, const char *fqdn);
/*
 * Reads and locks at most 16 ports of a network that have no fully qualified name and
 * whose dns_name is FQDN or RELATIVE.
 */
void store_ports_awaiting_name(struct tx *tx, struct arena *arena, const char *network_id,
                               const char *fqdn, const char *relative,
                               void (*each)(void *self, const struct port_row *port),
                               void *self);
struct port_filter {
	const char *project_id, *network_id;	/* NULL: all tenants, all networks */
	/* fully qualified name of the port; NULL: any name */
	const char *dns_fqdn;
	const char *marker;		/* reads only rows with ids after this id */
	int limit;
};
/* Reads the ports that are not deleted. */
void store_ports(struct tx *tx, struct arena *arena, const struct port_filter *filter,
                 void (*each)(void *self, const struct port_row *port), void *self);

/* ---- records of ports ---- */

struct record_row {
	const char *port_id, *project_id;
	const char *zone, *name, *data;
	uint16_t type;
	enum { RECORD_ADD, RECORD_HAVE, RECORD_DROP, RECORD_REFUSED } state;
	uint64_t seq;			/* each change of the row raises this number */
	/* for RECORD_DROP: another port needs an equal record */
	bool is_shared;
	/* made_for of the domain (struct zone_key), only for desired records */
	const char *made_for;
};

/* Reads the records of a port, or of all ports of a network if PORT_ID is NULL. */
void store_records(struct tx *tx, struct arena *arena, const char *network_id,
                   const char *port_id,
                   void (*each)(void *self, const struct record_row *row), void *self);
/*
 * The progress of the records of a port or network in one domain. Records of deleted
 * ports also count.
 */
struct published_row {
	const char *zone;
	/* number of open records, and number of refused records */
	int64_t open, refused;
	/*
	 * reason of a refused record. If there is no refused record: reason of an open
	 * record. "": no reason
	 */
	const char *reason;
	/*
	 * port of a refused record. If there is no refused record: port of an open
	 * record.
	 */
	const char *port_id;
};
/*
 * Reads at most LIMIT domains in which the port or network has open or refused records.
 */
void store_published(struct tx *tx, struct arena *arena, const char *network_id,
                     const char *port_id, int limit,
                     void (*each)(void *self, const struct published_row *row),
                     void *self);
/* Reads at most LIMIT domains of the records of a port or network. */
void store_published_zones(struct tx *tx, struct arena *arena, const char *network_id,
                           const char *port_id, int limit,
                           void (*each)(void *self, const char *zone), void *self);
/* Inserts ROWS. If a row exists, sets its state and raises its seq. */
void store_records_put(struct tx *tx, const struct record_row *rows, size_t count);

/* ---- comparisons with Neutron ---- */

struct comparison_row {
	int ended;			/* number of finished rounds */
	int looked_at, differing, repaired;	/* numbers of objects in the last round */
	/* reason why the last round did not repair all objects; "": no reason */
	const char *reason;
};

/* Makes the next round due within MS milliseconds. If FEED has no row, inserts a row. */
void store_comparison_due(struct tx *tx, const char *feed, int ms);
/*
 * True: a round is due. In this case, the caller must start the round, and the next round
 * is due after PERIOD_MS.
 */
bool store_comparison_claim(struct tx *tx, const char *feed, int period_ms);
/* Writes the result of a round and raises `ended`. */
void store_comparison_put(struct tx *tx, const char *feed,
                          const struct comparison_row *row);
/*
 * Reads the result of the last round. False: FEED has no row, because no round is planned
 * yet.
 */
bool store_comparison_read(struct tx *tx, struct arena *arena, const char *feed,
                           struct comparison_row *row);
/*
 * Reads Neutron's networks, with tombstones. DOMAIN is ports.domain. If a network has no
 * domain, or has a default domain that is not DOMAIN, the function sets the revision to
 * 0. So the comparison reads the network again. If the network has no domain and DOMAIN
 * is "", the function does not change the revision.
 */
void store_network_revisions(struct tx *tx, const char *domain,
                             void (*each)(void *self, const struct revision *revision),
                             void *self);
/*
 * Reads Neutron's subnets, with tombstones. ALL: is_published of every subnet must be
 * true. Otherwise, is_published must be equal to is_flagged. If is_published of a subnet
 * is wrong, the function sets the revision to 0.
 */
void store_subnet_revisions(struct tx *tx, bool all,
                            void (*each)(void *self, const struct revision *revision),
                            void *self);
/* Reads Neutron's ports and floating IPs in a network, with tombstones. */
void store_port_revisions(struct tx *tx, const char *network_id,
                          void (*each)(void *self, const struct revision *revision,
                                       bool is_floating), void *self);

/* ---- domains of records ---- */

struct zone_key {
	const char *zone, *project_id;
	/* tenant of the port, only for a reverse domain */
	const char *made_for;
	/*
	 * store_zones_find_claims() sets the following three members for a reverse domain
	 * that a port needs.
	 */
	/* revision of the row of the domain; 0: there is no row */
	uint64_t rev;
	/* the domain starts to count for the tenant made_for */
	bool is_claimed;
	bool is_new;			/* central must create the domain */
};

struct zone_row {
	uint64_t rev;
	uint32_t failures;
	bool is_due;
	/* id of the domain, if zonefleet-ports created the domain, or "" */
	char made_id[ID_LEN + 1];
	/* id of the domain at the last change or check, or "" */
	char domain_id[ID_LEN + 1];
	/*
	 * Other programs have changed the domain, so published records are possibly
	 * missing.
	 */
	bool is_suspect;
};

/*
 * Finds the reverse domains that count for no tenant yet. Call it before the write of the
 * records. A reverse domain counts for no tenant if no port has a record in the domain,
 * zonefleet-ports has not created the domain, and zonefleet-ports is not creating the
 * domain.
 */
void store_zones_find_claims(struct tx *tx, struct zone_key *zones, size_t count);
/*
 * Makes domains due. If is_claimed of a reverse domain is true, the domain counts for the
 * tenant made_for after this call. ERR_RACE: another transaction has changed such a
 * reverse domain at the same time.
 */
void store_zones_changed(struct tx *tx, const struct zone_key *zones, size_t count);
void store_zones_due(struct tx *tx, struct arena *arena,
                     void (*each)(void *self, const struct zone_key *zone), void *self);
bool store_zone_read(struct tx *tx, const struct zone_key *zone, struct zone_row *row);
/*
 * True: a port has a record in the domain, or central has not deleted an old record yet.
 */
bool store_zone_is_used(struct tx *tx, const struct zone_key *zone);
struct watched_zone {
	/* domain_id: id of the domain in central; "": not known yet */
	const char *zone, *domain_id;
};
/*
 * Reads at most LIMIT domains of the share that have published records, are not due now
 * or later, and were not checked for PERIOD_MS. The domains are sorted by the time of the
 * last check, the oldest check first.
 */
void store_zones_watched(struct tx *tx, struct arena *arena, const struct share *share,
                         int period_ms, int limit,
                         void (*each)(void *self, const struct watched_zone *zone),
                         void *self);
/*
 * Sets the time of the last check to now, so zonefleet-ports checks all other domains
 * first. Call it if the check of the domain has failed.
 */
void store_zone_put_last(struct tx *tx, const char *zone);
/*
 * Makes rows of the domain suspect and due, if central has possibly lost published
 * records of the row. Each row contains the version of the domain at which central had
 * all published records of the row. The function compares this version with VERSION, the
 * current version of the domain in central. If the versions differ and the row has
 * published records, the row becomes suspect. Returns the number of rows that the
 * function has made suspect.
 */
int64_t store_zone_suspect(struct tx *tx, const char *zone, uint64_t version);
/*
 * Writes VERSION to those rows of the domain that contain VERSION - 1. Call it after a
 * change of zonefleet-ports that has raised the version of the domain to VERSION.
 */
void store_zone_seen(struct tx *tx, const char *zone, uint64_t version);
/*
 * Reads at most LIMIT published records after AFTER, in the order of name, type and data.
 */
void store_zone_published(struct tx *tx, struct arena *arena, const struct zone_key *zone,
                          const struct record_row *after, size_t limit,
                          void (*each)(void *self, const struct record_row *row),
                          void *self);
/*
 * Writes VERSION to the row and clears is_suspect. Call it if central had all published
 * records of the row at VERSION. VERSION 0: the version is unknown, so the next check
 * makes the row suspect again.
 */
void store_zone_checked(struct tx *tx, const struct zone_key *zone, uint64_t version);
/*
 * Writes DOMAIN_ID and the time of the check. DOMAIN_ID is the id of the domain in
 * central. "": central has no such domain. Call it after a check, or after a change that
 * a new domain has accepted.
 */
void store_zone_known(struct tx *tx, const char *zone, const char *domain_id);
/* Writes ID to made_id. ID "": zonefleet-ports did not create the domain. */
void store_zone_made(struct tx *tx, const struct zone_key *zone, const char *id);
/*
 * Deletes rows without records whose domain was not checked for a day. Keeps rows that
 * are due now or later, and rows with a made_id.
 */
void store_zones_sweep(struct tx *tx);
struct zone_quota {
	const char *project_id;
	/* number of new reverse domains that a change needs */
	int64_t needed;
	int64_t max;			/* maximum of `count`; -1: no limit */
	/* revision of the row of the tenant; 0: there is no row */
	uint64_t rev;
	/* number of reverse domains that count for the tenant */
	int64_t count;
};
/* Sets `max` for tenants that have their own quota of domains in central. */
void store_quotas_read(struct tx *tx, struct zone_quota *quotas, size_t count);
/*
 * Locks the numbers of the tenants' reverse domains. Until this transaction ends, no
 * other transaction can give these tenants a reverse domain. ERR_RACE: another
 * transaction has changed one of these numbers since the first read of this transaction.
 * Sets rev and count. The count includes the existing domains that zonefleet-ports
 * created. The count also includes the domains that a port needs and that zonefleet-ports
 * has not created yet.
 */
void store_quotas_lock(struct tx *tx, struct zone_quota *quotas, size_t count);
/* Makes each reverse domain due that zonefleet-ports created and that has no records. */
void store_zones_unused_due(struct tx *tx);
/*
 * Makes the published records of the row open, and deletes the rows of dropped records.
 * Call it if the domain does not exist.
 */
void store_zone_lost(struct tx *tx, const struct zone_key *zone);
/*
 * Makes the published records of all tenants in the domain open, and makes the rows of
 * the domain with such records due. Keeps the rows of dropped records. Call it if the
 * domain does not exist.
 */
void store_zone_lost_all(struct tx *tx, const struct zone_key *zone);
/* Reads at most LIMIT records in STATE (RECORD_ADD or RECORD_DROP), sorted by name. */
void store_zone_open(struct tx *tx, struct arena *arena, const struct zone_key *zone,
                     int state, size_t limit,
                     void (*each)(void *self, const struct record_row *row), void *self);
/*
 * Sets added rows to published, and deletes dropped rows. Rows that have changed since
 * the caller read them stay open. Call it if central has accepted ROWS.
 */
void store_zone_done(struct tx *tx, const struct zone_key *zone,
                     const struct record_row *rows, size_t count);
void store_zone_refused(struct tx *tx, const struct record_row *row, const char *reason);
/* Makes all refused records open again, and their domains due. */
void store_records_retry_refused(struct tx *tx);
/*
 * Makes the domain no longer due, and clears its failures. If the row of the domain has a
 * newer revision than REV, the domain stays due. Call it if central has accepted all
 * records that were open at revision REV.
 */
void store_zone_settled(struct tx *tx, const struct zone_key *zone, uint64_t rev);
void store_zone_failed(struct tx *tx, const struct zone_key *zone, const char *reason,
                       int64_t next_ms);
