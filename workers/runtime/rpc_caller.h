/*
 * rpc_caller -- finds the caller that is waiting for an answer to an invalid body.
 *
 * If envelope.c refuses a body, for example because of a duplicate key, the sender is
 * possibly still waiting for an answer. The scan of the body reads only `_msg_id` and
 * `_reply_q`. The scan needs constant memory, so it can read a body of any length and
 * depth. The scan finds a caller only if three conditions hold: (1) the body is one
 * complete object, (2) `_msg_id` and `_reply_q` each occur once at the top level, and
 * (3) the reply queue has a valid name. If the body is an envelope, condition (2)
 * applies to the top level of `oslo.message`. This module does no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Valid names are "reply_" with 32 hexadecimal digits (oslo.messaging and zonefleet), or
 * "reply_" with HOST:PROCESS:NUMBER (oslo.messaging with use_queue_manager). All other
 * names are invalid, because answers go through the default exchange, which can reach any
 * queue.
 */
bool reply_queue_valid(const char *name);

enum { CALLER_TEXT_MAX = 255, CALLER_KEY_MAX = 16 };

struct caller_text {
	char text[CALLER_TEXT_MAX + 1];
	size_t len;
	int count;		/* number of times that the object has this key */
	/* true: the text is too long, or is not printable ASCII */
	bool is_bad;
};

enum caller_state {
	CALLER_START,
	CALLER_WANT_KEY, CALLER_KEY, CALLER_COLON,
	CALLER_WANT_VALUE, CALLER_TEXT, CALLER_BARE, CALLER_NESTED, CALLER_NESTED_TEXT,
	CALLER_WANT_COMMA,
	CALLER_END, CALLER_BROKEN,
};

/* The state of the scan in one object. */
struct caller_level {
	enum caller_state state;
	size_t depth;			/* number of open brackets in the current value */
	/*
	 * position in an escape of a string: 0 outside of an escape, 1 after \, 2 to 5
	 * in \uXXXX
	 */
	int escape;
	unsigned unicode;
	char key[CALLER_KEY_MAX];
	size_t key_len;
	/* place for the value of the last key; NULL: the scan ignores the value */
	struct caller_text *value;
	struct caller_text msg_id, reply_queue;
};

/* Set the struct to zero before the first byte. */
struct caller_scan {
	/* `inner` scans the text of `oslo.message` */
	struct caller_level outer, inner;
	/* how often the body contains the keys oslo.version and oslo.message */
	int versions, messages;
};

/* Scans the next bytes of the body. */
void caller_scan(struct caller_scan *scan, const void *bytes, size_t len);
/*
 * Call caller_found() after the scan of the whole body. True: the scan has found a
 * caller, and MSG_ID and REPLY_QUEUE point into SCAN.
 */
bool caller_found(const struct caller_scan *scan, const char **msg_id,
                  const char **reply_queue);
