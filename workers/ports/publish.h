/*
 * publish -- what is open in a domain goes to central: one change of all of it, with one
 * serial, by whoever has the domain's lock. What central refuses is tried in halves, so
 * that a record that cannot be keeps no other back. What nobody knows the end of is said
 * again: to add what is there and to delete what is not changes nothing.
 *
 * Reverse domains, and others if `create_domains` says so, are made when they are needed.
 * Of a domain that is gone, for somebody has deleted it, all that should be there is
 * published again as soon as anything of it is. A reverse domain that was made here may
 * be deleted when nothing in it is ours (`delete_reverse`): by its id, so that it is no
 * other of the same name, and if central finds it empty; else it is not ours any more.
 * What comes while it is on its way out waits until it can be made again. All of this is
 * done by whoever has the lock.
 */
#pragma once

#include "ports.h"
#include "store.h"

enum { PUBLISH_AT_ONCE = 16 };		/* domains, of a process */

void publish_metrics(void);		/* before the fork */

struct publisher *publisher_new(struct ports *ports);
void publisher_free(struct publisher **publisher);

/* These have just changed, and are committed. */
void publisher_now(struct publisher *publisher, const struct zone_key *zones,
                   size_t count);
/* Each second: those whose time has come. */
void publisher_fire(struct publisher *publisher);
void publisher_drain(struct publisher *publisher);	/* begin with none any more */
bool publisher_is_idle(const struct publisher *publisher);
