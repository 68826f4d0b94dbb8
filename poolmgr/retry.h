/*
 * retry -- repeats actions that failed or did not finish, when their rows are due. The
 * pool manager looks for such rows every second. A failing server gets only probes, and
 * only one process at a time sends a probe. When a server is no longer drained, the pool
 * manager performs all missed actions on this server. The pool manager's lane (a thread)
 * reads due rows of one server at a time, and claims these rows for this process. Then
 * this process performs the actions of these rows. A process begins a round of this work
 * only after the previous round has ended.
 */
#pragma once

#include "poolmgr.h"

struct retry;

struct retry *retry_new(struct poolmgr *poolmgr);
void retry_free(struct retry **retry);
void retry_fire(struct retry *retry);	/* a timer calls it every second */
