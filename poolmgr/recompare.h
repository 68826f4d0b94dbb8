/*
 * recompare -- the list of the servers that serve other records than the database has.
 * mini-DNS compares each of them again until it finds the server equal (core/content.h).
 * repair.c orders the transfer that corrects the server. The list is in the rows of
 * pool_manager_status, so another process continues if this process stops.
 */
#pragma once

#include "model/messages.h"
#include "poolmgr.h"

struct recompare;

struct recompare *recompare_new(struct poolmgr *poolmgr);
void recompare_free(struct recompare **recompare);
void recompare_fire(struct recompare *recompare);	/* every second, by a timer */

/* Writes the results of comparisons: at most LIST_MAX. Ignores other reports. */
enum err recompare_record(struct poolmgr *poolmgr, const struct server_report *reports,
                          size_t count, struct why *why);
