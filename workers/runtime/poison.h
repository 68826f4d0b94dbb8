/*
 * poison -- counts how often a message has crashed a process. After a crash, the broker
 * delivers the message again. So the message could crash all processes one after the
 * other. To prevent these crashes, each process writes the ids of the messages that it
 * handles to memory that the supervisor also reads. If a process crashes, the supervisor
 * counts one crash for each message that this process was handling. After the first
 * crash of a message, a process handles the message alone, not in a batch. After
 * POISON_DEATHS_MAX crashes, no process handles the message.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { POISON_NOTED_MAX = 256, POISON_DEATHS_MAX = 3 };

/*
 * Makes the shared memory for PROCESSES processes. Call it before the fork. A program
 * without fork needs neither this function nor poison_process().
 */
void poison_init(int processes);
void poison_process(int index);		/* call it after the fork, in the process */

/*
 * poison_note() adds the id of a message that the process will handle. poison_clear()
 * removes all ids. Call poison_note() before a handler and poison_clear() after the
 * handler. A process can note at most POISON_NOTED_MAX ids at the same time.
 */
void poison_note(const char *unique_id);
void poison_clear(void);
/* Returns how many processes have crashed while they handled the message. */
int poison_deaths(const char *unique_id);

/*
 * The supervisor calls this function when a process has ended. OF_A_FAULT: SIGSEGV,
 * SIGABRT or a similar signal ended the process, and the supervisor did not send this
 * signal to a hung process. If OF_A_FAULT is true, the function counts one crash for
 * each message that the process was handling.
 */
void poison_process_died(int process, bool of_a_fault);
