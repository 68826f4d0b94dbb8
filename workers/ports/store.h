/*
 * store -- the rows of ports: networks, subnets, ports, what each port has in DNS. They
 * are written by nobody else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/id.h"
#include "core/port_records.h"
#include "core/revisions.h"
#include "core/subnets.h"
#include "runtime/tx.h"

/* ---- networks ---- */

struct network_row {
	char id[ID_LEN + 1];
	const char *project_id;
	const char *domain_text;	/* "": its ports have no names */
	struct name domain;		/* len 0: the same */
	uint64_t revision;		/* its source's: neutron.h; 0: none */
	bool is_default;		/* its domain is that of all who have none */
	bool is_fed;			/* Neutron's */
	struct subnets subnets;		/* of one that was read by its id */
};

/* Locks the row: whoever changes a port or a subnet of it, or it itself, comes after. */
bool store_network_lock(struct tx *tx, struct arena *arena, const char *id,
                        struct network_row *network);
/* For who changes a port of it: others may, too. */
bool store_network_share(struct tx *tx, struct arena *arena, const char *id,
                         struct network_row *network);
bool store_network_read(struct tx *tx, struct arena *arena, const char *id,
                        struct network_row *network);
/* Neutron told its end, and that is remembered. */
bool store_network_is_gone(struct tx *tx, const char *id);
/* The project that such a network was of; NULL: it is not gone, or was never there. */
const char *store_network_gone_project(struct tx *tx, struct arena *arena, const char *id);
/* A network of that id that a call made, of another project. */
bool store_network_conflicts(struct tx *tx, const struct network_row *network);
void store_network_put(struct tx *tx, const struct network_row *network);
/* A network of Neutron whose data has not arrived: without project and domain. */
void store_network_put_unknown(struct tx *tx, const char *id,
                               struct network_row *network);
/* Deletes the ports and subnets that calls made in it. */
void store_network_clear(struct tx *tx, const char *id);
/* Has it ports? */
bool store_network_is_used(struct tx *tx, const char *id);
/* Its subnets go with it. */
void store_network_delete(struct tx *tx, const char *id);
/* Of PROJECT_ID (NULL: of all), by id, from the one after MARKER on, at most LIMIT. */
void store_networks(struct tx *tx, struct arena *arena, const char *project_id,
                    const char *marker, int limit,
                    void (*each)(void *self, const struct network_row *network),
                    void *self);

/* ---- subnets; whoever changes one has its network locked ---- */

struct subnet_row {
	char id[ID_LEN + 1], network_id[ID_LEN + 1];
	const char *project_id, *domain_text;	/* its network's, if it was not locked */
	struct prefix cidr;
	bool is_published;		/* its addresses have records */
	bool is_flagged;		/* its source's own dns_publish_fixed_ip */
	bool is_fed;			/* Neutron's */
	uint64_t revision;		/* as a network's */
};

bool store_subnet_lock(struct tx *tx, const char *id, struct subnet_row *subnet);
bool store_subnet_read(struct tx *tx, struct arena *arena, const char *id,
                       struct subnet_row *subnet);
/* A subnet of that id that a call made, in another network. */
bool store_subnet_conflicts(struct tx *tx, const struct subnet_row *subnet);
/* Neutron told its end, and that is remembered. */
bool store_subnet_is_gone(struct tx *tx, const char *id);
/* The same, and of which network it was. */
bool store_subnet_gone_network(struct tx *tx, const char *id,
                               char network_id[ID_LEN + 1]);
void store_subnet_put(struct tx *tx, const struct subnet_row *subnet);
void store_subnet_delete(struct tx *tx, const char *id);
/* It is gone by Neutron's word, and Neutron did not tell of it before. */
void store_subnet_put_tombstone(struct tx *tx, const char *id);
struct port_filter;
/* Of networks of its project, by id. */
void store_subnets(struct tx *tx, struct arena *arena, const struct port_filter *filter,
                   void (*each)(void *self, const struct subnet_row *subnet), void *self);

/* ---- ports ---- */

struct port_row {
	char id[ID_LEN + 1], network_id[ID_LEN + 1];
	const char *project_id;
	const char *dns_name, *dns_fqdn, *mac;	/* NULL: none */
	const char *dns_domain;		/* its own; NULL: the network's is its */
	uint64_t revision;
	bool is_fed, is_floating;	/* Neutron's; one of its floating IPs */
	bool is_gone;
	struct address *addresses;
	size_t count;
	const char *status;		/* of its records: "ACTIVE", "PENDING", "ERROR" */
	const char *reason;		/* of ERROR, or why it is PENDING still; else NULL */
};

