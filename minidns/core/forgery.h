/*
 * forgery -- which answer a request accepts, and when it goes from UDP to TCP.
 *
 * A forger who knows the server's address and our port must still guess the id and the
 * case of each letter of the question (0x20: draft-vixie-dnsext-dns0x20). After
 * FORGERY_GUESSES wrong answers the request asks again over TCP, where a forger cannot
 * answer, and reads nothing more from UDP. It also asks over TCP after an inexact
 * answer: the id is right and the question is not ours octet by octet. This is a
 * forger's guess, or the server does not echo the case of questions. The answer over
 * TCP shows which. From then on mini-DNS asks such a server in lower case. A forger
 * cannot guess a signature: a wrong answer to a signed question changes nothing.
 *
 * Pure: a table.
 */
#pragma once

#include <stdbool.h>

#include "core/response.h"
#include "model/name.h"

enum { FORGERY_GUESSES = 4, FORGERY_LETTERS = (NAME_MAX_WIRE + 7) / 8 };

enum forgery_link {
	FORGERY_UDP,
	FORGERY_UDP_LOWER_CASE,		/* the server does not echo the case of questions */
	FORGERY_UDP_SIGNED,
	FORGERY_TCP,
	FORGERY_LINKS
};

enum forgery_heard {
	FORGERY_EXACT,			/* our id, and our question octet by octet */
	FORGERY_INEXACT,		/* our id; the question in another case, or none */
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
	bool case_in_doubt;		/* an answer over UDP was inexact */
};

enum forgery_heard forgery_heard(const struct response *response);
enum forgery_move forgery_step(struct forgery *forgery, enum forgery_heard heard);
/*
 * True: the server does not echo the case of questions. JUDGEMENT is of the answer over
 * TCP; NULL: no answer came.
 */
bool forgery_case_not_echoed(const struct forgery *forgery,
                             const struct response *response);
/* NAME in lower case gets each letter in a case of its own, by a random bit an octet. */
void forgery_mix_case(struct name *name, const uint8_t random[FORGERY_LETTERS]);
