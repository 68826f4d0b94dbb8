/*
 * rrset_query -- writes the DNS query for one record set and reads the answer.
 *
 * rrset_query_read() accepts only an authoritative answer (AA). It ignores the records of
 * other names in the answer, for example the records at the target of a CNAME.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/rrset.h"
#include "dns/canonical.h"
#include "dns/reply.h"
#include "model/name.h"

enum { RRSET_QUERY_MAX = 1024 };	/* maximum length of a query */

struct rrset_query {
	struct name name;		/* in lower case */
	uint16_t type;
	struct sent_message request;
};

/*
 * Writes the query for query->name and query->type, with the message id ID, to DATA,
 * which has RRSET_QUERY_MAX octets. Signs the query with KEY, unless KEY is NULL. Returns
 * the length of the query.
 */
size_t rrset_query_write(struct rrset_query *query, uint16_t id,
                         const struct tsig_key *key, uint64_t now, uint8_t *data);

/* The memory for an answer. */
struct rrset_query_buffers {
	struct arena *arena;		/* memory for the set */
	struct canonical *record;	/* scratch for one record */
};

/*
 * Reads the sorted set from the message in DATA. The set is empty if the server has no
 * such record. ERR_REMOTE: DATA does not answer the query. Print *why after the name of
 * the server.
 */
enum err rrset_query_read(const struct rrset_query *query, const uint8_t *data,
                          size_t len, uint64_t now,
                          const struct rrset_query_buffers *buffers, struct rrset *set,
                          struct why *why);
