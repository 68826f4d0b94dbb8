/*
 * retry -- each second: rows that failed, or never ended, and whose own time has come; a
 * server that fails gets a probe at most, of one process. Who is back in service makes up for
 * what it missed. The rows are read and claimed on the lane, a page of a server at a time,
 * and then done; one turn at a time.
 */
#pragma once

#include "poolmgr.h"

struct retry;

struct retry *retry_new(struct poolmgr *poolmgr);
void retry_free(struct retry **retry);
void retry_fire(struct retry *retry);
