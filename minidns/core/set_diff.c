#include "core/set_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "core/diff_text.h"

enum {
	SHARES = 1024,
	SIGNED_SHARES = 64,		/* the last shares: for records of a signer */
	SLOTS = 16384,			/* of the hash table; a power of two */
	KEPT_MAX = SLOTS / 2,		/* records */
	/* of their octets; further records are kept only as a hash */
	KEPT_BYTES = 512 * 1024,
};

#define NOT_KEPT UINT32_MAX

/* PRIVATE is BIND's type for its signing state. */
enum { TYPE_NSEC3PARAM = 51, TYPE_CDS = 59, TYPE_CDNSKEY = 60, TYPE_ZONEMD = 63,
       TYPE_PRIVATE = 65534 };

struct hash {
	uint64_t low, high;
};

struct share {
	struct hash sum;		/* remote minus local */
	uint64_t remote, local;		/* numbers of records */
	bool wanted;			/* the share differs: its records are compared */
};

/* A remote record, found by its hash. */
struct slot {
	struct hash hash;
	/* offset in `kept`: the length, then the record */
	uint32_t at;
	const struct share *share;	/* NULL: the slot is free */
	bool is_local;
};

struct set_diff {
	struct set_diff_keys keys;
	struct share shares[SHARES];
	struct slot slots[SLOTS];
	struct buf kept;
	size_t kept_count;
	bool overflowed;		/* more than KEPT_MAX records */
	bool remote_signs, local_signs;
	/* some differing shares were skipped, because there was no room */
	bool some_skipped;
	struct set_diff_side lacking;
};

struct set_diff *set_diff_new(const struct set_diff_keys *keys)
{
	struct set_diff *diff = xcalloc(1, sizeof(*diff));

	diff->keys = *keys;
	return diff;
}

void set_diff_free(struct set_diff **diff)
{
	if (*diff)
		buf_clear(&(*diff)->kept);
	free(*diff);
	*diff = NULL;
}

/* ---- shares ---- */

static struct hash set_diff_hash(const struct set_diff *diff,
                                 const struct canonical *record)
{
	return (struct hash){
		siphash(&diff->keys.low, record->octets, record->len),
		siphash(&diff->keys.high, record->octets, record->len),
	};
}

static bool set_diff_is_signer_type(uint16_t type)
{
	switch (type) {
	case RR_RRSIG:
	case RR_NSEC:
	case RR_NSEC3:
	case RR_DNSKEY:
	case TYPE_NSEC3PARAM:
	case TYPE_CDS:
	case TYPE_CDNSKEY:
	case TYPE_ZONEMD:
	case TYPE_PRIVATE:
		return true;
	default:
		return false;
	}
}

static struct share *set_diff_share(struct set_diff *diff, struct hash hash,
                                    uint16_t type)
{
	enum { OTHERS = SHARES - SIGNED_SHARES };

	return &diff->shares[set_diff_is_signer_type(type)
					 ? OTHERS + hash.high % SIGNED_SHARES
					 : hash.high % OTHERS];
}

/*
 * The number of shares that count. Without those of signers if only the remote server
 * signs.
 */
static size_t set_diff_share_count(const struct set_diff *diff)
{
	bool only_remote = diff->remote_signs && !diff->local_signs;

	return only_remote ? SHARES - SIGNED_SHARES : SHARES;
}

static bool set_diff_differs(const struct share *share)
{
	return share->sum.low || share->sum.high || share->remote != share->local;
}

/* ---- kept remote records ---- */

/* The slot of the hash, or the free slot for it. */
static struct slot *set_diff_slot(struct set_diff *diff, struct hash hash)
{
	size_t at = hash.low % SLOTS;

	while (diff->slots[at].share &&
	       (diff->slots[at].hash.low != hash.low ||
	        diff->slots[at].hash.high != hash.high))
		at = (at + 1) % SLOTS;
	return &diff->slots[at];
}

static void set_diff_keep(struct set_diff *diff, struct hash hash,
                          const struct share *share, const struct canonical *record)
{
	struct slot *slot = set_diff_slot(diff, hash);
	bool whole = diff->kept.len + record->len <= KEPT_BYTES;

	if (slot->share)
		return;			/* a repeated record */
	if (diff->kept_count == KEPT_MAX) {
		diff->overflowed = true;
		return;
	}
	diff->kept_count++;
	*slot = (struct slot){ .hash = hash, .share = share, .at = NOT_KEPT };
	if (!whole)
		return;
	slot->at = diff->kept.len;
	buf_u32(&diff->kept, record->len);
	buf_append(&diff->kept, record->octets, record->len);
}

