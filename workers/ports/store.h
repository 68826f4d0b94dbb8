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
	const char *domain_text;	/* "": the ports have no names */
	struct name domain;		/* domain_text as a name; len 0: no domain */
	/* revision in Neutron (neutron_revision()); 0: unknown */
	uint64_t revision;
	bool is_default;		/* the domain is ports.domain */
	bool is_fed;			/* the network is Neutron's */
	struct subnets subnets;		/* only set if the network was read by its id */
};

/* Locks the row against changes of the network, its subnets and its ports. */
bool store_network_lock(struct tx *tx, struct arena *arena, const char *id,
                        struct network_row *network);
/* Locks the row in share mode, for a change of a port. */
bool store_network_share(struct tx *tx, struct arena *arena, const char *id,
                         struct network_row *network);
bool store_network_read(struct tx *tx, struct arena *arena, const char *id,
                        struct network_row *network);
/* True: Neutron has deleted the network; its tombstone exists. */
bool store_network_is_gone(struct tx *tx, const char *id);
/* The tenant of a deleted network; NULL: the network is not deleted, or unknown. */
const char *store_network_gone_project(struct tx *tx, struct arena *arena, const char *id);
/* True: a call created a network with this id for another tenant. */
bool store_network_conflicts(struct tx *tx, const struct network_row *network);
void store_network_put(struct tx *tx, const struct network_row *network);
/*
 * Inserts a network of Neutron whose message has not arrived. The row has no tenant and
 * no domain.
 */
void store_network_put_unknown(struct tx *tx, const char *id,
                               struct network_row *network);
/* Deletes the ports and subnets that calls created in the network. */
void store_network_clear(struct tx *tx, const char *id);
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
	/* values of the network; only set if read with the network */
	const char *project_id, *domain_text;
	struct prefix cidr;
	bool is_published;		/* its addresses have records */
	/* dns_publish_fixed_ip of the subnet in Neutron */
	bool is_flagged;
	bool is_fed;			/* the subnet is Neutron's */
	uint64_t revision;		/* as in struct network_row */
};

bool store_subnet_lock(struct tx *tx, const char *id, struct subnet_row *subnet);
bool store_subnet_read(struct tx *tx, struct arena *arena, const char *id,
                       struct subnet_row *subnet);
/* True: a call created a subnet with this id in another network. */
bool store_subnet_conflicts(struct tx *tx, const struct subnet_row *subnet);
/* True: Neutron has deleted the subnet; its tombstone exists. */
bool store_subnet_is_gone(struct tx *tx, const char *id);
/*
 * Reads the network of a deleted subnet. A call or Neutron may have created the subnet.
 */
bool store_subnet_gone_network(struct tx *tx, const char *id,
                               char network_id[ID_LEN + 1]);
void store_subnet_put(struct tx *tx, const struct subnet_row *subnet);
void store_subnet_delete(struct tx *tx, const char *id);
/* Inserts a tombstone: Neutron has deleted a subnet that is unknown here. */
void store_subnet_put_tombstone(struct tx *tx, const char *id);
struct port_filter;
/* Reads subnets, sorted by id. The tenant in FILTER is the tenant of the network. */
void store_subnets(struct tx *tx, struct arena *arena, const struct port_filter *filter,
                   void (*each)(void *self, const struct subnet_row *subnet), void *self);

/* ---- ports ---- */

struct port_row {
	char id[ID_LEN + 1], network_id[ID_LEN + 1];
	const char *project_id;
	const char *dns_name, *dns_fqdn, *mac;	/* NULL: not set */
	/* domain of the port itself; NULL: the network's domain applies */
	const char *dns_domain;
	uint64_t revision;
	bool is_fed, is_floating;	/* the port is Neutron's; it is a floating IP */
	bool is_gone;
	struct address *addresses;
	size_t count;
	/* status of its records: "ACTIVE", "PENDING", "ERROR" */
	const char *status;
	const char *reason;		/* for ERROR or PENDING; else NULL */
};

/* Reads a port with its addresses, even if it is deleted. */
bool store_port_read(struct tx *tx, struct arena *arena, const char *id,
                     struct port_row *port);
/*
 * Inserts a port with its addresses. ERR_EXISTS: another port of the network has the same
 * dns_fqdn.
 */
void store_port_insert(struct tx *tx, const struct port_row *port);
void store_port_update(struct tx *tx, const struct port_row *port);
/*
 * Writes the fully qualified names of all ports of a network. Ports may exchange their
 * names.
 */
void store_ports_rename(struct tx *tx, const char *network_id,
                        const struct port_row *ports, size_t count);
/* Deletes the port, frees its name and leaves a tombstone. */
void store_port_delete(struct tx *tx, const char *id);
void store_ports_delete(struct tx *tx, const char *network_id);
/* True: a call created a port with this id in another network or tenant. */
bool store_port_conflicts(struct tx *tx, const struct port_row *port);
/*
 * store_port_update() for a port that a call created, or a deleted port. The port then
 * belongs to Neutron.
 */
