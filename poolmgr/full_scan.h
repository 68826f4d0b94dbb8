/*
 * full_scan -- polls all domains in the share of this process on all their servers, page
 * by page (requirements: seed 000, the last step of periodic_sync). A scan finds servers
 * that lost a zone or went back to an old serial. A scan takes 80 % of one
 * periodic_sync_interval, and distributes its polls evenly over this time. Usually, one
 * message to mini-DNS contains all polls of a page. mini-DNS reports only servers with a
 * different serial.
 *
 * For each domain, one of compare_every scans also compares the records. If
 * compare_every is 0, this comparison never happens. In addition, each scan compares the
 * records of domains whose records differed on a server within the last hour (repair.h).
 * A scan does not compare the records of a new domain (task ADD). When a scan compares a
 * domain, adjust.h also checks the settings of the zone.
 */
#pragma once

struct poolmgr;
struct full_scan;

void full_scan_metrics(void);	/* call it before the fork */
struct full_scan *full_scan_new(struct poolmgr *poolmgr);
void full_scan_free(struct full_scan **scan);
void full_scan_fire(struct full_scan *scan);	/* a timer calls it every second */

struct cause;
struct domain_ref;
/*
 * Orders a comparison of the records of one domain on all its servers that are in
 * service and answer. The domain can be in the share of any process.
 */
void full_scan_compare(struct poolmgr *poolmgr, const struct domain_ref *domain,
                       const struct cause *cause);
