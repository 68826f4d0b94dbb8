/*
 * member -- makes the processes of a program members of their service, if the struct
 * worker of the program contains `.part = &member_part`. Such a program accepts the group
 * "fleet" in the settings, and its processes write heartbeats. In struct runtime of such
 * a program, `membership` is not NULL. The program also has metrics of the queues that
 * its prepare() passes to queue_watch_metrics() (queue_watch.h).
 */
#pragma once

#include "consistency/membership.h"
#include "runtime/worker.h"

extern const struct worker_part member_part;
