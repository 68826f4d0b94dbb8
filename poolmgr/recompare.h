/*
 * recompare -- the list of the servers whose records differ from the records in the
 * database. mini-DNS repeats the comparison with each of these servers until the pool
 * manager trusts the server again (core/content.h). repair.c orders the transfer that
 * corrects the server. The list is in the rows of pool_manager_status. So if this process
 * stops, another process continues the comparisons.
 */
#pragma once

#include "model/messages.h"
#include "poolmgr.h"

struct recompare;

struct recompare *recompare_new(struct poolmgr *poolmgr);
void recompare_free(struct recompare **recompare);
/* A timer calls it every second. */
void recompare_fire(struct recompare *recompare);

/*
 * Decides which of the servers differ, and updates the list. REPORTS: at most LIST_MAX
 * reports. Ignores reports without a comparison.
 */
enum err recompare_record(struct poolmgr *poolmgr, const struct server_report *reports,
                          size_t count, struct why *why);
