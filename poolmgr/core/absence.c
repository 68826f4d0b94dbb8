#include "core/absence.h"

/*
 * Only NO_DOMAIN says that the zone is absent. Silence or SERVFAIL never means absence.
 */
static const enum absence by_confirmation[CONFIRMATION_COUNT] = {
	[CONFIRMATION_NONE]    = ABSENCE_DOUBTED,
	[CONFIRMATION_DRIVER]  = ABSENCE_PROVEN,
	[CONFIRMATION_ANSWERS] = ABSENCE_PROVEN,
	[CONFIRMATION_DENIED]  = ABSENCE_REFUTED,
};

static const char *const words[ABSENCE_COUNT] = {
	[ABSENCE_NOT_SEEN] = "",
	[ABSENCE_DOUBTED]  = "which does not prove that the zone is gone: the server may "
	                     "refuse mini-DNS (access list, views)",
	[ABSENCE_REFUTED]  = "but the server has the zone and refuses mini-DNS (access "
	                     "list, views)",
	[ABSENCE_PROVEN]   = "",
};

enum absence absence_of(enum report poll, enum confirmation confirmation)
{
	return poll == REPORT_NO_DOMAIN ? by_confirmation[confirmation]
	                                : ABSENCE_NOT_SEEN;
}

const char *absence_words(enum absence absence)
{
	return words[absence];
}
