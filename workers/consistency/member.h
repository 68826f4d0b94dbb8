/*
 * member -- makes a program a member of its service, if its struct worker has `.part =
 * &member_part`. The program gets the group "fleet" of the settings and sends heartbeats.
 * struct runtime has its place among the members (membership). The program shows metrics
 * of the queues that its prepare() names (queue_watch.h).
 */
#pragma once

#include "consistency/membership.h"
#include "runtime/worker.h"

extern const struct worker_part member_part;
