/*
 * full_scan -- polls all domains in the share of this process on all their servers, page
 * by page (requirements: seed 000, the last step of periodic_sync). A scan finds servers
 * that lost a zone or went back to an old serial. A scan polls at an even pace, over most
 * of one periodic_sync_interval. Each page needs one SELECT and one message to mini-DNS.
 * mini-DNS reports only servers whose serial differs from the serial in the database.
 *
 * For each domain, one of compare_every scans also compares the records. Each scan also
 * compares the records of domains whose records differed on a server recently (repair.h).
 * For the same domains, adjust.h checks the settings of the zones.
 */
#pragma once

struct poolmgr;
struct full_scan;

void full_scan_metrics(void);	/* before the fork */
struct full_scan *full_scan_new(struct poolmgr *poolmgr);
void full_scan_free(struct full_scan **scan);
void full_scan_fire(struct full_scan *scan);	/* every second, by a timer */

struct cause;
struct domain_ref;
/*
 * Orders a comparison of the records of one domain on all its servers. The domain may be
 * in the share of any process.
 */
void full_scan_compare(struct poolmgr *poolmgr, const struct domain_ref *domain,
                       const struct cause *cause);