/* With its addresses. Also one that is gone. */
bool store_port_read(struct tx *tx, struct arena *arena, const char *id,
                     struct port_row *port);
/* With its addresses. ERR_EXISTS: another port of the network has its fqdn. */
void store_port_insert(struct tx *tx, const struct port_row *port);
void store_port_update(struct tx *tx, const struct port_row *port);
/* The fqdns of all ports of a network, which may change places. */
void store_ports_rename(struct tx *tx, const char *network_id,
                        const struct port_row *ports, size_t count);
/* It is gone: its name is free, and it is remembered for a while. */
void store_port_delete(struct tx *tx, const char *id);
void store_ports_delete(struct tx *tx, const char *network_id);
/* A port of that id that a call made, of another network or project. */
bool store_port_conflicts(struct tx *tx, const struct port_row *port);
/* As store_port_update(), of a port that a call made or that is gone: it is Neutron's now. */
void store_port_take_over(struct tx *tx, const struct port_row *port);
/* It is gone by Neutron's word, and Neutron did not tell of it before. */
void store_port_put_tombstone(struct tx *tx, const char *id);
/* Those that went a day ago and have no records any more; and networks without any. */
void store_ports_sweep(struct tx *tx);
/* Of a network that has the fqdn; NULL: none. */
const char *store_port_find_fqdn(struct tx *tx, struct arena *arena,
                                 const char *network_id, const char *fqdn);
/* Port ID has the name until the transaction ends: whoever frees the name comes behind it. */
void store_port_name_lock(struct tx *tx, const char *id, const char *fqdn);
/* Those of a network that should be called so (either text), and are not yet; a few, locked. */
void store_ports_awaiting_name(struct tx *tx, struct arena *arena, const char *network_id,
                               const char *fqdn, const char *relative,
                               void (*each)(void *self, const struct port_row *port),
                               void *self);
struct port_filter {
	const char *project_id, *network_id;	/* NULL: of all */
	const char *dns_fqdn;			/* NULL: whatever they are called */
	const char *marker;			/* ids after this one */
	int limit;
};
/* Those that are there. */
void store_ports(struct tx *tx, struct arena *arena, const struct port_filter *filter,
                 void (*each)(void *self, const struct port_row *port), void *self);

/* ---- their records ---- */

struct record_row {
	const char *port_id, *project_id;
	const char *zone, *name, *data;
	uint16_t type;
	enum { RECORD_ADD, RECORD_HAVE, RECORD_DROP, RECORD_REFUSED } state;
	uint64_t seq;
	bool is_shared;			/* of DROP: another port has just the same */
	const char *made_for;		/* of one that is wanted: its zone_key's */
};

/* Of a port, or (NULL) of all ports of a network. */
void store_records(struct tx *tx, struct arena *arena, const char *network_id,
                   const char *port_id,
                   void (*each)(void *self, const struct record_row *row), void *self);
/* How far that is, what is to go of ports that are gone among it. */
struct published_row {
	int64_t open, refused;		/* records */
	const char *reason;		/* why some are refused, or open still; "": none */
};
void store_published(struct tx *tx, struct arena *arena, const char *network_id,
                     const char *port_id, struct published_row *row);
/* The domains of these records, at most LIMIT. */
void store_published_zones(struct tx *tx, struct arena *arena, const char *network_id,
                           const char *port_id, int limit,
                           void (*each)(void *self, const char *zone), void *self);
/* They are of that state by now; their seq grows. */
void store_records_put(struct tx *tx, const struct record_row *rows, size_t count);

/* ---- comparisons with Neutron ---- */

struct comparison_row {
	int ended;			/* so many, of which the last: */
	int looked_at, differing, repaired;
	const char *reason;		/* why it is not whole; "": it is */
};

/* The next one of FEED is due at the latest so soon; it is made known. */
void store_comparison_due(struct tx *tx, const char *feed, int ms);
/* Is one due? Then it is the caller's, and the next PERIOD_S from now. */
bool store_comparison_claim(struct tx *tx, const char *feed, int period_ms);
void store_comparison_put(struct tx *tx, const char *feed,
                          const struct comparison_row *row);
/* False: nobody asked for one yet. */
bool store_comparison_read(struct tx *tx, struct arena *arena, const char *feed,
                           struct comparison_row *row);
/*
 * What is known of Neutron's networks, also that they are gone. Those whose domain is
 * that of all who have none, but is not DOMAIN, have no revision.
 */
void store_network_revisions(struct tx *tx, const char *domain,
                             void (*each)(void *self, const struct revision *revision),
                             void *self);
/* The same of its subnets; ALL: whatever their flag, they should be published. */
void store_subnet_revisions(struct tx *tx, bool all,
                            void (*each)(void *self, const struct revision *revision),
                            void *self);
