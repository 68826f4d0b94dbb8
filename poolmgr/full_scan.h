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
struct full_scan;

void full_scan_metrics(void);	/* before the fork */
struct full_scan *full_scan_new(struct poolmgr *poolmgr);
void full_scan_free(struct full_scan **scan);
void full_scan_fire(struct full_scan *scan);	/* the timer's, every second */

struct cause;
struct domain_ref;
/* Has the records of one domain compared on all its servers now, whosever share it is. */
void full_scan_compare(struct poolmgr *poolmgr, const struct domain_ref *domain,
                       const struct cause *cause);
