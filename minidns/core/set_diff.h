/*
 * set_diff -- compares two sets of records and finds out which records differ. The
 * caller first streams the remote set, in any order, and then the local set. If the sets
 * differ, the caller streams the local set again. set_diff uses a fixed amount of
 * memory. If the remote set contains a record twice, the result counts the record once.
 *
 * set_diff computes a hash of 128 bits for each record, with secret keys. set_diff
 * divides the records into 1024 parts, and adds the hashes of each part. An attacker
 * without the keys cannot construct two different sets with equal sums. set_diff stores
 * up to 8192 remote records. If the sets differ and the remote set is larger, the caller
 * streams the remote set again. This time, set_diff stores only the records of the parts
 * that differ.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/siphash.h"
#include "dns/canonical.h"
#include "model/name.h"

struct set_diff;

/* The secret keys, which are random. A process never changes its keys. */
struct set_diff_keys {
	struct siphash_key low, high;
};

enum { SET_DIFF_NAMED = 3, SET_DIFF_TEXT = 120, SET_DIFF_KEY = NAME_MAX_WIRE + 64 };

/* The records that exist on only one side. */
struct set_diff_side {
	uint64_t count;
	/* true: set_diff has not compared all parts, so more records possibly differ */
	bool more;
	/*
	 * The number and the texts of the first records in the order of their octets. So
	 * each process names the same records of a difference. `text` is printable ASCII.
	 * `key` contains the first octets of the record, padded with zeroes.
	 */
	int named;
	struct set_diff_named {
		char text[SET_DIFF_TEXT];
		uint8_t key[SET_DIFF_KEY];
	} record[SET_DIFF_NAMED];
};

enum set_diff_result {
	/* the sets differ only in the number of repetitions of records */
	SET_DIFF_EQUAL,
	SET_DIFF_DIFFERENT,
	/* set_diff cannot decide: the remote set changed, or it repeats records */
	SET_DIFF_UNKNOWN,
};

struct set_diff *set_diff_new(const struct set_diff_keys *keys);
void set_diff_free(struct set_diff **diff);

/* ---- first pass: all remote records, then all local records ---- */

/*
 * Add a record to the remote or local set. Records that a signer adds (RRSIG, NSEC,
 * DNSKEY and so on) have separate parts. If only the remote set has RRSIGs, the server
 * signs the zone by itself. In this case, set_diff does not compare these separate parts.
 */
void set_diff_remote(struct set_diff *diff, const struct canonical *record);
void set_diff_local(struct set_diff *diff, const struct canonical *record);
bool set_diff_equal(const struct set_diff *diff);

/* ---- second pass: which records differ? ---- */

/*
 * Begins the second pass. True: stream the remote set again, through
 * set_diff_remote_again(). After that, or if the result is false, pass all local records
 * to set_diff_find().
 */
bool set_diff_second_pass(struct set_diff *diff);
void set_diff_remote_again(struct set_diff *diff, const struct canonical *record);
void set_diff_find(struct set_diff *diff, const struct canonical *record);
enum set_diff_result set_diff_found(const struct set_diff *diff,
                                    struct set_diff_side *remote,
                                    struct set_diff_side *local);
