/*
 * retry -- repeats actions that failed or did not finish, when their rows are due. The
 * pool manager looks for such rows every second. A server that is failing gets at most
 * one probe, from one process. When a server is no longer drained, the pool manager
 * performs all missed actions on this server. A lane (a thread) reads the rows, one page
 * for one server at a time, and reserves these rows for this process. Then this process
 * performs the actions of these rows. In each process, at most one round of this work
 * runs at a time.
 */
#pragma once

#include "poolmgr.h"

struct retry;

struct retry *retry_new(struct poolmgr *poolmgr);
void retry_free(struct retry **retry);
void retry_fire(struct retry *retry);
