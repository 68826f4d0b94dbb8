/*
 * port_update -- what is done to a port within a transaction, whoever asks for it: its row is
 * read, its name found, its row written, and its records follow. A call says no where the
 * feed, whose source has said yes already, goes without the name.
 */
#pragma once

#include "ports.h"
#include "record_diff.h"
#include "store.h"

struct writing {
	struct ports *ports;
	struct arena *arena;
	struct network_row network;
	struct port_row was;		/* the port's row, if there is one */
	bool is_there;
	struct change change;
	const char *told_of;		/* a network, of which these ports' lines for */
	const char *told[2];		/* dnsmasq are others now */
	size_t told_count;
};

/* PORT's full name, if it has a name and it or NETWORK a domain. ERR_INVALID. */
enum err writing_name(const struct network_row *network, struct port_row *port,
                      enum label_rules rules, struct arena *arena, struct why *why);
/* The port that has its fqdn; NULL: it may have it. */
const char *writing_rival(struct writing *writing, struct tx *tx,
                          const struct port_row *port);
/* PORT should have its records in CHANGE. */
void writing_want(const struct ports *ports, const struct network_row *network,
                  const struct port_row *port, struct change *change);

void writing_read(struct writing *writing, struct tx *tx, const char *id);
/*
 * The records of PORT, whose row was just written, become as it and the network say. A
 * name that it had and has no more goes to a port of Neutron's that was told to have it.
 */
void writing_records(struct writing *writing, struct tx *tx, const struct port_row *port);
/* The network of the port that was read; of no project if it is gone. */
void writing_read_network(struct writing *writing, struct tx *tx);
/* The port that was read goes, and its records with it. */
void writing_end(struct writing *writing, struct tx *tx);
/*
 * Its lines are told of, though they may be as they were: who runs again, for the answer
 * to its commit was lost, finds them so.
 */
void writing_note(struct writing *writing, const struct port_row *port);
/* Commits; and what changed is published at once, and its lines are told (lines.h). */
enum err writing_commit(struct writing *writing, struct tx *tx);
