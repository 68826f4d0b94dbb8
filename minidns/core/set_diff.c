#include "core/set_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "core/diff_text.h"

enum {
	SHARES = 1024,
	SIGNED_SHARES = 64,		/* the last ones: of what a signer makes */
	SLOTS = 16384,			/* a power of two */
	KEPT_MAX = SLOTS / 2,		/* records */
	KEPT_BYTES = 512 * 1024,	/* of their octets; of others the hash is kept */
};

#define NOT_KEPT UINT32_MAX

/* PRIVATE is BIND's: what it has still to sign. */
enum { TYPE_NSEC3PARAM = 51, TYPE_CDS = 59, TYPE_CDNSKEY = 60, TYPE_ZONEMD = 63,
       TYPE_PRIVATE = 65534 };

struct hash {
	uint64_t low, high;
};

struct share {
	struct hash sum;		/* theirs less ours */
	uint64_t theirs, ours;		/* how many */
	bool wanted;			/* it differs, and is looked into */
};

/* A record of theirs, found by its hash. */
struct slot {
	struct hash hash;
	uint32_t at;			/* in kept: its length, then itself */
	const struct share *share;	/* NULL: the slot is free */
	bool is_ours;
};

struct contrast {
	struct contrast_keys keys;
	struct share shares[SHARES];
	struct slot slots[SLOTS];
	struct buf kept;
	size_t kept_count;
	bool overflowed;		/* there were more than KEPT_MAX */
	bool they_sign, we_sign;
	bool some_unwanted;		/* a share differs and was not looked into */
	struct contrast_side lacking;
};

struct contrast *contrast_new(const struct contrast_keys *keys)
{
	struct contrast *contrast = xcalloc(1, sizeof(*contrast));

	contrast->keys = *keys;
	return contrast;
}

void contrast_free(struct contrast **contrast)
{
	if (*contrast)
		buf_clear(&(*contrast)->kept);
	free(*contrast);
	*contrast = NULL;
}

/* ---- shares ---- */

static struct hash hash_of(const struct contrast *contrast,
                           const struct canonical *record)
{
	return (struct hash){
		siphash(&contrast->keys.low, record->octets, record->len),
		siphash(&contrast->keys.high, record->octets, record->len),
	};
}

static bool is_of_a_signer(uint16_t type)
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

static struct share *share_of(struct contrast *contrast, struct hash hash, uint16_t type)
{
	enum { OTHERS = SHARES - SIGNED_SHARES };

	return &contrast->shares[is_of_a_signer(type)
					 ? OTHERS + hash.high % SIGNED_SHARES
					 : hash.high % OTHERS];
}

/* How many count: the last ones are what they made themselves. */
static size_t shares_that_count(const struct contrast *contrast)
{
	bool only_they = contrast->they_sign && !contrast->we_sign;

	return only_they ? SHARES - SIGNED_SHARES : SHARES;
}

static bool differs(const struct share *share)
{
	return share->sum.low || share->sum.high || share->theirs != share->ours;
}

/* ---- what is kept of theirs ---- */

/* Its slot, or the free one where it would be. */
static struct slot *slot_of(struct contrast *contrast, struct hash hash)
{
	size_t at = hash.low % SLOTS;

	while (contrast->slots[at].share &&
	       (contrast->slots[at].hash.low != hash.low ||
	        contrast->slots[at].hash.high != hash.high))
		at = (at + 1) % SLOTS;
	return &contrast->slots[at];
}

static void keep(struct contrast *contrast, struct hash hash,
                 const struct share *share, const struct canonical *record)
{
	struct slot *slot = slot_of(contrast, hash);
	bool whole = contrast->kept.len + record->len <= KEPT_BYTES;

	if (slot->share)
		return;			/* twice is once */
	if (contrast->kept_count == KEPT_MAX) {
		contrast->overflowed = true;
		return;
	}
	contrast->kept_count++;
	*slot = (struct slot){ .hash = hash, .share = share, .at = NOT_KEPT };
	if (!whole)
		return;
	slot->at = contrast->kept.len;
	buf_u32(&contrast->kept, record->len);
	buf_append(&contrast->kept, record->octets, record->len);
}

