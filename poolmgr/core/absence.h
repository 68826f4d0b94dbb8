/*
 * absence -- decides whether a server no longer has a zone. A poll alone does not prove
 * this: REFUSED, NXDOMAIN or a referral only mean that the server does not serve the
 * zone to mini-DNS. An access list or a view can also cause these answers. So the poll
 * needs a confirmation:
 *
 * 	driver	over the control channel, the server deleted the zone, or said that it does
 * 		not have the zone
 * 	answers	the server answered with the same key shortly before, for this zone or
 * 		for the catalog zone that tells it which zones to serve
 *
 * The control channel can also deny that the zone is absent: the server still has the
 * zone.
 */
#pragma once

#include "model/state.h"

enum confirmation {
	CONFIRMATION_NONE, CONFIRMATION_DRIVER, CONFIRMATION_ANSWERS, CONFIRMATION_DENIED,
	CONFIRMATION_COUNT
};

enum absence {
	ABSENCE_NOT_SEEN,	/* the poll does not say that the zone is gone */
	/*
	 * only the poll says that the zone is gone: the server may refuse to serve it to
	 * mini-DNS
	 */
	ABSENCE_DOUBTED,
	/* the server has the zone, but refuses to serve it to mini-DNS */
	ABSENCE_REFUTED,
	ABSENCE_PROVEN,
	ABSENCE_COUNT
};

enum absence absence_of(enum report poll, enum confirmation confirmation);
/* Returns a text for the operator; "": no action is needed. */
const char *absence_words(enum absence absence);
