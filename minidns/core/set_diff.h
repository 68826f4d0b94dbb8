/*
 * set_diff -- compares two sets of records and names their differences. The remote set is
 * streamed once, in any order; the local set can be read again. Pure, with a fixed size.
 *
 * Each record has a hash of 128 bits under secret keys. An attacker without the keys
 * cannot construct two different sets with equal sums. The records are divided into 1024
 * shares, and each share has a sum. Some thousand remote records are kept, which is all
 * of a small zone. A larger remote set is streamed again, and then the records of
 * differing shares are kept. A repeated record counts once.
 *
 * Records of a signer (RRSIG, NSEC, DNSKEY ...) have shares of their own. These do not
 * count if only the remote set has RRSIGs: then the server signs the zone by itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/siphash.h"
#include "dns/canonical.h"

struct set_diff;

/* Random keys; a process always uses the same ones. */
struct set_diff_keys {
	struct siphash_key low, high;
};

enum { SET_DIFF_NAMED = 3, SET_DIFF_TEXT = 120 };

/* Records on one side only. */
struct set_diff_side {
	uint64_t count;
	/* there may be more records: not all shares were compared */
	bool more;
	/* the number of texts; each is a record as printable ASCII */
	int named;
	char text[SET_DIFF_NAMED][SET_DIFF_TEXT];
};

enum set_diff_result {
	SET_DIFF_EQUAL,			/* only repeated records differed */
	SET_DIFF_DIFFERENT,
	SET_DIFF_UNKNOWN,		/* the remote set changed, or repeats records */
};

struct set_diff *set_diff_new(const struct set_diff_keys *keys);
void set_diff_free(struct set_diff **diff);

/* ---- first pass: all remote records, then all local ones ---- */

void set_diff_remote(struct set_diff *diff, const struct canonical *record);
void set_diff_local(struct set_diff *diff, const struct canonical *record);
bool set_diff_equal(const struct set_diff *diff);

/* ---- second pass: which records differ? ---- */

/*
 * True: stream the remote set again, through set_diff_remote_again(). In both cases, then
 * pass all local records to set_diff_find().
 */
bool set_diff_second_pass(struct set_diff *diff);
void set_diff_remote_again(struct set_diff *diff, const struct canonical *record);
void set_diff_find(struct set_diff *diff, const struct canonical *record);
enum set_diff_result set_diff_found(const struct set_diff *diff,
                                    struct set_diff_side *remote,
                                    struct set_diff_side *local);
