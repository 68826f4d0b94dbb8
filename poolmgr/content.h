/*
 * content -- remembers which servers serve other records than ours, and has each of them
 * compared until mini-DNS finds it equal (core/content.h). The transfer that puts it right
 * is repair's. The rows remember: another process takes up what this one leaves.
 */
#pragma once

#include "model/messages.h"
#include "poolmgr.h"

struct contents;

struct contents *contents_new(struct poolmgr *poolmgr);
void contents_free(struct contents **contents);
void contents_turn(struct contents *contents);	/* the timer's, every second */

/* What a comparison found, written before the domain is judged. Other reports: nothing. */
enum err contents_record(struct poolmgr *poolmgr, const struct server_report *report,
                         struct why *why);