void store_port_take_over(struct tx *tx, const struct port_row *port);
/* Inserts a tombstone: Neutron has deleted a port that is unknown here. */
void store_port_put_tombstone(struct tx *tx, const char *id);
/*
 * Deletes old tombstones of ports without records, of subnets, and of networks without
 * ports.
 */
void store_ports_sweep(struct tx *tx);
/*
 * The id of the network's port with this fully qualified name; NULL: no port has this
 * name.
 */
const char *store_port_find_fqdn(struct tx *tx, struct arena *arena,
                                 const char *network_id, const char *fqdn);
/*
 * Locks the name of port ID until the transaction ends. ERR_RACE: the port no longer has
 * the name.
 */
void store_port_name_lock(struct tx *tx, const char *id, const char *fqdn);
/*
 * Locks ports of a network that have no fully qualified name and wait for one of these
 * names.
 */
void store_ports_awaiting_name(struct tx *tx, struct arena *arena, const char *network_id,
                               const char *fqdn, const char *relative,
                               void (*each)(void *self, const struct port_row *port),
                               void *self);
struct port_filter {
	const char *project_id, *network_id;	/* NULL: all */
	const char *dns_fqdn;			/* NULL: any name */
	const char *marker;			/* only ids after this id */
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
	uint64_t seq;
	/* for RECORD_DROP: another port has an equal record */
	bool is_shared;
	const char *made_for;		/* of a desired record: as in struct zone_key */
};

/* Reads the records of a port, or of all ports of a network if PORT_ID is NULL. */
void store_records(struct tx *tx, struct arena *arena, const char *network_id,
                   const char *port_id,
                   void (*each)(void *self, const struct record_row *row), void *self);
/* The progress of the records of a port or network, including deleted ports. */
struct published_row {
	int64_t open, refused;		/* numbers of records */
	/* why central refused records, or why they are open; "": no reason */
	const char *reason;
};
void store_published(struct tx *tx, struct arena *arena, const char *network_id,
                     const char *port_id, struct published_row *row);
/* Reads at most LIMIT domains of these records. */
void store_published_zones(struct tx *tx, struct arena *arena, const char *network_id,
                           const char *port_id, int limit,
                           void (*each)(void *self, const char *zone), void *self);
/* Sets the states of the rows and raises their seq. */
void store_records_put(struct tx *tx, const struct record_row *rows, size_t count);

/* ---- comparisons with Neutron ---- */

struct comparison_row {
	int ended;			/* number of finished rounds */
	int looked_at, differing, repaired;	/* counts of the last round */
	const char *reason;		/* why the round is incomplete; otherwise "" */
};

/* Makes the next round due in at most MS. Inserts the row if it is missing. */
void store_comparison_due(struct tx *tx, const char *feed, int ms);
/*
 * True: a round is due, and the caller must make it. The next round is then due in
 * PERIOD_MS.
 */
bool store_comparison_claim(struct tx *tx, const char *feed, int period_ms);
void store_comparison_put(struct tx *tx, const char *feed,
                          const struct comparison_row *row);
/* False: no round has been due yet. */
bool store_comparison_read(struct tx *tx, struct arena *arena, const char *feed,
                           struct comparison_row *row);
/*
 * Reads Neutron's networks, with tombstones. DOMAIN is ports.domain. If a network still
 * has an older default domain, its revision is 0, so it differs.
 */
void store_network_revisions(struct tx *tx, const char *domain,
                             void (*each)(void *self, const struct revision *revision),
                             void *self);
/*
 * Reads Neutron's subnets. ALL: zonefleet-ports publishes all subnets. Otherwise the
 * flag of each subnet decides.
 */
void store_subnet_revisions(struct tx *tx, bool all,
                            void (*each)(void *self, const struct revision *revision),
                            void *self);
/* Reads Neutron's ports and floating IPs in a network. */
void store_port_revisions(struct tx *tx, const char *network_id,
                          void (*each)(void *self, const struct revision *revision,
                                       bool is_floating), void *self);

/* ---- domains of records ---- */

struct zone_key {
	const char *zone, *project_id;
	const char *made_for;		/* for a reverse domain: the tenant of the port */
	/* for a reverse domain that a port needs; set by store_zones_find_claims(): */
	/* revision of the row of the domain; 0: there is no row */
	uint64_t rev;
	bool is_claimed;		/* the domain now counts for MADE_FOR */
	bool is_new;			/* central must create it */
};

struct zone_row {
	uint64_t rev;
	uint32_t failures;
	bool is_due;
	/* id of the domain, if this program created it; or "" */
	char made_id[ID_LEN + 1];
	/* id of the domain at the last change or check; or "" */
	char domain_id[ID_LEN + 1];
	/* other programs have changed the domain: published records may be missing */
	bool is_suspect;
};

/*
 * Finds the reverse domains that count for no tenant yet. Call it before the change. A
 * reverse domain counts for no tenant if no port has a record in it and central has no
 * such domain that zonefleet-ports created.
 */
