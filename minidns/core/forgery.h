/*
 * forgery -- decides which answer a request accepts, and when the request changes from
 * UDP to TCP.
 *
 * An attacker who knows the server's address and our port must still guess the id and the
 * case of each letter of the question (0x20: draft-vixie-dnsext-dns0x20). After
 * FORGERY_GUESSES wrong answers mini-DNS reads no more answers over UDP. It sends the
 * request again over TCP, where an attacker cannot answer. mini-DNS also sends the
 * request over TCP after an inexact answer, which has the right id, but not exactly the
 * question that mini-DNS sent. Then either an attacker guessed, or the server does not
 * echo the case of questions. The answer over TCP shows which. From then on mini-DNS
 * sends questions to such a server in lower case. An attacker cannot guess a signature: a
 * wrong answer to a signed question changes nothing.
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

enum forgery_match {
	FORGERY_EXACT,			/* our id, and our question octet by octet */
	/* our id; the question has another case, or is missing */
	FORGERY_INEXACT,
	/* anything else, or without the required signature */
	FORGERY_WRONG,
	FORGERY_MATCHES
};

enum forgery_move {
	FORGERY_TAKE,
	FORGERY_WAIT,
	FORGERY_LEAVE			/* send the question again over TCP */
};

/* Initialise it with zeroes. */
struct forgery {
	enum forgery_link link;
	int wrong;			/* answers so far */
	bool case_in_doubt;		/* an answer over UDP was inexact */
};

enum forgery_match forgery_match_of(const struct response *response);
enum forgery_move forgery_step(struct forgery *forgery, enum forgery_match match);
/*
 * True: the server does not echo the case of questions. RESPONSE is the answer over TCP;
 * NULL: no answer came.
 */
bool forgery_case_not_echoed(const struct forgery *forgery,
                             const struct response *response);
/*
 * Gives each letter of NAME, which is in lower case, a random case: a bit for each octet.
 */
void forgery_mix_case(struct name *name, const uint8_t random[FORGERY_LETTERS]);
