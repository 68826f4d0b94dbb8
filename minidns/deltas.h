/*
 * deltas -- the changes from one serial of a zone to another, read from the journal,
 * merged into one difference and kept for a while. After a change all servers of a pool
 * ask for the same delta within milliseconds; it is made once, on a thread of its own.
 * The delta of the newest change is mostly here before: it is read with the head of the
 * zone.
 *
 * The octets that are read for a delta are bounded too: a zone may change for a week and
 * end as it was, and a request for a small delta waits while a large one is read. With a
 * bound below DELTAS_OCTETS the delta is not kept.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "core/ixfr.h"
#include "store.h"

struct db_config;
struct deltas;
struct loop;

/* Of the journal, for one delta; where it takes more the whole zone is sent. */
enum { DELTAS_OCTETS = 16 * 1024 * 1024 };

/*
 * delta NULL without an error: the journal does not lead there, or not within the bound.
 * Borrowed until the callback returns: delta_hold() keeps it.
 */
typedef void delta_fn(void *self, enum err err, struct delta *delta);

struct deltas *deltas_new(struct loop *loop, const struct db_config *config);
void deltas_free(struct deltas **deltas);
/* What leads to HEAD. It is taken over: *delta is NULL then. */
void deltas_put(struct deltas *deltas, const struct head *head, struct delta **delta);
/*
 * From serial FROM, an older one, to that of HEAD; OCTETS: the bound. May call back before
 * it returns.
 */
void deltas_get(struct deltas *deltas, const struct head *head, uint32_t from,
                size_t octets, delta_fn *fn, void *self);
