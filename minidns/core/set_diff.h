/*
 * contrast -- do two sets of records differ, and in what? Theirs go by once, in any
 * order, as a server sends them; ours can be walked as often as need be. Pure, and of a
 * fixed size whatever the sets are.
 *
 * Each record has a hash of 128 bits under keys that nobody else knows. Their sums tell
 * whether all is equal: the order does not matter, and nobody who has not the keys can
 * make two sets with the same sum. The sums are kept for 1024 shares of the records,
 * which hashes deal out. Some thousand records of theirs are kept as well. That is all of
 * a small zone, so that a difference can be named at once; of a larger one it is those of
 * some shares that differ, when theirs go by a second time. A record that comes twice
 * counts once, but in the sums, so a difference is one only when it is named.
 *
 * Records that a server makes when it signs the zone by itself (RRSIG, NSEC, NSEC3,
 * NSEC3PARAM, DNSKEY, CDS, CDNSKEY, ZONEMD, and BIND's private type) have shares of their
 * own, which do not count if theirs have RRSIGs and ours have none: that is no hand's
 * work. Mostly such a server has another serial anyway; PowerDNS need not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/siphash.h"
#include "dns/canonical.h"

struct contrast;

/* For a process: at random. */
struct contrast_keys {
	struct siphash_key low, high;
};

enum { CONTRAST_NAMED = 3, CONTRAST_TEXT = 120 };

/* Records on one side only. */
struct contrast_side {
	uint64_t count;
	bool more;			/* there may be others, that were not looked at */
	int named;			/* the first few, as text: printable ASCII */
	char text[CONTRAST_NAMED][CONTRAST_TEXT];
};

enum contrast_result {
	CONTRAST_EQUAL,			/* records that come twice were all */
	CONTRAST_DIFFERENT,
	CONTRAST_UNKNOWN,		/* theirs changed in between, or come twice */
};

struct contrast *contrast_new(const struct contrast_keys *keys);
void contrast_free(struct contrast **contrast);

/* ---- first look: all of theirs, then all of ours ---- */

void contrast_theirs(struct contrast *contrast, const struct canonical *record);
void contrast_ours(struct contrast *contrast, const struct canonical *record);
bool contrast_equal(const struct contrast *contrast);

/* ---- if they are not: which records are it? ---- */

/*
 * True: theirs must go by again, by contrast_again(); then, as if they need not,
 * contrast_find() comes with all of ours.
 */
bool contrast_look(struct contrast *contrast);
void contrast_again(struct contrast *contrast, const struct canonical *record);
void contrast_find(struct contrast *contrast, const struct canonical *record);
enum contrast_result contrast_found(const struct contrast *contrast,
                                    struct contrast_side *theirs,
                                    struct contrast_side *ours);
