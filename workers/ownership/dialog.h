/*
 * dialog -- a TCP connection to a name server, that carries messages both ways: ours go
 * out one behind the other, and each of the server's is handed over when it is whole.
 *
 * While something is awaited the server may say nothing for so long, and take so long in
 * all; what is not awaited any more may be silent as it likes. Nothing blocks, and no
 * callback comes from within a call.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "dns/address.h"

struct dialog;
struct loop;

struct dialog_listener {
	/* DATA is borrowed. The dialog may be closed here. */
	void (*heard)(void *self, const uint8_t *data, size_t len);
	/* Once, and the last: WORDS go behind the server's name. It is to be closed. */
	void (*ended)(void *self, const char *words);
	void *self;
};

struct dialog *dialog_open(struct loop *loop, const struct address *server,
                           const struct dialog_listener *listener);
/* MESSAGE is copied. An answer is awaited from now on. */
void dialog_say(struct dialog *dialog, const uint8_t *message, size_t len,
                int64_t silence_ms, int64_t whole_ms);
void dialog_rest(struct dialog *dialog);	/* nothing is awaited */
void dialog_close(struct dialog **dialog);
