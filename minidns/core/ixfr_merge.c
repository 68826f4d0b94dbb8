#include "core/ixfr_merge.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "model/name.h"
#include "model/rr.h"

/* Octets of a record after its owner: TYPE CLASS TTL RDLENGTH RDATA. */
enum { TYPE_LEN = 2, RDATA_AT = 10 };

/* A record in the steps. It is small, because there may be a million of them. */
struct change {
	const uint8_t *rr;
	uint32_t len;
	uint8_t owner_len;
	bool added;			/* false: removed */
};

struct changes {
	struct change *change;
	size_t count, size;
	struct rr old_soa, new_soa;	/* of the first step; of the last step */
};

/* ---- the same record ---- */

/*
 * A comparison octet by octet also works for the lengths of labels: they are less than
 * all letters, and no name is a prefix of another one.
 */
static int change_compare_owners(const struct change *a, const struct change *b)
{
	int order = 0;

	if (a->owner_len == b->owner_len && !memcmp(a->rr, b->rr, a->owner_len))
		return 0;
	for (size_t i = 0; !order && i < a->owner_len; i++)
		order = tolower(a->rr[i]) - tolower(b->rr[i]);
	return order;
}

static int change_compare_types(const struct change *a, const struct change *b)
{
	return memcmp(a->rr + a->owner_len, b->rr + b->owner_len, TYPE_LEN);
}

static int change_compare_rdata(const struct change *a, const struct change *b)
{
	size_t a_len = a->len - a->owner_len, b_len = b->len - b->owner_len;

	if (a_len != b_len)
		return a_len < b_len ? -1 : 1;
	return memcmp(a->rr + a->owner_len + RDATA_AT, b->rr + b->owner_len + RDATA_AT,
	              a_len - RDATA_AT);
}

static int change_compare(const struct change *a, const struct change *b)
{
	int order = change_compare_owners(a, b);

	if (!order)
		order = change_compare_types(a, b);
	return order ? order : change_compare_rdata(a, b);
}

static int change_compare_all(const void *left, const void *right)
{
	const struct change *a = left, *b = right;
	int order = change_compare(a, b);

	return order ? order : (a->rr > b->rr) - (a->rr < b->rr);
}

static bool change_is_identical(const struct change *a, const struct change *b)
{
	return a->len == b->len && !memcmp(a->rr, b->rr, a->len);
}

/* ---- the steps ---- */

static void changes_add(struct changes *changes, struct change change)
{
	if (changes->count == changes->size) {
		changes->size = changes->size ? 2 * changes->size : 64;
		changes->change = xrealloc(changes->change,
		                           changes->size * sizeof(change));
	}
	changes->change[changes->count++] = change;
}

/* A SOA begins each half of a step. */
static void changes_list(const struct buf *steps, struct changes *changes)
{
	bool added = true;
	size_t at = 0, start = 0;
	struct rr rr;

	for (; rr_next(steps->data, steps->len, &at, &rr); start = at) {
		if (rr.type != RR_SOA) {
			changes_add(changes, (struct change){
				.rr = rr.name, .len = at - start,
				.owner_len = name_wire_len(rr.name, NAME_MAX_WIRE),
				.added = added,
			});
			continue;
		}
		added = !added;
		if (!start)
			changes->old_soa = rr;
		changes->new_soa = rr;
	}
	bug_if(at != steps->len || !added);
}

/* ---- changes of one record ---- */

static size_t changes_count_same(const struct change *change, size_t left)
{
	size_t count = 1;

	while (count < left && !change_compare(change, change + count))
		count++;
	return count;
}

/*
 * True: additions and removals alternate, and each removal matches the addition before.
 */
static bool changes_are_possible(const struct change *change, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (change[i].added == change[i - 1].added ||
		    (change[i - 1].added &&
		     !change_is_identical(&change[i - 1], &change[i])))
			return false;
	return true;
}

/*
 * Copies the changes of one record that count, at most two, to KEPT. Returns their
 * number.
 */
static size_t ixfr_merge_keep(const struct change *change, size_t count,
                              struct change *kept)
{
	const struct change first = change[0], last = change[count - 1];
	bool goes = !first.added, comes = last.added;
	size_t found = 0;

	if (goes && comes && change_is_identical(&first, &last))
		return 0;
	if (goes)
		kept[found++] = first;
	if (comes)
		kept[found++] = last;
	return found;
}

/* Moves the changes that count to the front. */
static bool ixfr_merge_all(struct changes *changes)
{
	struct change *change = changes->change;
	size_t kept = 0, count;

	for (size_t i = 0; i < changes->count; i += count) {
		count = changes_count_same(&change[i], changes->count - i);
		if (!changes_are_possible(&change[i], count))
			return false;
		kept += ixfr_merge_keep(&change[i], count, &change[kept]);
	}
	changes->count = kept;
	return true;
}

/* ---- the difference ---- */

static void ixfr_merge_put_half(const struct changes *changes, bool added,
                                struct buf *rrs)
{
	rr_append(rrs, added ? &changes->new_soa : &changes->old_soa);
	for (size_t i = 0; i < changes->count; i++)
		if (changes->change[i].added == added)
			buf_append(rrs, changes->change[i].rr, changes->change[i].len);
}

static void ixfr_merge_put(const struct changes *changes, struct ixfr_merged *merged)
{
	ixfr_merge_put_half(changes, false, &merged->rrs);
	merged->new_soa = merged->rrs.len;
	ixfr_merge_put_half(changes, true, &merged->rrs);
	merged->records = changes->count + 2;
}

bool ixfr_merge(const struct buf *steps, struct ixfr_merged *merged)
{
	struct changes changes = { .change = NULL };
	bool possible;

	*merged = (struct ixfr_merged){ .new_soa = 0 };
	changes_list(steps, &changes);
	if (changes.count)
		qsort(changes.change, changes.count, sizeof(*changes.change),
		      change_compare_all);
	possible = ixfr_merge_all(&changes);
	if (possible)
		ixfr_merge_put(&changes, merged);
	free(changes.change);
	return possible;
}
