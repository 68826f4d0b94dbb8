/*
 * err -- the errors of operations, and what a worker does with a message after each
 * error.
 *
 * A function that can fail returns enum err and writes its results through pointers.
 * After a failure the function leaves the results unchanged. The function that finds the
 * cause of the failure writes the reason to a struct why. The program logs the reason
 * once, at the end of its work on the message. The caller receives the reason, which
 * names the field and says what to do.
 */
#pragma once

#include <stddef.h>

enum err {
	OK = 0,
	ERR_INVALID,		/* the request breaks a rule */
	ERR_ARGUMENTS,		/* missing or unexpected keyword arguments */
	ERR_METHOD,		/* no such method */
	ERR_VERSION,		/* no such namespace or version */
	ERR_DENIED,		/* the caller has no right to do this */
	ERR_NOT_FOUND,
	ERR_EXISTS,		/* the name is in use */
	ERR_CONFLICT,		/* the current state does not allow the request */
	ERR_QUOTA,
	ERR_TOO_LARGE,
	ERR_RACE,		/* the transaction lost a race: run it again */
	ERR_LOCKED,		/* another transaction holds the row: run it again soon */
	ERR_EXPIRED,		/* the caller's time limit is over: no effect */
	ERR_BUSY,		/* a limit is reached, or an object is locked */
	ERR_TIMEOUT,
	ERR_UNREACHABLE,	/* the broker, database or name server does not answer */
	ERR_REMOTE,		/* the peer answered with an error */
	ERR_INTERNAL,		/* this program made a wrong SQL statement or message */
	ERR_COUNT
};

enum err_retry {
	RETRY_NEVER,		/* a call gets the error; a cast becomes a dead letter */
	RETRY_NOW,		/* the handler runs again soon, at most a few times */
	/* the broker delivers a cast again later; a call gets the error */
	RETRY_LATER,
};

struct why {
	char text[512];
};

const char *err_name(enum err err);	/* for the log: "not_found" */
const char *err_class(enum err err);	/* on the wire: exception class, "NotFound" */
const char *err_module(enum err err);	/* on the wire: the module of that class */
enum err err_from_class(const char *class);	/* ERR_REMOTE: an unknown class */
enum err_retry err_retry(enum err err);
const char *err_help(enum err err);	/* the meaning for a caller, in one sentence */

/*
 * Writes the reason and returns ERR, so that a caller can write `return fail(why,
 * ERR_BUSY, ...);`. If the reason is too long, fail() cuts it after a word and adds
 * "...". The parentheses are necessary because cmocka has a macro with this name.
 */
enum err (fail)(struct why *why, enum err err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Returns the number of bytes of TEXT that fit into MAX bytes and end with a whole word,
 * or with a whole character if the words are long.
 */
size_t err_cut(const char *text, size_t max);
/*
 * Returns the length of the field at the start of a reason. For example, the length is 15
 * for "changes[0].name: must ...". 0: the reason names no field.
 */
size_t err_field_len(const char *reason);
/*
 * Returns the reason without the path of a field in a call ("changes[0]: a name ...").
 * Use it for reasons that a program shows to users who did not make the call.
 */
const char *err_without_field(const char *reason);

/*
 * Makes a string from a peer safe to quote: at most SIZE - 1 ASCII characters. Returns
 * QUOTED.
 */
const char *err_quote(const char *text, char *quoted, size_t size);
