/*
 * err -- every way an operation can fail, and what becomes of the message
 * that asked for it.
 *
 * A function that can fail returns enum err; its results leave through
 * pointers, which it does not touch when it fails. The reason, in words,
 * goes into a struct why: written once, where the failure is understood,
 * and logged once, where the message is settled. The words are for the
 * person who asked: they name the field and say what to do.
 */
#pragma once

#include <stddef.h>

enum err {
	OK = 0,
	ERR_INVALID,		/* the request breaks a rule */
	ERR_ARGUMENTS,		/* missing or unexpected keyword arguments */
	ERR_METHOD,		/* no such method */
	ERR_VERSION,		/* no such namespace or version */
	ERR_DENIED,		/* the tenant may not */
	ERR_NOT_FOUND,
	ERR_EXISTS,		/* there is one of that name already */
	ERR_CONFLICT,		/* the state of things does not allow it now */
	ERR_QUOTA,
	ERR_TOO_LARGE,
	ERR_RACE,		/* the transaction lost a race: run it again */
	ERR_LOCKED,		/* another holds the row: run it again in a moment */
	ERR_EXPIRED,		/* the caller's time limit has passed: nothing was done */
	ERR_BUSY,		/* a limit, a lock */
	ERR_TIMEOUT,
	ERR_UNREACHABLE,	/* broker, database or name server is away */
	ERR_REMOTE,		/* the peer answered with a failure of its own */
	ERR_INTERNAL,		/* our own statement or message is wrong */
	ERR_COUNT
};

enum fate {
	FATE_FINAL,		/* a call is answered; a cast goes to the dead letters */
	FATE_REDO,		/* run the handler again in a moment, a few times */
	FATE_RETRY,		/* passing: a cast comes back later; a call hears it */
};

struct why {
	char text[512];
};

const char *err_name(enum err err);	/* for the log: "not_found" */
const char *err_class(enum err err);	/* on the wire: exception class, "NotFound" */
const char *err_module(enum err err);	/* on the wire: the module of that class */
enum err err_from_class(const char *class);	/* ERR_REMOTE if it is none of ours */
enum fate err_fate(enum err err);
const char *err_help(enum err err);	/* what it means for a caller: a sentence */

/*
 * Note the reason and hand the code back: return fail(why, ERR_BUSY, ...);
 * In brackets here, for cmocka has a macro of that name.
 */
enum err (fail)(struct why *why, enum err err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A text from outside as a reason may quote it: SIZE - 1 characters of ASCII at most. */
const char *err_quote(const char *text, char *quoted, size_t size);
