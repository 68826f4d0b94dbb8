/*
 * stream -- the octets of a client's connection, with or without TLS (RFC 7858; for
 * transfers RFC 9103). A TLS connection uses version 1.3, the certificate of mini-DNS,
 * and the ALPN token "dot" if the client sends any ALPN token. If the option
 * tls_client_ca names a CA, the client must present a certificate that this CA has
 * signed.
 *
 * A stream never blocks. A stream begins with a handshake. Without TLS, the handshake
 * ends immediately. TLS sometimes has to read before it can write, or has to write before
 * it can read. stream_events() returns the events to wait for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct stream_tls_files {
	/* path of a PEM file: the certificate of mini-DNS, then the chain to its CA */
	const char *certificate;
	const char *key;		/* path of a PEM file: the key of mini-DNS */
	/* path of a PEM file: the CA of clients; NULL: clients need no certificate */
	const char *client_ca;
};

/* The certificates and the key for new connections. */
struct stream_tls;

struct stream_tls *stream_tls_new(void);
void stream_tls_free(struct stream_tls **tls);
/*
 * Reads the files. Call it again when the files change. After an error, new connections
 * still use the content of the old files.
 */
enum err stream_tls_load(struct stream_tls *tls, const struct stream_tls_files *files,
                         struct why *why);

struct stream {
	int fd;				/* the socket, owned; -1: closed */
	void *tls;			/* NULL: no TLS */
	bool shaking_hands;
	int wants;			/* LOOP_ events that TLS also waits for */
};

/* Opens a stream on the socket FD. TLS NULL: no TLS. */
void stream_open(struct stream *stream, int fd, const struct stream_tls *tls);
/*
 * Continues the handshake. Returns 1: finished; 0: not finished; -1: the handshake
 * failed, and the stream cannot be used.
 */
int stream_shake_hands(struct stream *stream);
/* Like recv(2) and send(2): errno is EAGAIN if the call would block. */
ssize_t stream_read(struct stream *stream, void *data, size_t size);
ssize_t stream_write(struct stream *stream, const void *data, size_t len);
/* Returns the events to wait for on the socket, if the caller waits for EVENTS. */
int stream_events(const struct stream *stream, int events);
void stream_close(struct stream *stream);
