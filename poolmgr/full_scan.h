/*
 * patrol -- goes through all domains of this process's share, page by page, and has all
 * their servers polled (seed 000, the last step of periodic_sync): so a server that lost
 * a zone, or went back to an old serial, is found though nothing was owed to it. A walk
 * takes most of a periodic_sync_interval, at an even pace; one page is one SELECT and one
 * message to minidns, and what is as it should be answers nothing.
 *
 * Of each walk one part in compare_every is compared record by record, too, and what was
 * found to differ in the last one (repair.h).
 */
#pragma once

struct poolmgr;
struct patrol;

void patrol_metrics(void);	/* before the fork */
struct patrol *patrol_new(struct poolmgr *poolmgr);
void patrol_free(struct patrol **patrol);
void patrol_turn(struct patrol *patrol);	/* the timer's, every second */

struct cause;
struct domain_ref;
/* Has the records of one domain compared on all its servers now, whosever share it is. */
void patrol_compare(struct poolmgr *poolmgr, const struct domain_ref *domain,
                    const struct cause *cause);
