/*
 * content -- remembers which servers serve other records than ours. mini-DNS compares
 * each of them again until it finds the server equal (core/content.h). repair.c orders
 * the transfer that corrects the server. The state is in the rows of pool_manager_status,
 * so another process continues where this one stops.
 */
#pragma once

#include "model/messages.h"
#include "poolmgr.h"

struct recompare;

struct recompare *recompare_new(struct poolmgr *poolmgr);
void recompare_free(struct recompare **recompare);
void recompare_fire(struct recompare *recompare);	/* the timer's, every second */

/* What a comparison found, written before the domain is judged. Other reports: nothing. */
enum err recompare_record(struct poolmgr *poolmgr, const struct server_report *report,
                          struct why *why);
