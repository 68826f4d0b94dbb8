/*
 * poison -- messages in whose handler a process died of a bug. The broker
 * delivers such a message again, and it would end one process after the
 * other. So each process notes, in memory that its supervisor shares, what it
 * is handling; when it dies of a fault the supervisor makes that suspect. A
 * suspect is handled alone, not in a batch with others that were unlucky, and
 * after three deaths not any more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SUSPECTS_NOTED = 256, SUSPECT_DEATHS_MAX = 3 };

/* Before the fork. A program that does not fork may leave these two out. */
void suspects_init(int processes);
void suspects_process(int index);	/* after it: which place is mine */

/* Around a handler; ids are unique ids, at most SUSPECTS_NOTED of them. */
void suspects_enter(const char *unique_id);
void suspects_leave_all(void);
int suspects_deaths(const char *unique_id);

/* The supervisor: the process died. Of a fault (SIGSEGV, SIGABRT), or otherwise? */
void suspects_died(int process, bool of_a_fault);
