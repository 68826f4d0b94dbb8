/*
 * refused_log -- the log line of a message that a program refuses.
 *
 * Every account at the broker can send such messages. So a process logs one line a second
 * at most. `unlogged` counts the messages that have no line since the last line. For the
 * thread of the loop only.
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
