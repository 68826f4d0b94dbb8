/*
 * rrset_query -- the DNS query for one record set, and its answer.
 *
 * Only an authoritative answer (AA) counts. Other records of the answer, for example at
 * the target of an alias, do not belong to the set.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/rrset.h"
#include "dns/canonical.h"
#include "dns/reply.h"
#include "model/name.h"

enum { RRSET_QUERY_MAX = 1024 };	/* octets */

struct rrset_query {
	struct name name;		/* in lower case */
	uint16_t type;
	struct sent_message request;
};

/*
 * Writes the query for query->name and ->type with ID, signed with KEY unless that is
 * NULL. Returns its length; DATA has RRSET_QUERY_MAX octets.
 */
size_t rrset_query_write(struct rrset_query *query, uint16_t id,
                         const struct tsig_key *key, uint64_t now, uint8_t *data);

/* The memory for an answer. */
struct rrset_query_buffers {
	struct arena *arena;		/* memory for the set */
	struct canonical *record;	/* scratch for one record */
};

/*
 * Reads the set from the message in DATA: sorted, and empty if the server has no record.
 * ERR_REMOTE: DATA does not answer the query. *why follows the server's name.
 */
enum err rrset_query_read(const struct rrset_query *query, const uint8_t *data,
                          size_t len, uint64_t now,
                          const struct rrset_query_buffers *buffers, struct rrset *set,
                          struct why *why);
