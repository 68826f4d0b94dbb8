/*
 * poison -- counts how often a message has crashed a process. After a crash, the broker
 * delivers the message again. So the message could crash all processes one after the
 * other. To prevent this, each process writes the ids of the messages that it handles to
 * memory that the supervisor also reads. If a process crashes, the supervisor counts one
 * crash for each message that this process was handling. After the first crash, a process
 * handles the message alone, not in a batch. After POISON_DEATHS_MAX crashes, no process
 * handles the message.
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

/*
 * Call poison_note() before a handler and poison_clear() after the handler. A process can
 * note at most POISON_NOTED_MAX ids at the same time.
 */
void poison_note(const char *unique_id);
void poison_clear(void);
/* Returns the number of crashes of the message. */
int poison_deaths(const char *unique_id);

/*
 * For the supervisor. OF_A_FAULT: SIGSEGV, SIGABRT or a similar signal ended the process.
 */
void poison_process_died(int process, bool of_a_fault);