/* The same of its ports in a network, its floating IPs among them. */
void store_port_revisions(struct tx *tx, const char *network_id,
                          void (*each)(void *self, const struct revision *revision,
                                       bool is_floating), void *self);

/* ---- domains that have open ones ---- */

struct zone_key {
	const char *zone, *project_id;
	const char *made_for;		/* the project whose port needs a reverse domain; or NULL */
	/* store_zones_find_claims() sets these for a reverse domain that a port needs: */
	uint64_t rev;			/* of the row of the zone; 0: there is no row */
	bool is_claimed;		/* from now on it counts for MADE_FOR */
	bool is_new;			/* central has to make it */
};

struct zone_row {
	uint64_t rev;
	uint32_t failures;
	bool is_due;
	char made_id[ID_LEN + 1];	/* of the domain, if we made it; else "" */
	char domain_id[ID_LEN + 1];	/* as it was when it was last heard of; or "" */
};

/*
 * Finds, before the change, the reverse domains that count for no project yet: no port
 * has a record in them, and no domain that zonefleet-ports made exists.
 */
void store_zones_find_claims(struct tx *tx, struct zone_key *zones, size_t count);
/* Makes zones due. ERR_RACE: another transaction changed a zone that this one claims. */
void store_zones_changed(struct tx *tx, const struct zone_key *zones, size_t count);
void store_zones_due(struct tx *tx, struct arena *arena,
                     void (*each)(void *self, const struct zone_key *zone), void *self);
bool store_zone_read(struct tx *tx, const struct zone_key *zone, struct zone_row *row);
/* Has any port a record there, or had one that may be there still? */
bool store_zone_is_used(struct tx *tx, const struct zone_key *zone);
struct watched_zone {
	const char *zone, *domain_id;	/* "": not known yet */
};
/*
 * At most LIMIT that have records of ours, of which nothing is open, and that nobody
 * looked at for PERIOD_S, the oldest first.
 */
void store_zones_watched(struct tx *tx, struct arena *arena, int period_ms, int limit,
                         void (*each)(void *self, const struct watched_zone *zone),
                         void *self);
/* It was looked at; central's id of the domain, "": there is none. */
void store_zone_known(struct tx *tx, const char *zone, const char *domain_id);
/* Its made_id; "" is none. */
void store_zone_made(struct tx *tx, const struct zone_key *zone, const char *id);
/* Without records for a day: as if nobody had ever written there. */
void store_zones_sweep(struct tx *tx);
struct zone_quota {
	const char *project_id;
	int64_t needed;			/* new reverse domains that a change needs */
	int64_t max;			/* -1: no limit */
	uint64_t rev;			/* of its row; 0: there is no row */
	int64_t count;			/* of reverse domains that count for the project */
};
/* Sets max of the projects that have a limit of domains of their own (central's). */
void store_quotas_read(struct tx *tx, struct zone_quota *quotas, size_t count);
/*
 * Locks the numbers of the projects' reverse domains: until this transaction ends, no
 * other transaction can give these projects any. ERR_RACE: another one did so after this
 * one began to read. Sets rev and count: domains that zonefleet-ports made and that
 * exist, and domains that it has to make because a port needs them.
 */
void store_quotas_lock(struct tx *tx, struct zone_quota *quotas, size_t count);
/* Reverse ones that we made and that have no record are due. */
void store_zones_unused_due(struct tx *tx);
/* There is no such domain: of what should be there all is open, and nothing is to go. */
void store_zone_lost(struct tx *tx, const struct zone_key *zone);
/* The same, of all projects' records, without what is to go. */
void store_zone_lost_all(struct tx *tx, const struct zone_key *zone);
/* Those in RECORD_ADD or RECORD_DROP, at most LIMIT, by their names. */
void store_zone_open(struct tx *tx, struct arena *arena, const struct zone_key *zone,
                     int state, size_t limit,
                     void (*each)(void *self, const struct record_row *row), void *self);
/* What was done to ROWS, if nobody had another mind meanwhile: what was dropped goes. */
void store_zone_done(struct tx *tx, const struct zone_key *zone,
                     const struct record_row *rows, size_t count);
void store_zone_refused(struct tx *tx, const struct record_row *row, const char *reason);
/* All that was refused may be taken by now: it is open again. */
void store_records_retry_refused(struct tx *tx);
/* All that was open at REV is done; due again only if there is more by now. */
void store_zone_settled(struct tx *tx, const struct zone_key *zone, uint64_t rev);
void store_zone_failed(struct tx *tx, const struct zone_key *zone, const char *reason,
                       int64_t next_ms);
