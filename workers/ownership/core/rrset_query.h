/*
 * question -- what of one record set a name server has, as a question and its answer.
 *
 * An answer counts only if it is the server's own (AA). What comes with the set, as the
 * way to it through an alias, or what an alias leads to, is no part of it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/rrset.h"
#include "dns/canonical.h"
#include "dns/reply.h"
#include "model/name.h"

enum { QUESTION_MAX = 1024 };		/* octets */

struct question {
	struct name name;		/* in lower case */
	uint16_t type;
	struct sent_message request;
};

/*
 * Of question->name and ->type, as a message with ID, signed with KEY unless it is NULL.
 * Returns its length; DATA has QUESTION_MAX octets.
 */
size_t question_put(struct question *question, uint16_t id, const struct tsig_key *key,
                    uint64_t now, uint8_t *data);

/* What an answer is taken into. */
struct question_room {
	struct arena *arena;		/* where the set is */
	struct canonical *record;	/* of one record, until it is read */
};

/*
 * The set as the message in DATA has it: sorted, and of no records if there are none.
 * ERR_REMOTE, in words behind the server's name: nothing is known of it.
 */
enum err question_answer(const struct question *question, const uint8_t *data, size_t len,
                         uint64_t now, const struct question_room *room,
                         struct rrset *set, struct why *why);
