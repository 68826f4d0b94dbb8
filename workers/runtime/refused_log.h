/*
 * refused_log -- the log line of a message that a program refuses.
 *
 * Any account at the broker can send such messages, so a process logs at most one line a
 * second. `unlogged` counts the messages without a line since the last line. Only for the
 * thread of the loop.
 */
#pragma once

#include <stdbool.h>

struct refused_message {
	const char *topic;	/* that the message came to */
	const char *method;	/* "": the program cannot read it */
	const char *account;	/* at the broker; "": unknown */
	const char *reason;	/* one word */
	const char *why;
	bool is_answered;	/* its caller gets an error */
};

void refused_log(const struct refused_message *message);
