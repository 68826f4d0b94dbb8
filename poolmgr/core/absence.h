/*
 * absence -- decides whether a server no longer has a zone. A poll alone does not prove
 * that the zone is absent: REFUSED, NXDOMAIN or a referral only mean that the server
 * does not serve the zone to mini-DNS. An access list or a view can also cause these
 * answers. So the poll needs a confirmation:
 *
 * 	driver	over the control channel, the server deleted the zone, or answered that
 * 		the zone does not exist
 * 	answers	mini-DNS got a serial from the server with the same key: for this zone
 * 		before, or for the catalog zone of the server after the deletion
 *
 * The control channel can also show that the zone is not absent, because the server still
 * has the zone.
 */
#pragma once

#include "model/state.h"

enum confirmation {
	CONFIRMATION_NONE, CONFIRMATION_DRIVER, CONFIRMATION_ANSWERS, CONFIRMATION_DENIED,
	CONFIRMATION_COUNT
};

enum absence {
	ABSENCE_NOT_SEEN,	/* the poll does not show that the zone is absent */
	/*
	 * only the poll shows that the zone is absent; possibly, the server has the zone
	 * but refuses to serve it to mini-DNS
	 */
	ABSENCE_DOUBTED,
	/* the server has the zone, but refuses to serve it to mini-DNS */
	ABSENCE_REFUTED,
	ABSENCE_PROVEN,
	ABSENCE_COUNT
};

enum absence absence_of(enum report poll, enum confirmation confirmation);
/*
 * Returns a text for the operator. The caller appends the text to the reason of the poll.
 * "": no text is needed.
 */
const char *absence_words(enum absence absence);
