/*
 * dns_request_private -- the structures and functions that the files of dns_request use
 * in common.
 *
 * dns_request.c sends the request and receives the answer. dns_request_encode.c encodes
 * the request. request_slots.c manages the slots of each server. It limits the open
 * requests, queues further requests, and stores whether the server is silent. A request
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
	struct request_slots *slots;	/* NULL: mini-DNS has not found the server yet */
	struct dns_request *next, **link;	/* links in the queue of the slots */
	struct dns_request_want want;
	struct soa_request ask;
	struct forgery forgery;
	uint8_t message[FRAME_PREFIX + SOA_REQUEST_MAX];
	size_t message_len;		/* 0: mini-DNS does not have the TSIG key */
	dns_request_fn *fn;
	void *self;
	bool open;			/* slots->open counts this request */
	bool asked;			/* the request had a socket */
	/* the last answer without a valid MAC; fault NULL: no such answer */
	struct response doubted;
	/* -1: no socket; the request waits for its timeout */
	int fd;
	struct loop_io *io;
	struct loop_timer *timer;
	int64_t began_ms;
	int64_t end_ms;			/* when the request times out */
	int64_t due_us;			/* when its timer is due */
	/* time until mini-DNS sends the message again; 0: never */
	int repeat_ms;
	size_t sent;			/* over TCP */
	uint8_t *in;			/* over TCP: the length and the answer so far */
	size_t in_len;
};

/* A server may ignore NOTIFYs but answer queries, so each kind has its own silence. */
enum asked { ASKED_QUERY, ASKED_NOTIFY, ASKED_KINDS };

/* The requests to one server: the number of open requests, and the queue. */
struct request_slots {
	struct address server;
	/* several servers have this address: the address never counts as silent */
	bool shared;
	int64_t lower_case_until_ms;	/* core/forgery.h */
	int case_suspicions;		/* core/forgery.h */
	struct silence silence[ASKED_KINDS];
	struct dns_request *waiting, **waiting_end;
	int open;
};

struct dns_requests {
	struct loop *loop;
	struct servers *servers;	/* the servers and their keys */
	const struct figures *figures;
	struct request_slots *all_slots;
	/* the slots call this function and skip() */
	void (*open)(struct dns_request *request);
	/* The server is silent. Ends the request immediately, without an answer. */
	void (*skip)(struct dns_request *request);
	int server_count;
	unsigned next_server;		/* the server that gets the next request */
	/* the turn of the event loop in which `answers` counts */
	uint64_t turn;
	int answers;
	bool opening;			/* request_slots_open_waiting() is due */
	struct address hosts[2];
	int host_count;
	struct log_limit unknown_server, mismatched;
};

/* ---- dns_request_encode.c ---- */

/* False: mini-DNS does not have the TSIG key of the server. */
bool dns_request_encode(struct dns_request *request);

/* ---- request_slots.c ---- */

struct request_slots *request_slots_new(void);
/*
 * False: no server of a pool has the address. mini-DNS then reads the servers again
 * soon.
 */
bool request_slots_is_known(const struct dns_request *request);
/*
 * Counts and logs a request that mini-DNS does not send, because no server of a pool has
 * the address.
 */
void request_slots_note_unknown(struct dns_request *request);
/* Puts the request at the end of the queue of its server. */
void request_slots_wait(struct dns_request *request);
/* Removes the request from the open requests or from the queue. */
void request_slots_leave(struct dns_request *request);
/* Call it when the server has answered. */
void request_slots_answered(struct dns_request *request);
/* Call it when the server has not answered within the timeout. */
void request_slots_unanswered(struct dns_request *request);
/*
 * Counts and logs a request that mini-DNS repeats over TCP, because the answers over UDP
 * may be forged.
 */
void request_slots_distrusted(struct dns_request *request);
/*
 * True: an earlier answer showed that the server does not echo the case of a question
 * (core/forgery.h).
 */
bool request_slots_case_not_echoed(const struct dns_request *request);
void request_slots_note_case_not_echoed(struct dns_request *request);
