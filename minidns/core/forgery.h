/*
 * forgery -- decides whether mini-DNS accepts an answer from a name server, and when
 * mini-DNS changes from UDP to TCP.
 *
 * An attacker who knows the server's address and the port of mini-DNS must still guess
 * the id and the case of each letter of the question (0x20: draft-vixie-dnsext-dns0x20).
 * After FORGERY_GUESSES wrong answers, mini-DNS accepts no more answers over UDP.
 * Instead, mini-DNS sends the request again over TCP, where an attacker cannot answer. An
 * attacker cannot guess a TSIG MAC. So mini-DNS ignores a wrong answer to a signed
 * request and waits for the right answer. There is one exception: if no right answer
 * arrives, and the wrong answer says that the server does not have the zone
 * (is_unsigned_absence in response.h), mini-DNS repeats the request over TCP.
 */
#pragma once

#include <stdbool.h>

#include "core/response.h"
#include "model/name.h"

enum { FORGERY_GUESSES = 4, FORGERY_LETTERS = (NAME_MAX_WIRE + 7) / 8 };

enum forgery_link {
	FORGERY_UDP,
	FORGERY_UDP_LOWER_CASE,	/* the server does not echo the case of questions */
	FORGERY_UDP_SIGNED,
	FORGERY_TCP,
	FORGERY_LINKS
};

/*
 * After an answer that is not exact (FORGERY_INEXACT), mini-DNS also sends the request
 * over TCP. There are two possible causes: an attacker guessed the id, or the server does
 * not echo the case of questions. The answer over TCP shows which cause is true. If the
 * server does not echo the case, mini-DNS sends the later questions to this server in
 * lower case.
 *
 * If no answer arrives over TCP, the cause is uncertain: an attacker needs only the id to
 * forge an error without a question, for example while the server restarts. So mini-DNS
 * assumes the second cause only after FORGERY_SUSPICIONS such exchanges. An exchange with
 * a wrong answer does not count. An exact answer to a question with letters of both cases
 * resets the count to zero.
 */
enum { FORGERY_SUSPICIONS = 3 };

enum forgery_match {
	/* the answer has the id of the request, and the question octet by octet */
	FORGERY_EXACT,
	/* the id is right, but the question has a different case, or is missing */
	FORGERY_INEXACT,
	/* any other answer, or an answer without the required valid MAC */
	FORGERY_WRONG,
	FORGERY_MATCHES
};

enum forgery_move {
	FORGERY_TAKE,
	FORGERY_WAIT,
	FORGERY_LEAVE			/* send the request again over TCP */
};

/* The state of one exchange. Initialise the struct with zeroes. */
struct forgery {
	enum forgery_link link;
	int wrong;			/* number of wrong answers so far */
	/* true: mini-DNS changed to TCP because an answer over UDP was inexact */
	bool case_in_doubt;
};

enum forgery_match forgery_match_of(const struct response *response);
enum forgery_move forgery_step(struct forgery *forgery, enum forgery_match match);
/*
 * Call it at the end of an exchange. True: the server does not echo the case of
 * questions. RESPONSE is the accepted answer over UDP or TCP; NULL: no answer arrived.
 * SUSPICIONS belongs to the server: the number of uncertain exchanges since the last
 * exact answer. When the number reaches FORGERY_SUSPICIONS, the function returns true and
 * decreases the number by one. So after the next uncertain exchange, the function returns
 * true again.
 */
bool forgery_case_not_echoed(const struct forgery *forgery,
                             const struct response *response, int *suspicions);
/*
 * Gives each letter of NAME a random case. NAME is in lower case. RANDOM contains a
 * random bit for each octet of NAME.
 */
void forgery_mix_case(struct name *name, const uint8_t random[FORGERY_LETTERS]);
