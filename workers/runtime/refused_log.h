/*
 * refused_log -- writes the log line about a message that a program refuses.
 *
 * Any account of the broker can send such messages, so a process logs at most one line
 * per second. In each line, `unlogged` is the number of messages that the process has
 * refused but not logged since the previous line. Only the thread of the loop may call
 * refused_log().
 */
#pragma once

#include <stdbool.h>

struct refused_message {
	const char *topic;	/* topic of the server that received the message */
	const char *method;	/* "": the program cannot read the method */
	const char *account;	/* the sender's broker account; "": unknown */
	const char *reason;	/* one word for the reason, for example "unsigned" */
	const char *why;
	bool is_answered;	/* true: the caller gets an error as the answer */
};

void refused_log(const struct refused_message *message);
