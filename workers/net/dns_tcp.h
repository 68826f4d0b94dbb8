/*
 * dns_tcp -- a TCP connection of ours that carries DNS messages both ways (RFC 1035 4.2.2),
 * with deadlines. It says what comes, and that it is over, once; whose message it is, and
 * what to do without one, is the owner's part.
 *
 * A turn of the loop reads one message at most, and of the stream nothing beyond it. The
 * owner frees the link, within its callbacks too, after which none comes any more.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct link;
struct loop;

enum link_end {
	LINK_NONE,			/* there never was a socket */
	LINK_REFUSED,			/* nobody took the connection */
	LINK_BROKEN,			/* closed or reset by the other side */
	LINK_SILENT,			/* nothing came for too long */
	LINK_LATE,			/* what came, came for too long */
};

/* Neither comes from within a call of this file. */
struct link_listener {
	/* LEN octets, until it returns. */
	void (*message)(void *self, const uint8_t *data, size_t len);
	/* The link does nothing any more, and is still to be freed. */
	void (*end)(void *self, enum link_end end);
	void *self;
};

/* Takes FD, which is on its way (client_socket.h), or -1: then it ends soon. */
struct link *link_new(struct loop *loop, int fd, const struct link_listener *listener);
void link_free(struct link **link);
/* A message of at most 65535 octets, which is copied. */
void link_send(struct link *link, const uint8_t *data, size_t len);
/*
 * From now on a message must come within SILENCE_MS, and so long behind it the next, and
 * all that is waited for within WHOLE_MS. Before that call there is no deadline.
 */
void link_expect(struct link *link, int64_t silence_ms, int64_t whole_ms);
