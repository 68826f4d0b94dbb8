/*
 * port_update -- changes one port in a transaction, for calls and for the feed. The
 * transaction reads the row of the port and makes the fully qualified name of the port.
 * After that, the transaction writes the row and the records. If the name is invalid or
 * belongs to another port, a call fails, but the feed writes the port without the name.
 */
#pragma once

#include "ports.h"
#include "record_diff.h"
#include "store.h"

struct port_update {
	struct ports *ports;
	struct arena *arena;
	struct network_row network;
	struct port_row old;		/* the old row, if `exists` is true */
	bool exists;
	struct record_diff diff;
	/* network whose ports have new lines for dnsmasq */
	const char *lines_network;
	const char *lines_ports[2];	/* ids of the ports that have new lines */
	size_t lines_count;
};

/*
 * Sets the fully qualified name of PORT, if PORT has a name and a domain. ERR_INVALID:
 * the name is invalid in the domain.
 */
enum err port_update_set_fqdn(const struct network_row *network, struct port_row *port,
                              enum label_rules rules, struct arena *arena,
                              struct why *why);
/*
 * Returns the id of another port that has the fully qualified name of PORT. NULL: the
 * name is free.
 */
const char *port_update_taken_by(struct port_update *update, struct tx *tx,
                                 const struct port_row *port);
/* Adds the records of PORT to DIFF as desired records. */
void port_update_want_records(const struct ports *ports,
                              const struct network_row *network,
                              const struct port_row *port, struct record_diff *diff);

/* Reads the old row of port ID. */
void port_update_read(struct port_update *update, struct tx *tx, const char *id);
/*
 * Writes the records of PORT. Call it after the write of the row. If PORT no longer has
 * its old name, a port that waits for the old name gets this name.
 */
void port_update_write_records(struct port_update *update, struct tx *tx,
                               const struct port_row *port);
/* Reads the network of the old port. Sets the tenant to "" if the network is deleted. */
void port_update_read_network(struct port_update *update, struct tx *tx);
/* Deletes the old port and its records. */
void port_update_delete(struct port_update *update, struct tx *tx);
/*
 * Announces the lines of PORT even if the lines are unchanged. Call it in a retry: if the
 * answer to the first COMMIT was lost, the retry finds no change, although the process
 * has not announced the lines yet.
 */
void port_update_mark_lines(struct port_update *update, const struct port_row *port);
/* Commits, then publishes the changes and announces the lines (dnsmasq_lines.h). */
enum err port_update_commit(struct port_update *update, struct tx *tx);
