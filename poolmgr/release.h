/* release -- makes the failed rows of a server due at once when it answers again. */
#pragma once

#include "poolmgr.h"

/*
 * CONTROL: rows that failed on the control channel; otherwise rows that failed over DNS.
 */
void release_server(struct poolmgr *poolmgr, const char *server_id, bool control);