void store_zones_find_claims(struct tx *tx, struct zone_key *zones, size_t count);
/*
 * Makes domains due. ERR_RACE: another transaction changed a domain that this transaction
 * claims.
 */
void store_zones_changed(struct tx *tx, const struct zone_key *zones, size_t count);
void store_zones_due(struct tx *tx, struct arena *arena,
                     void (*each)(void *self, const struct zone_key *zone), void *self);
bool store_zone_read(struct tx *tx, const struct zone_key *zone, struct zone_row *row);
/* True: a port has a record in the domain, or central still has a dropped record. */
bool store_zone_is_used(struct tx *tx, const struct zone_key *zone);
struct watched_zone {
	const char *zone, *domain_id;	/* "": not known yet */
};
/*
 * Reads at most LIMIT domains of the share that were not checked for PERIOD_MS, have
 * published records, and have no open records. The domain whose last check is the oldest
 * comes first.
 */
void store_zones_watched(struct tx *tx, struct arena *arena, const struct share *share,
                         int period_ms, int limit,
                         void (*each)(void *self, const struct watched_zone *zone),
                         void *self);
/* The check of the domain has failed: its next check comes after those of the others. */
void store_zone_put_last(struct tx *tx, const char *zone);
/*
 * The domain has VERSION in central. Marks a row as suspect and due if central had its
 * published records at another version. Returns the number of these rows.
 */
int64_t store_zone_suspect(struct tx *tx, const char *zone, uint64_t version);
/* A change of zonefleet-ports has raised the version by one, to VERSION. */
void store_zone_seen(struct tx *tx, const char *zone, uint64_t version);
/*
 * Reads at most LIMIT published records that follow AFTER, by name, type and data.
 */
void store_zone_published(struct tx *tx, struct arena *arena, const struct zone_key *zone,
                          const struct record_row *after, size_t limit,
                          void (*each)(void *self, const struct record_row *row),
                          void *self);
/*
 * The row is no longer suspect: central had all its published records at VERSION. 0: the
 * next check makes the row suspect again.
 */
void store_zone_checked(struct tx *tx, const struct zone_key *zone, uint64_t version);
/*
 * Call it after a check. DOMAIN_ID is the id in central; "": central has no such domain.
 */
void store_zone_known(struct tx *tx, const char *zone, const char *domain_id);
/* Sets made_id; "": this program did not create the domain. */
void store_zone_made(struct tx *tx, const struct zone_key *zone, const char *id);
/* Deletes rows of domains that have had no records for a day. */
void store_zones_sweep(struct tx *tx);
struct zone_quota {
	const char *project_id;
	/* number of new reverse domains that a change needs */
	int64_t needed;
	int64_t max;			/* -1: no limit */
	uint64_t rev;			/* revision of the row; 0: there is no row */
	/* number of reverse domains that count for the tenant */
	int64_t count;
};
/* Sets max for tenants that have their own quota of domains in central. */
void store_quotas_read(struct tx *tx, struct zone_quota *quotas, size_t count);
/*
 * Locks the numbers of the tenants' reverse domains. Until this transaction ends, no
 * other transaction can give these tenants a reverse domain. ERR_RACE: another
 * transaction did so after the first read of this transaction. Sets rev and count. The
 * count includes the existing domains that zonefleet-ports created, and the domains that
 * it must create because a port needs them.
 */
void store_quotas_lock(struct tx *tx, struct zone_quota *quotas, size_t count);
/* Makes reverse domains due that this program created and that no longer have records. */
void store_zones_unused_due(struct tx *tx);
/*
 * Call it if the domain does not exist. Opens its desired records and deletes the rows of
 * dropped records.
 */
void store_zone_lost(struct tx *tx, const struct zone_key *zone);
/* Opens the desired records of all tenants. Keeps the rows of dropped records. */
void store_zone_lost_all(struct tx *tx, const struct zone_key *zone);
/* Reads at most LIMIT records in STATE (RECORD_ADD or RECORD_DROP), sorted by name. */
void store_zone_open(struct tx *tx, struct arena *arena, const struct zone_key *zone,
                     int state, size_t limit,
                     void (*each)(void *self, const struct record_row *row), void *self);
/*
 * Call it if central has accepted ROWS. Rows that have changed since then stay open.
 * Deletes dropped rows.
 */
void store_zone_done(struct tx *tx, const struct zone_key *zone,
                     const struct record_row *rows, size_t count);
void store_zone_refused(struct tx *tx, const struct record_row *row, const char *reason);
/* Opens all refused records again. */
void store_records_retry_refused(struct tx *tx);
/*
 * Call it if central has accepted all records that were open at REV. If the row of the
 * domain has changed since then, the domain stays due.
 */
void store_zone_settled(struct tx *tx, const struct zone_key *zone, uint64_t rev);
void store_zone_failed(struct tx *tx, const struct zone_key *zone, const char *reason,
                       int64_t next_ms);
