/*
 * err -- the errors of operations, and what a worker does with a message after each
 * error.
 *
 * A function that can fail returns enum err and writes its results through pointers.
 * After a failure the function leaves the results unchanged, unless its comment says
 * otherwise. The function that finds the cause of the failure writes the reason to a
 * struct why. The program logs the reason once, at the end of its work on the message.
 * The caller receives the same reason. A reason names the field and says what to do.
 */
#pragma once

#include <stddef.h>

enum err {
	OK = 0,
	ERR_INVALID,		/* a value in the request breaks a rule */
	ERR_ARGUMENTS,		/* an argument is missing or unknown */
	ERR_METHOD,		/* the topic has no such method */
	ERR_VERSION,		/* the topic has no such namespace or version */
	ERR_DENIED,		/* the caller has no right to do this */
	ERR_NOT_FOUND,
	ERR_EXISTS,		/* another object has this name or id */
	ERR_CONFLICT,		/* the current state does not allow the request */
	ERR_QUOTA,
	ERR_NO_POOL,		/* no pool fits the new domain */
	ERR_SEVERAL_POOLS,	/* several pools fit the new domain */
	ERR_TOO_LARGE,
	ERR_RACE,	/* the transaction lost a race; the program tries again */
	/* another transaction has locked the row; the program tries again soon */
	ERR_LOCKED,
	/* the caller's time limit is over, and the request has no effect */
	ERR_EXPIRED,
	ERR_BUSY,		/* a limit is reached, or an object is locked */
	ERR_TIMEOUT,
	ERR_UNREACHABLE,	/* the broker, database or name server does not answer */
	ERR_REMOTE,		/* the peer answered with an error */
	ERR_INTERNAL,		/* this program made a wrong SQL statement or message */
	ERR_COUNT
};

enum err_retry {
	/* the caller of a call gets the error; a cast becomes a dead letter */
	RETRY_NEVER,
	/* the handler runs again soon, within the limits in runtime/rpc_redo.c */
	RETRY_NOW,
	/* the caller of a call gets the error; the broker delivers a cast again later */
	RETRY_LATER,
};

struct why {
	char text[512];
};

const char *err_name(enum err err);	/* the word in the log: "not_found" */
const char *err_class(enum err err);	/* the exception class in messages: "NotFound" */
/* the Python module of err_class(ERR), in messages */
const char *err_module(enum err err);
enum err err_from_class(const char *class);	/* ERR_REMOTE: the class is unknown */
enum err_retry err_retry(enum err err);
/* Returns an explanation of the error for the caller, in one or two sentences. */
const char *err_help(enum err err);

/*
 * Writes the reason and returns ERR, so that a caller can write `return fail(why,
 * ERR_BUSY, ...);`. If the reason is too long, fail() cuts the reason after a word and
 * adds "...". The parentheses around the name are necessary because cmocka has a macro
 * `fail`.
 */
enum err (fail)(struct why *why, enum err err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Returns the number of bytes at the start of TEXT that fit into MAX bytes and end with
 * a whole word. If the last half of the MAX bytes contains no blank, the result ends
 * with a whole character instead.
 */
size_t err_cut(const char *text, size_t max);
/*
 * Returns the length of the field name with which a reason begins. For example, the
 * length is 15 for "changes[0].name: must ...". 0: the reason does not begin with a
 * field name.
 */
size_t err_field_len(const char *reason);
/*
 * If the reason begins with the path of a field, returns the text after this path, for
 * example "a name ..." for "changes[0]: a name ...". A name without "." or "[" is not a
 * path and stays. Use the function for reasons that a program shows to users who did not
 * make the call.
 */
const char *err_without_field(const char *reason);

/*
 * Copies a string from a peer to QUOTED, so that a reason can quote the string. Copies
 * at most SIZE - 1 bytes. Writes "?" for each byte that is not a printable ASCII
 * character. Returns QUOTED.
 */
const char *err_quote(const char *text, char *quoted, size_t size);
