/*
 * poll -- how long, and how often, a name server is asked for a zone's serial
 * until it has the wanted one (seed 000, poll_for_serial_number). Pure: the
 * caller brings what happened, gets one move, and makes it.
 *
 *	held	 a NOTIFY to the server is out; its transfer is awaited
 *	asking	 a query is out
 *	pausing	 a timer runs until the next one
 *	ended	 reported; nothing more happens
 *
 * When it is asked first is the server's own pace (core/pace.h), from its
 * answer to the NOTIFY or from the end of a transfer that brought the serial. A
 * server that answers, only not yet as wanted, is asked again soon: 5 ms, 10 ms,
 * up to the retry interval. Only pauses of the whole interval, silence, and a query that
 * could not be sent are tries; while a transfer to it is under way, nothing is one. Nor is
 * an answer by which a server that is told nothing has not yet taken the zone up, or
 * dropped it, as long as the patience with it lasts. A timeout is never absence.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/pace.h"
#include "core/response.h"
#include "model/state.h"

struct poll_terms {
	uint32_t wanted;		/* serial; also what is named in reasons */
	bool absence;			/* the goal: it has the zone no more */
	int timeout_ms, retry_interval_ms, max_retries;
	int patience_ms;		/* the server finds out by itself; 0: is told */
};

enum poll_event {
	POLL_NOTIFY_ANSWERED,
	POLL_TRANSFER_BEGAN,		/* of this zone to this server, here */
	/* here, or told by another instance; with the serial that it brought */
	POLL_TRANSFER_ENDED,
	POLL_TIMER,
	/* with a response: SERIAL, ABSENT, LAME, FAILED or UNASKED */
	POLL_ANSWERED,
	POLL_SILENT,			/* the whole timeout passed without an answer */
	POLL_EVENTS
};

enum poll_state { POLL_HELD, POLL_ASKING, POLL_PAUSING, POLL_ENDED, POLL_STATES };

struct poll {
	struct poll_terms terms;
	enum poll_state state;
	int tries;			/* that failed */
	/* the next pause after an answer that will not do */
	int pause_ms;
	int paused_ms;			/* how long the pause is that it is in */
	int patience_ms;		/* that is left */
	struct pace *pace;		/* the server's, of the caller */
	/* what timed the next query, and the one that is out; PACE_COUNT: nothing */
	enum pace_from next_from, asked_from;
	int restarts;			/* how often a transfer has quickened the pace */
	int transfers;			/* under way here */
	/* an order that this one replaced is not reported */
	bool owes;
	uint32_t owed;			/* its serial */
	bool silent;			/* the last try; else `last` is what was said */
	int64_t silent_since;		/* to all; in seconds since 1970; 0: unknown */
	struct response last;
	bool has_serial;		/* one was seen at some time */
	uint32_t serial;
};

struct poll_move {
	enum {
		POLL_STAY,
		POLL_SEND,		/* a query */
		POLL_WAIT,		/* then come with POLL_TIMER */
		POLL_REPORT,		/* poll_result(); the end */
	} action;
	int wait_ms;
	/* besides: report SUCCESS for the order that was replaced */
	bool reached_owed;
};

struct poll_result {
	enum report report;
	/* REPORT_NO_DOMAIN of what was to go: it served this before, and answered us */
	bool has_serial;
	bool silent;			/* it said nothing at all */
	bool unasked;			/* nor was it asked: that says nothing of it */
	uint32_t serial;
	char reason[160];		/* "" with a SUCCESS */
};

/* PACE outlives the poll. */
struct poll_move poll_start(struct poll *poll, const struct poll_terms *terms,
                            struct pace *pace, bool notify_is_out);
/* A newer order for the same zone and server: it replaces the one that is out. */
struct poll_move poll_renew(struct poll *poll, const struct poll_terms *terms);
struct poll_move poll_step(struct poll *poll, enum poll_event event,
                           const struct response *response);
void poll_result(const struct poll *poll, struct poll_result *result);
