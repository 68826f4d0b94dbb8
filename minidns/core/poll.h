/*
 * poll -- decides when and how often mini-DNS polls a name server, until the server
 * serves the wanted serial of a zone (requirements: seed 000, poll_for_serial_number).
 * The caller passes each event to this module and performs the action that the module
 * returns.
 *
 * 	held	 the poll waits for the answer to the NOTIFY, the end of a transfer or a
 * 		 timer
 * 	asking	 a query has no answer yet
 * 	pausing	 a timer runs until the next query
 * 	ended	 the poll has reported its result; no more events follow
 *
 * The pace of the server (core/pace.h) is the wait before the first query. This wait
 * starts when the server answers the NOTIFY, or when a transfer with the wanted serial
 * ends.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/pace.h"
#include "core/response.h"
#include "model/state.h"

/*
 * If a server answers, but not with the wanted serial, the next query follows soon. The
 * first pause is 5 ms, or the pace of the server if the pace is longer than 5 ms. Each
 * further pause is twice as long, up to the retry interval. A pause of the whole retry
 * interval counts as a try. Silence and a query that mini-DNS could not send also count
 * as tries. While a transfer of the zone to the server runs, no event counts as a try. A
 * server that gets no commands creates and deletes zones by itself, and possibly needs
 * the time `patience_ms`. During this time, an answer does not count as a try if the
 * answer only shows that the server has not created or deleted the zone yet. A timeout
 * never proves that the zone is absent.
 */
struct poll_terms {
	/* the serial to wait for; the reason of a result contains this serial */
	uint32_t wanted;
	/* true: wait until the server no longer has the zone */
	bool absence;
	int timeout_ms, retry_interval_ms, max_retries;
	/*
	 * the server gets no commands, and creates or deletes the zone by itself within
	 * this time; 0: the server gets commands
	 */
	int patience_ms;
};

enum poll_event {
	POLL_NOTIFY_ANSWERED,
	/* a transfer of this zone to this server began in this process */
	POLL_TRANSFER_BEGAN,
	/*
	 * A transfer of this zone to this server ended in this process, or another
	 * process has reported the end of such a transfer. The response contains the
	 * serial of the transfer; NULL: the transfer failed.
	 */
	POLL_TRANSFER_ENDED,
	POLL_TIMER,
	/* the kind of the response is SERIAL, ABSENT, LAME, FAILED or UNASKED */
	POLL_ANSWERED,
	POLL_SILENT,			/* no answer within the whole timeout */
	POLL_EVENTS
};

enum poll_state { POLL_HELD, POLL_ASKING, POLL_PAUSING, POLL_ENDED, POLL_STATES };

struct poll {
	struct poll_terms terms;
	enum poll_state state;
	int tries;			/* number of failed tries */
	/* length of the next pause after an answer without the wanted serial */
	int pause_ms;
	int paused_ms;			/* length of the current pause */
	int patience_ms;		/* the remaining part of patience_ms */
	struct pace *pace;		/* the pace of the server; the caller owns it */
	/*
	 * The poll sends a query at the server's pace after an event. These two members
	 * are the events before the next query and before the current query.
	 * PACE_COUNT: no such event.
	 */
	enum pace_from next_from, asked_from;
	/* how often the end of a transfer has shortened the wait */
	int restarts;
	/* number of running transfers of this zone to this server in this process */
	int transfers;
	/* true: this order replaced an order whose result mini-DNS has not reported */
	bool has_unreported;
	uint32_t unreported;		/* the serial of the replaced order */
	/* true: the last query got no answer; false: `last` is the answer */
	bool silent;
	bool is_server_silent;		/* the server answers no query about any domain */
	struct response last;
	/* an answer of the server contained a serial */
	bool has_serial;
	uint32_t serial;
};

struct poll_move {
	enum {
		POLL_STAY,
		POLL_SEND,		/* send a query */
		POLL_WAIT,		/* start a timer of wait_ms, for POLL_TIMER */
		POLL_REPORT,		/* the poll is over: report poll_result() */
	} action;
	int wait_ms;
	/*
	 * true: in addition to the action, report REPORT_SUCCESS for the replaced order
	 */
	bool reached_unreported;
};

struct poll_result {
	enum report report;
	/*
	 * True: an answer of the server contained a serial. With REPORT_NO_DOMAIN, the
	 * member is true only if the poll waits for the absence of the zone, the server
	 * served the zone earlier during this poll, and the last answer has no fault.
	 */
	bool has_serial;
	bool silent;			/* the server did not answer the last query */
	/*
	 * mini-DNS could not send the last query, so the result shows nothing about the
	 * server
	 */
	bool unasked;
	uint32_t serial;
	char reason[256];		/* "" with REPORT_SUCCESS */
};

/*
 * Starts a poll. PACE must outlive the poll. NOTIFY_IS_OUT is true if the server has not
 * answered a NOTIFY for the zone yet. In this case, the poll does not send a query
 * immediately.
 */
struct poll_move poll_start(struct poll *poll, const struct poll_terms *terms,
                            struct pace *pace, bool notify_is_out);
/* Replaces the current order with a newer order for the same zone and server. */
struct poll_move poll_renew(struct poll *poll, const struct poll_terms *terms);
struct poll_move poll_step(struct poll *poll, enum poll_event event,
                           const struct response *response);
void poll_result(const struct poll *poll, struct poll_result *result);
/*
 * Returns the parameters with which another process continues the poll. These parameters
 * contain the remaining tries and the remaining part of patience_ms.
 */
struct poll_terms poll_left(const struct poll *poll);
