/*
 * absence -- is a zone gone from a server? Two witnesses are needed (DESIGN 12). A poll is
 * the first: REFUSED, NXDOMAIN, a referral say that the server does not answer *us* for
 * the zone, which an access list or a view does, too. The second is
 *
 *	driver	 the server's control channel: it deleted the zone, or has none
 *	answers	 the server's proper answers under the same key, shortly before: for this
 *		 zone, or for the catalog that it provisions itself from
 *
 * and the control channel may speak against the poll: it has the zone. Pure.
 */
#pragma once

#include "model/state.h"

enum confirmation {
	CONFIRMATION_NONE, CONFIRMATION_DRIVER, CONFIRMATION_ANSWERS, CONFIRMATION_DENIED,
		CONFIRMATION_COUNT
};

enum absence {
	ABSENCE_NOT_SEEN,	/* the poll does not say so */
	ABSENCE_DOUBTED,	/* it alone does: the server may refuse all that we ask */
	ABSENCE_REFUTED,	/* the server has the zone, and does not answer us for it */
	ABSENCE_PROVEN,
	ABSENCE_COUNT
};

enum absence absence_of(enum report poll, enum confirmation confirmation);
/* What an operator is to do about it; "" where there is nothing. */
const char *absence_words(enum absence absence);
