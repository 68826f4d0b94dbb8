#include "core/forgery.h"

enum { COUNT = FORGERY_LEAVE + 1 };	/* wait; after the last guess leave */

static const unsigned char table[FORGERY_LINKS][FORGERY_MATCHES] = {
	/*                             exact         inexact        wrong */
	[FORGERY_UDP]            = { FORGERY_TAKE, FORGERY_LEAVE, COUNT },
	[FORGERY_UDP_LOWER_CASE] = { FORGERY_TAKE, FORGERY_TAKE,  COUNT },
	[FORGERY_UDP_SIGNED]     = { FORGERY_TAKE, FORGERY_TAKE,  FORGERY_WAIT },
	[FORGERY_TCP]            = { FORGERY_TAKE, FORGERY_TAKE,  FORGERY_WAIT },
};

enum forgery_match forgery_match_of(const struct response *response)
{
	if (response->kind == RESPONSE_MISMATCH)
		return FORGERY_WRONG;
	return response->is_exact ? FORGERY_EXACT : FORGERY_INEXACT;
}

enum forgery_move forgery_step(struct forgery *forgery, enum forgery_match match)
{
	int move = table[forgery->link][match];

	forgery->wrong += match == FORGERY_WRONG;
	if (move == COUNT)
		move = forgery->wrong < FORGERY_GUESSES ? FORGERY_WAIT : FORGERY_LEAVE;
	if (move == FORGERY_LEAVE) {
		forgery->link = FORGERY_TCP;
		forgery->case_in_doubt = match == FORGERY_INEXACT;
	}
	return move;
}

/* False: the question was in lower case, so an exact answer says nothing. */
static bool forgery_tests_case(const struct forgery *forgery)
{
	return forgery->link == FORGERY_UDP || forgery->link == FORGERY_TCP;
}

/* The cause of an inexact answer is uncertain, because no answer arrived over TCP. */
static bool forgery_suspect(const struct forgery *forgery, int *suspicions)
{
	if (forgery->wrong || ++*suspicions < FORGERY_SUSPICIONS)
		return false;
	*suspicions = FORGERY_SUSPICIONS - 1;
	return true;
}

bool forgery_case_not_echoed(const struct forgery *forgery,
                             const struct response *response, int *suspicions)
{
	if (!response)
		return forgery->case_in_doubt && forgery_suspect(forgery, suspicions);
	if (forgery_match_of(response) == FORGERY_EXACT && forgery_tests_case(forgery))
		*suspicions = 0;
	return forgery->case_in_doubt && forgery_match_of(response) == FORGERY_INEXACT;
}

void forgery_mix_case(struct name *name, const uint8_t random[FORGERY_LETTERS])
{
	for (int i = 0; i < name->len; i++)
		if (name->wire[i] >= 'a' && name->wire[i] <= 'z' &&
		    random[i / 8] >> i % 8 & 1)
			name->wire[i] -= 'a' - 'A';
}
