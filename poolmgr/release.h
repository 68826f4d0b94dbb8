/* release -- a server is back: its rows that failed become due at once. */
#pragma once

#include "poolmgr.h"

/* CONTROL: the rows that failed through its control channel; else the others. */
void release_server(struct poolmgr *poolmgr, const char *server_id, bool control);
