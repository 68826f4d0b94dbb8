/*
 * deltas -- the ways from one serial of a zone to another, read from the
 * journal, condensed to one difference and kept for a while: after a change
 * all servers of a pool ask for the same one within milliseconds, and it is
 * made once, on a thread of its own. That of the newest change alone is mostly
 * here before anybody asks: it was read along with the zone's serial.
 *
 * What is read for one is bounded, not only what comes of it: a zone may
 * change for a week and be as it was, and whoever asks for a small delta
 * waits while a large one is read. A bound below DELTAS_OCTETS is that of one who
 * only looks: what is read for him is not kept.
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