static void drop_kept(struct contrast *contrast)
{
	memset(contrast->slots, 0, sizeof(contrast->slots));
	buf_reset(&contrast->kept);
	contrast->kept_count = 0;
	contrast->overflowed = false;
}

/* ---- first look ---- */

void contrast_theirs(struct contrast *contrast, const struct canonical *record)
{
	struct hash hash = hash_of(contrast, record);
	struct share *share = share_of(contrast, hash, record->type);

	share->sum.low += hash.low;
	share->sum.high += hash.high;
	share->theirs++;
	contrast->they_sign |= record->type == RR_RRSIG;
	if (!contrast->overflowed)
		keep(contrast, hash, share, record);
}

void contrast_ours(struct contrast *contrast, const struct canonical *record)
{
	struct hash hash = hash_of(contrast, record);
	struct share *share = share_of(contrast, hash, record->type);

	share->sum.low -= hash.low;
	share->sum.high -= hash.high;
	share->ours++;
	contrast->we_sign |= record->type == RR_RRSIG;
}

bool contrast_equal(const struct contrast *contrast)
{
	size_t count = shares_that_count(contrast);

	for (size_t i = 0; i < count; i++)
		if (differs(&contrast->shares[i]))
			return false;
	return true;
}

/* ---- second look ---- */

/* As many as there is room for, if all of theirs are to be kept. */
bool contrast_look(struct contrast *contrast)
{
	size_t count = shares_that_count(contrast);
	uint64_t room = contrast->overflowed ? KEPT_MAX : UINT64_MAX;

	for (size_t i = 0; i < count; i++) {
		struct share *share = &contrast->shares[i];

		if (!differs(share))
			continue;
		share->wanted = share->theirs <= room;
		contrast->some_unwanted |= !share->wanted;
		if (share->wanted)
			room -= share->theirs;
	}
	if (!contrast->overflowed)
		return false;
	drop_kept(contrast);
	return true;
}

void contrast_again(struct contrast *contrast, const struct canonical *record)
{
	struct hash hash = hash_of(contrast, record);
	const struct share *share = share_of(contrast, hash, record->type);

	if (share->wanted)
		keep(contrast, hash, share, record);
}

void contrast_find(struct contrast *contrast, const struct canonical *record)
{
	struct hash hash = hash_of(contrast, record);
	struct slot *slot;

	if (!share_of(contrast, hash, record->type)->wanted)
		return;
	slot = slot_of(contrast, hash);
	if (slot->share)
		slot->is_ours = true;
	else
		contrast_name(&contrast->lacking, record->octets, record->len);
}

static void name_slot(const struct contrast *contrast, const struct slot *slot,
                      struct contrast_side *side)
{
	const uint8_t *kept = contrast->kept.data + slot->at;
	size_t len;

	if (slot->at == NOT_KEPT) {
		side->count++;
		return;
	}
	len = (size_t)kept[0] << 24 | kept[1] << 16 | kept[2] << 8 | kept[3];
	contrast_name(side, kept + sizeof(uint32_t), len);
}

enum contrast_result contrast_found(const struct contrast *contrast,
                                    struct contrast_side *theirs,
                                    struct contrast_side *ours)
{
	*theirs = (struct contrast_side){ .count = 0 };
	*ours = contrast->lacking;
	for (size_t i = 0; i < SLOTS; i++) {
		const struct slot *slot = &contrast->slots[i];

		if (slot->share && slot->share->wanted && !slot->is_ours)
			name_slot(contrast, slot, theirs);
	}
	theirs->more = ours->more = contrast->some_unwanted;
	if (contrast->overflowed)
		return CONTRAST_UNKNOWN;
	if (theirs->count || ours->count)
		return CONTRAST_DIFFERENT;
	return contrast->some_unwanted ? CONTRAST_UNKNOWN : CONTRAST_EQUAL;
}
