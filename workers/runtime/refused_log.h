/*
 * refused_log -- writes the log line about a message that a program refuses.
 *
 * Any account at the broker can send such messages, so a process logs at most one line
 * per second. `unlogged` in a line counts the refused messages without a line since the
 * previous line. Only the thread of the loop may call it.
 */
#pragma once

#include <stdbool.h>

struct refused_message {
	const char *topic;	/* the topic that received the message */
	const char *method;	/* "": the program cannot read it */
	const char *account;	/* at the broker; "": unknown */
	const char *reason;	/* one word */
	const char *why;
	bool is_answered;	/* its caller gets an error */
};

void refused_log(const struct refused_message *message);
