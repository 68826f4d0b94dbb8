/*
 * poison -- messages whose handler crashed a process. The broker delivers such a message
 * again, and it would crash all processes in turn. So each process notes the messages
 * that it handles, in memory shared with its supervisor. If a fault ends the process,
 * the supervisor counts a death for each of these messages. A process handles a message
 * with deaths alone, not in a batch. After POISON_DEATHS_MAX deaths no process handles
 * it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { POISON_NOTED_MAX = 256, POISON_DEATHS_MAX = 3 };

/*
 * Call it before the fork. A program without fork needs neither this function nor
 * poison_process().
 */
void poison_init(int processes);
void poison_process(int index);		/* after the fork, in the process */

/* Call these before and after a handler. Notes at most POISON_NOTED_MAX ids. */
void poison_note(const char *unique_id);
void poison_clear(void);
int poison_deaths(const char *unique_id);

/*
 * For the supervisor. OF_A_FAULT: the process died of SIGSEGV, SIGABRT or a similar
 * signal.
 */
void poison_process_died(int process, bool of_a_fault);
