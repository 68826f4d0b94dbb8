#include "stream.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/loop.h"

/* ---- the TLS context ---- */

struct stream_tls {
	SSL_CTX *context;
};

struct stream_tls *stream_tls_new(void)
{
	return xcalloc(1, sizeof(struct stream_tls));
}

void stream_tls_free(struct stream_tls **tls)
{
	if (*tls)
		SSL_CTX_free((*tls)->context);
	free(*tls);
	*tls = NULL;
}

/* A client that names protocols must name "dot" (RFC 7858 3.1, RFC 9103 7.1). */
static int stream_choose_protocol(SSL *ssl, const unsigned char **out,
                                  unsigned char *out_len, const unsigned char *in,
                                  unsigned in_len, void *unused)
{
	static const unsigned char dot[] = "\3dot";

	(void)ssl, (void)unused;
	int chosen = SSL_select_next_proto((unsigned char **)out, out_len, dot,
	                                   sizeof(dot) - 1, in, in_len);

	return chosen == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK
	                                        : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* If the system has the reason, it is the first error of OpenSSL. */
static enum err stream_fail_file(struct why *why, const char *what, const char *path)
{
	const char *reason = ERR_reason_error_string(ERR_peek_last_error());
	unsigned long first = ERR_peek_error();
	enum err err = ERR_INVALID;

	errno = ERR_SYSTEM_ERROR(first) ? ERR_GET_REASON(first) : 0;
	if (errno)
		reason = strerror(errno);
	if (descriptors_lack("a certificate"))
		err = ERR_BUSY;
	return fail(why, err, "minidns.%s: cannot load %s: %s", what, path,
	            reason ? reason : "OpenSSL gives no reason");
}

static enum err stream_load(SSL_CTX *context, const struct stream_tls_files *files,
                            struct why *why)
{
	ERR_clear_error();
	if (SSL_CTX_use_certificate_chain_file(context, files->certificate) != 1)
		return stream_fail_file(why, "tls_certificate", files->certificate);
	if (SSL_CTX_use_PrivateKey_file(context, files->key, SSL_FILETYPE_PEM) != 1)
		return stream_fail_file(why, "tls_key", files->key);
	if (!files->client_ca)
		return OK;
	if (SSL_CTX_load_verify_locations(context, files->client_ca, NULL) != 1)
		return stream_fail_file(why, "tls_client_ca", files->client_ca);
	SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(files->client_ca));
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
	                   NULL);
	return OK;
}

enum err stream_tls_load(struct stream_tls *tls, const struct stream_tls_files *files,
                         struct why *why)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	enum err err;

	bug_if(!context);
	SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
	SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
				  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
				  SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_alpn_select_cb(context, stream_choose_protocol, NULL);
	/* a client may reach any process, and each would have its own tickets */
	SSL_CTX_set_num_tickets(context, 0);
	err = stream_load(context, files, why);
	if (err) {
		SSL_CTX_free(context);
		return err;
	}
	SSL_CTX_free(tls->context);
	tls->context = context;
	return OK;
}

/* ---- a connection ---- */

void stream_open(struct stream *stream, int fd, const struct stream_tls *tls)
{
	SSL *ssl = NULL;

	if (tls) {
		ssl = SSL_new(tls->context);
		bug_if(!ssl || !SSL_set_fd(ssl, fd));
		SSL_set_accept_state(ssl);
	}
	*stream = (struct stream){
		.fd = fd, .tls = ssl, .shaking_hands = ssl,
		/* the client begins the handshake */
		.wants = ssl ? LOOP_READ : 0,
	};
}

/* The result of a TLS operation that did not succeed: 0 at the end, else -1. */
static int stream_outcome(struct stream *stream, int result)
{
	switch (SSL_get_error(stream->tls, result)) {
	case SSL_ERROR_WANT_READ:
		stream->wants = LOOP_READ;
		errno = EAGAIN;
		return -1;
	case SSL_ERROR_WANT_WRITE:
		stream->wants = LOOP_WRITE;
		errno = EAGAIN;
		return -1;
	case SSL_ERROR_ZERO_RETURN:
		return 0;
	default:
		errno = ECONNRESET;
		return -1;
	}
}

int stream_shake_hands(struct stream *stream)
{
	int result;

	if (!stream->shaking_hands)
		return 1;
	ERR_clear_error();
	stream->wants = 0;
	result = SSL_do_handshake(stream->tls);
	if (result == 1) {
		stream->shaking_hands = false;
		return 1;
	}
	return stream_outcome(stream, result) < 0 && errno == EAGAIN ? 0 : -1;
}

ssize_t stream_read(struct stream *stream, void *data, size_t size)
{
	size_t got;
	int result;

	if (!stream->tls)
		return recv(stream->fd, data, size, 0);
	ERR_clear_error();
	stream->wants = 0;
	result = SSL_read_ex(stream->tls, data, size, &got);
	if (result == 1)
		return (ssize_t)got;
	result = stream_outcome(stream, result);
	/* the caller waits for reading itself, if it needs to */
	stream->wants &= ~LOOP_READ;
	return result;
}

ssize_t stream_write(struct stream *stream, const void *data, size_t len)
{
	size_t sent;
	int result;

	if (!stream->tls)
		return send(stream->fd, data, len, MSG_NOSIGNAL);
	ERR_clear_error();
	stream->wants = 0;
	result = SSL_write_ex(stream->tls, data, len, &sent);
	if (result == 1)
		return (ssize_t)sent;
	if (stream_outcome(stream, result) == 0)
		errno = ECONNRESET;		/* the client has announced its end */
	stream->wants &= ~LOOP_WRITE;
	return -1;
}

int stream_events(const struct stream *stream, int events)
{
	return stream->shaking_hands ? stream->wants : events | stream->wants;
}

void stream_close(struct stream *stream)
{
	if (stream->tls && !stream->shaking_hands) {
		ERR_clear_error();
		SSL_shutdown(stream->tls);	/* announces the end, and does not wait */
	}
	SSL_free(stream->tls);
	if (stream->fd >= 0)
		close(stream->fd);
	stream->tls = NULL;
	stream->fd = -1;
}