static void set_diff_drop_kept(struct set_diff *diff)
{
	memset(diff->slots, 0, sizeof(diff->slots));
	buf_reset(&diff->kept);
	diff->kept_count = 0;
	diff->overflowed = false;
}

/* ---- first pass ---- */

void set_diff_remote(struct set_diff *diff, const struct canonical *record)
{
	struct hash hash = set_diff_hash(diff, record);
	struct share *share = set_diff_share(diff, hash, record->type);

	share->sum.low += hash.low;
	share->sum.high += hash.high;
	share->remote++;
	diff->remote_signs |= record->type == RR_RRSIG;
	if (!diff->overflowed)
		set_diff_keep(diff, hash, share, record);
}

void set_diff_local(struct set_diff *diff, const struct canonical *record)
{
	struct hash hash = set_diff_hash(diff, record);
	struct share *share = set_diff_share(diff, hash, record->type);

	share->sum.low -= hash.low;
	share->sum.high -= hash.high;
	share->local++;
	diff->local_signs |= record->type == RR_RRSIG;
}

bool set_diff_equal(const struct set_diff *diff)
{
	size_t count = set_diff_share_count(diff);

	for (size_t i = 0; i < count; i++)
		if (set_diff_differs(&diff->shares[i]))
			return false;
	return true;
}

/* ---- second pass ---- */

/* Chooses as many shares as there is room for their remote records. */
bool set_diff_second_pass(struct set_diff *diff)
{
	size_t count = set_diff_share_count(diff);
	uint64_t room = diff->overflowed ? KEPT_MAX : UINT64_MAX;

	for (size_t i = 0; i < count; i++) {
		struct share *share = &diff->shares[i];

		if (!set_diff_differs(share))
			continue;
		share->wanted = share->remote <= room;
		diff->some_skipped |= !share->wanted;
		if (share->wanted)
			room -= share->remote;
	}
	if (!diff->overflowed)
		return false;
	set_diff_drop_kept(diff);
	return true;
}

void set_diff_remote_again(struct set_diff *diff, const struct canonical *record)
{
	struct hash hash = set_diff_hash(diff, record);
	const struct share *share = set_diff_share(diff, hash, record->type);

	if (share->wanted)
		set_diff_keep(diff, hash, share, record);
}

void set_diff_find(struct set_diff *diff, const struct canonical *record)
{
	struct hash hash = set_diff_hash(diff, record);
	struct slot *slot;

	if (!set_diff_share(diff, hash, record->type)->wanted)
		return;
	slot = set_diff_slot(diff, hash);
	if (slot->share)
		slot->is_local = true;
	else
		diff_text_add(&diff->lacking, record->octets, record->len);
}

static void set_diff_name_slot(const struct set_diff *diff, const struct slot *slot,
                               struct set_diff_side *side)
{
	const uint8_t *kept = diff->kept.data + slot->at;
	size_t len;

	if (slot->at == NOT_KEPT) {
		side->count++;
		return;
	}
	len = (size_t)kept[0] << 24 | kept[1] << 16 | kept[2] << 8 | kept[3];
	diff_text_add(side, kept + sizeof(uint32_t), len);
}

enum set_diff_result set_diff_found(const struct set_diff *diff,
                                    struct set_diff_side *remote,
                                    struct set_diff_side *local)
{
	*remote = (struct set_diff_side){ .count = 0 };
	*local = diff->lacking;
	for (size_t i = 0; i < SLOTS; i++) {
		const struct slot *slot = &diff->slots[i];

		if (slot->share && slot->share->wanted && !slot->is_local)
			set_diff_name_slot(diff, slot, remote);
	}
	remote->more = local->more = diff->some_skipped;
	if (diff->overflowed)
		return SET_DIFF_UNKNOWN;
	if (remote->count || local->count)
		return SET_DIFF_DIFFERENT;
	return diff->some_skipped ? SET_DIFF_UNKNOWN : SET_DIFF_EQUAL;
}
