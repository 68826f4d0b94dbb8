/*
 * retry -- repeats actions that failed or did not finish, when their rows are due. The
 * pool manager looks for such rows every second. A server that is failing gets at most
 * one probe, from one process. A server that is back in service gets all missed actions.
 * A lane (a thread) reads the rows and reserves them for this process, one page for one
 * server at a time. Then this process performs the actions of these rows. In each
 * process, at most one round of this work runs at a time.
 */
#pragma once

#include "poolmgr.h"

struct retry;

struct retry *retry_new(struct poolmgr *poolmgr);
void retry_free(struct retry **retry);
void retry_fire(struct retry *retry);
