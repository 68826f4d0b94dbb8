/*
 * dns_request_private -- the structures and functions that the files of dns_request use
 * in common.
 *
 * dns_request.c sends the request and receives the answer. dns_request_encode.c encodes
 * the request. request_slots.c manages the slots of each server. The slots limit the open
 * requests, queue further requests, and store whether the server is silent. A request
 * frees itself before it calls its callback.
 */
#pragma once

#include "dns_request.h"

#include "base/log.h"
#include "core/forgery.h"
#include "core/response.h"
#include "core/silence.h"
#include "dns/frames.h"

struct figures;
struct loop_io;
struct loop_timer;

struct dns_request {
	struct dns_requests *requests;
	struct request_slots *slots;	/* NULL: mini-DNS does not know the server yet */
	struct dns_request *next, **link;	/* links in the queue of `slots` */
	struct dns_request_want want;
	struct soa_request ask;
	struct forgery forgery;
	uint8_t message[FRAME_PREFIX + SOA_REQUEST_MAX];
	/* length without the prefix; 0: mini-DNS does not have the TSIG key */
	size_t message_len;
	dns_request_fn *fn;
	void *self;
	bool open;			/* slots->open counts this request */
	/* true: mini-DNS has opened a socket for the request at least once */
	bool asked;
	/*
	 * the last answer without a valid MAC; if doubted.fault is NULL, no such answer
	 * has arrived
	 */
	struct response doubted;
	int fd;				/* the socket; -1: no socket */
	struct loop_io *io;
	struct loop_timer *timer;
	int64_t began_ms;
	int64_t end_ms;			/* when the request times out */
	int64_t due_us;			/* when the timer of the request is due */
	/* pause until mini-DNS sends the message again; 0: mini-DNS does not repeat it */
	int repeat_ms;
	size_t sent;			/* over TCP: number of octets sent so far */
	uint8_t *in;			/* over TCP: the length and the answer so far */
	size_t in_len;
};

/*
 * The kinds of requests. A server can ignore NOTIFYs but answer queries. So each kind has
 * its own struct silence.
 */
enum asked { ASKED_QUERY, ASKED_NOTIFY, ASKED_KINDS };

/* The number of open requests to one server, and the queue of further requests. */
struct request_slots {
	struct address server;
	/*
	 * True: there are more than 64 servers, and several servers share these slots.
	 * Servers that share slots never count as silent.
	 */
	bool shared;
	/* until this time, mini-DNS sends questions in lower case (core/forgery.h) */
	int64_t lower_case_until_ms;
	/* number of uncertain exchanges (core/forgery.h) */
	int case_suspicions;
	struct silence silence[ASKED_KINDS];
	struct dns_request *waiting, **waiting_end;
	int open;
};

struct dns_requests {
	struct loop *loop;
	struct servers *servers;	/* the servers and their keys */
	const struct figures *figures;
	struct request_slots *all_slots;
	/* request_slots.c calls this function to open a request */
	void (*open)(struct dns_request *request);
	/*
	 * request_slots.c calls this function for a request to a silent server. If the
	 * request is a NOTIFY over UDP, the function first sends the NOTIFY once. In all
	 * cases, the function ends the request immediately, without an answer.
	 */
	void (*skip)(struct dns_request *request);
	int server_count;
	/* counter that chooses the server whose request is opened next */
	unsigned next_server;
	/* the turn of the event loop to which the number in `answers` belongs */
	uint64_t turn;
	int answers;
	bool opening;			/* request_slots_open_waiting() is due */
	/* source addresses of the requests, one for each address family */
	struct address hosts[2];
	int host_count;
	struct log_limit unknown_server, mismatched;
};

/* ---- dns_request_encode.c ---- */

/*
 * Encodes the request, and signs it if the caller named a TSIG key. False: mini-DNS does
 * not have this key.
 */
bool dns_request_encode(struct dns_request *request);

/* ---- request_slots.c ---- */

struct request_slots *request_slots_new(void);
/*
 * True: mini-DNS may send the request to its server (servers_may_hear()). False: the
 * server is unknown, and mini-DNS reads the list of servers again soon.
 */
bool request_slots_is_known(const struct dns_request *request);
/*
 * Counts and logs a request that mini-DNS does not send, because no server of a pool has
 * the address.
 */
void request_slots_note_unknown(struct dns_request *request);
/* Puts the request at the end of the queue of its server, and opens it later. */
void request_slots_wait(struct dns_request *request);
/* Removes the request from the open requests or from the queue. */
void request_slots_leave(struct dns_request *request);
/*
 * Call it when the server has answered. After this call, the server no longer counts as
 * silent.
 */
void request_slots_answered(struct dns_request *request);
/*
 * Call it when the server has not answered within the timeout. After this call, the
 * server possibly counts as silent.
 */
void request_slots_unanswered(struct dns_request *request);
/*
 * Counts and logs a request that mini-DNS repeats over TCP, because the answers over UDP
 * are possibly forged.
 */
void request_slots_distrusted(struct dns_request *request);
/*
 * True: within the last hour, mini-DNS has found out that the server does not echo the
 * case of questions (core/forgery.h).
 */
bool request_slots_case_not_echoed(const struct dns_request *request);
void request_slots_note_case_not_echoed(struct dns_request *request);
