/*
 * stream -- the octets of a client's connection, in the clear or under TLS (RFC 7858; for
 * transfers RFC 9103): TLS 1.3, the ALPN token "dot" if the client names any, our
 * certificate, and by option one of the client's, signed by a CA of ours.
 *
 * A stream never blocks. It begins with a handshake, which in the clear is over at once;
 * stream_events() tells what to wait for on its socket, as TLS may have to read in order
 * to write, or write in order to read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct stream_tls_files {
	const char *certificate;	/* PEM: ours, then those that lead to its CA */
	const char *key;		/* PEM */
	const char *client_ca;		/* PEM; NULL: clients show no certificate */
};

/* What new connections are to be opened with. */
struct stream_tls;

struct stream_tls *stream_tls_new(void);
void stream_tls_free(struct stream_tls **tls);
/* Reads the files, again if need be; with ERR_INVALID all stays as it was. */
enum err stream_tls_load(struct stream_tls *tls, const struct stream_tls_files *files,
                         struct why *why);

struct stream {
	int fd;				/* owned; -1: closed */
	void *tls;			/* NULL: in the clear */
	bool shaking_hands;
	int wants;			/* LOOP_ events that TLS waits for besides */
};

/* TLS NULL: in the clear. */
void stream_open(struct stream *stream, int fd, const struct stream_tls *tls);
/* -1: it failed, and the stream is of no use; 0: later; 1: it is over. */
int stream_shake_hands(struct stream *stream);
/* As recv(2) and send(2): errno is EAGAIN when there is nothing to be done now. */
ssize_t stream_read(struct stream *stream, void *data, size_t size);
ssize_t stream_write(struct stream *stream, const void *data, size_t len);
/* What to wait for on the socket by someone who waits for EVENTS. */
int stream_events(const struct stream *stream, int events);
void stream_close(struct stream *stream);
