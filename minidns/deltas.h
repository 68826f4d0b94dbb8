/*
 * deltas -- the ways from one serial of a zone to another, read from the
 * journal, condensed to one difference and kept for a while: after a change
 * all servers of a pool ask for the same one within milliseconds, and it is
 * made once, on a thread of its own. That of the newest change alone is mostly
 * here before anybody asks: it was read along with the zone's serial.
 *
 * What is read for one is bounded, not only what comes of it: a zone may
 * change for a week and be as it was, and whoever asks for a small delta
 * waits while a large one is read.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "core/ixfr.h"
#include "store.h"

struct db_config;
struct deltas;
struct loop;

/*
 * delta NULL without an error: the journal does not lead there. Borrowed until the
 * callback returns: delta_hold() keeps it.
 */
typedef void delta_fn(void *self, enum err err, struct delta *delta);

struct deltas *deltas_new(struct loop *loop, const struct db_config *config);
void deltas_free(struct deltas **deltas);
/* What leads to HEAD. It is taken over: *delta is NULL then. */
void deltas_put(struct deltas *deltas, const struct head *head, struct delta **delta);
/* From serial FROM to that of HEAD. May call back before it returns. */
void deltas_get(struct deltas *deltas, const struct head *head, uint32_t from,
                delta_fn *fn, void *self);
