/*
 * forgery -- which answer an exchange takes, and when it leaves UDP. Whoever writes the
 * server's address and our port on his datagrams still has to guess the id and the case
 * of each letter of the question (draft-vixie-dnsext-dns0x20), and has few guesses:
 * after FORGERY_GUESSES wrong answers the exchange goes on over TCP, where a forger
 * cannot answer, and reads nothing more from UDP.
 *
 * An answer of the right id without our question octet by octet is a good guess, or the
 * answer of a server that does not echo questions as it should: TCP tells which it is.
 * Such a server is loose: mini-DNS asks it in lower case from then on. A forger cannot
 * guess a signature: a wrong answer to a signed question changes nothing.
 *
 * Pure: a table.
 */
#pragma once

#include <stdbool.h>

#include "core/verdict.h"
#include "model/name.h"

enum { FORGERY_GUESSES = 4, FORGERY_LETTERS = (NAME_MAX_WIRE + 7) / 8 };

enum forgery_link {
	FORGERY_UDP,
	FORGERY_UDP_LOOSE,		/* of a server that is known to be loose */
	FORGERY_UDP_SIGNED,
	FORGERY_TCP,
	FORGERY_LINKS
};

enum forgery_heard {
	FORGERY_EXACT,			/* our id, and our question octet by octet */
	FORGERY_LOOSE,			/* our id; the question in another case, or none */
	FORGERY_WRONG,			/* anything else, or not signed as it must be */
	FORGERY_HEARD
};

enum forgery_move {
	FORGERY_TAKE,
	FORGERY_WAIT,
	FORGERY_LEAVE			/* ask again over TCP */
};

/* All zeroes is a good start. */
struct forgery {
	enum forgery_link link;
	int wrong;			/* answers so far */
	bool loose;			/* one over UDP was, and TCP has to tell */
};

enum forgery_heard forgery_heard(const struct judgement *judgement);
enum forgery_move forgery_step(struct forgery *forgery, enum forgery_heard heard);
/* Does what came over TCP say that the server is loose? NULL: no answer came. */
bool forgery_is_loose(const struct forgery *forgery, const struct judgement *judgement);
/* NAME in lower case gets each letter in a case of its own, by a random bit an octet. */
void forgery_mix_case(struct name *name, const uint8_t random[FORGERY_LETTERS]);
