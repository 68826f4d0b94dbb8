/*
 * poison -- messages whose handler ended a process by a bug. The broker delivers such a
 * message again, and it would end one process after the other. So each process notes the
 * messages that it handles, in memory shared with its supervisor. If the process dies of
 * a fault, the supervisor counts a death for each of these messages. A message with deaths
 * is handled alone, not in a batch, and no more after POISON_DEATHS_MAX deaths.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { POISON_NOTED_MAX = 256, POISON_DEATHS_MAX = 3 };

/* Before the fork. A program that does not fork may leave these two out. */
void poison_init(int processes);
void poison_process(int index);		/* after the fork, in the process */

/* Before and after a handler. It keeps at most POISON_NOTED_MAX ids. */
void poison_note(const char *unique_id);
void poison_clear(void);
int poison_deaths(const char *unique_id);

/* In the supervisor. OF_A_FAULT: the process died of SIGSEGV, SIGABRT or the like. */
void poison_process_died(int process, bool of_a_fault);
