/*
 * heads -- which zone a name belongs to, and at which serial it stands, as
 * the database has it now.
 *
 * A name server that was sent a NOTIFY for serial S by any instance may ask
 * any other one, and must hear of S or newer. So an answer that counts is
 * read from the database after the question came: questions gather while a
 * statement runs, and the next statement asks for all of them at once.
 * Ordinary questions may use what was read less than a second ago.
 *
 * What was read of a zone's own name is kept until there are news of it, for a minute at
 * most and within a budget (core/soa_cache.h): under a lease (announcer.h), questions for
 * it need no database. When news may have been missed, heads_recover() compares what
 * is kept with the database (seed 004, "recover"), and forgets what differs; meanwhile it
 * is not used.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "store.h"

struct db_config;
struct deltas;
struct figures;
struct heads;
struct loop;

/*
 * head NULL without an error: no zone of ours. It is borrowed
 * until the callback returns.
 */
typedef void head_fn(void *self, enum err err, const struct head *head);

/* MEMORY: bytes for the SOA cache. What is read of changes goes to DELTAS. */
struct heads *heads_new(struct loop *loop, const struct db_config *config,
                        struct deltas *deltas, const struct figures *figures,
                        int64_t memory);
void heads_free(struct heads **heads);		/* callbacks that are due come first */
/*
 * APEX: the name is likely a zone's own, as in a transfer, and those above it are looked
 * for only if it is not. ERR_BUSY: too many wait already, and the callback does not come.
 */
enum err heads_ask(struct heads *heads, const struct name *name, bool apex, head_fn *fn,
                   void *self);
/* Somebody is about to ask for the zone: read it, unless there is much else to read. */
void heads_expect(struct heads *heads, const struct name *zone);
/* Of the zone of that name, as it was read last. Use it under a lease only (announcer.h). */
bool heads_known(const struct heads *heads, const struct name *name, struct head *head);
/* Its SOA record, ready to be sent (core/soa_cache.h). */
const uint8_t *heads_soa_record(const struct heads *heads, const struct name *name,
                                size_t *len);
/*
 * There is that edition of the zone. False: the news are old, for what is known is of
 * that edition or a newer one, and stays.
 */
bool heads_news(struct heads *heads, const struct name *zone,
                const struct edition *edition);
void heads_recover(struct heads *heads);
/* True if it was asked for within the last second. */
bool heads_recent(const struct heads *heads, const struct name *name,
                  const struct head **head);
