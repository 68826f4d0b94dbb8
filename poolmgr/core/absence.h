/*
 * absence -- decides whether a zone is gone from a server. A poll alone does not prove
 * it: REFUSED, NXDOMAIN or a referral only mean that the server does not answer *us* for
 * the zone. An access list or a view has the same effect. So the poll needs a
 * confirmation:
 *
 *	driver	the control channel: the server deleted the zone, or does not have it
 *	answers	the server answered under the same key shortly before, for this zone or
 *		for the catalog zone from which it provisions itself
 *
 * The control channel can also deny the poll: the server has the zone. Pure.
 */
#pragma once

#include "model/state.h"

enum confirmation {
	CONFIRMATION_NONE, CONFIRMATION_DRIVER, CONFIRMATION_ANSWERS, CONFIRMATION_DENIED,
	CONFIRMATION_COUNT
};

enum absence {
	ABSENCE_NOT_SEEN,	/* the poll does not say that the zone is gone */
	ABSENCE_DOUBTED,	/* only the poll says so: the server may refuse us */
	ABSENCE_REFUTED,	/* the server has the zone, but refuses us */
	ABSENCE_PROVEN,
	ABSENCE_COUNT
};

enum absence absence_of(enum report poll, enum confirmation confirmation);
/* A text for the operator; "": no action is needed. */
const char *absence_words(enum absence absence);
