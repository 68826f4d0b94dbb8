/*
 * broker_admin -- what a person does with queues: how many messages wait in one, what the
 * dead letters are, back to work with them or away. For the command line, and for a lane
 * that counts now and then: each call blocks, for ten seconds at most.
 *
 * A letter that was taken is the desk's alone until it is settled, or the desk is closed:
 * then it is in its queue again. Sending one back and dropping the dead one is two steps;
 * dying between them leaves both, and a message that comes twice has one effect.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "runtime/broker.h"

struct broker_desk;

/* The first host of the URL that answers. ERR_UNREACHABLE. */
enum err broker_desk_open(const struct broker_config *config, struct broker_desk **desk,
                          struct why *why);
void broker_desk_close(struct broker_desk **desk);

/*
 * For a desk that is kept: made first, and connected when needed, again after a failure,
 * by broker_desk_hang_up(). Nobody sends heartbeats for it: let CONFIG have none. Another
 * thread may cancel: what is under way ends soon (a TCP connect within five seconds), and
 * nothing is begun any more but broker_desk_close().
 */
struct broker_desk *broker_desk_new(const struct broker_config *config);
enum err broker_desk_connect(struct broker_desk *desk, struct why *why);
void broker_desk_hang_up(struct broker_desk *desk);
void broker_desk_cancel(struct broker_desk *desk);

struct desk_queue {
	bool exists;
	uint32_t messages, consumers;	/* ready to be delivered; those that take them */
};
enum err broker_desk_count(struct broker_desk *desk, const char *queue,
                           struct desk_queue *found, struct why *why);
/* A work queue, with the messages that wait for another try, and those that died. */
struct desk_depth {
	struct desk_queue work, dead;
	uint32_t delayed;
};
enum err broker_desk_depth(struct broker_desk *desk, const char *queue,
                           struct desk_depth *depth, struct why *why);

/* Texts and body are in the arena of the take. */
struct desk_letter {
	uint64_t tag;
	const uint8_t *body;
	size_t len;
	const char *queue;		/* that it came from; "" if it does not say */
	const char *reason;
	int64_t buried_unix;		/* 0: it does not say */
	bool is_json;
};
/* The oldest that nobody has. False: there is none. */
enum err broker_desk_take(struct broker_desk *desk, const char *queue,
                          struct arena *arena, struct desk_letter *letter, bool *found,
                          struct why *why);
/*
 * Sends a copy of the letter to QUEUE, persistent and confirmed. With VOUCH the message
 * names the broker account of the desk: workers then treat this account as the sender of
 * the request. ERR_NOT_FOUND: there is no such queue.
 */
enum err broker_desk_send(struct broker_desk *desk, const char *queue,
                          const struct desk_letter *letter, bool vouch, struct why *why);
enum err broker_desk_drop(struct broker_desk *desk, const struct desk_letter *letter,
                          struct why *why);
