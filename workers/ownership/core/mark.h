/*
 * mark -- the text that names the owner of a record, as external-dns' TXT registry does:
 *
 *	heritage=external-dns,external-dns/owner=ID,external-dns/resource=KIND/NS/NAME
 *
 * Labels stand in the order of their octets, and those that we do not know are written
 * again as they were read. Nothing is escaped, so no value has a comma or a quote. Text
 * without a heritage is somebody's data, and of another heritage somebody else's mark.
 * In seed 001's own form the text is the owner's id and nothing else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

enum {
	MARK_OWNER_MAX = 64,
	MARK_RESOURCE_MAX = 200,
	MARK_LABELS_MAX = 16,
	MARK_LABELS_READ = 12,		/* at most, so that there is room for ours */
	MARK_TEXT_MAX = 4096,
	MARK_SEALED_MAX = 2900,		/* of text that is sealed, so that it fits */
};

enum mark_kind {
	MARK_DATA,			/* no mark */
	MARK_OWNED,			/* by the owner of its label "owner" */
	MARK_HERITAGE,			/* of another program */
	MARK_BAD,			/* external-dns' heritage, but malformed */
};

struct mark_label {
	const char *key, *value;	/* the key without "external-dns/" */
};

struct mark {
	struct mark_label labels[MARK_LABELS_MAX];	/* by key */
	size_t count;
};

/* Letters, digits and ".", "_", ":", "/", "@", "-": of an owner, or of a resource. */
bool mark_owner_is_valid(const char *owner);
bool mark_resource_is_valid(const char *resource);

/*
 * What the rdata of a TXT record says, its strings as one. *mark, whose texts are in
 * ARENA, is of use with MARK_OWNED only. IS_BARE: the seed's form counts, too.
 */
enum mark_kind mark_read(const uint8_t *rdata, size_t len, bool is_bare,
                         struct arena *arena, struct mark *mark);
/* The same of one that is sealed (core/mark_seal.h); DATA: not with this KEY. */
enum mark_kind mark_read_sealed(const uint8_t *rdata, size_t len, const uint8_t *key,
                                struct arena *arena, struct mark *mark);
/* NULL: it has no such label. */
const char *mark_get(const struct mark *mark, const char *key);
/*
 * KEY and VALUE are borrowed; a VALUE of NULL takes the label away. False: there are
 * MARK_LABELS_MAX already.
 */
bool mark_set(struct mark *mark, const char *key, const char *value);
bool mark_equal(const struct mark *a, const struct mark *b);
size_t mark_length(const struct mark *mark);	/* of its text, in full, in octets */
/* Appends the rdata of its TXT record, in strings of 255 octets. */
void mark_write(const struct mark *mark, bool is_bare, struct buf *rdata);
/* The same, sealed for PLACE, of PLACE_LEN octets. */
void mark_write_sealed(const struct mark *mark, const uint8_t *key, const uint8_t *place,
                       size_t place_len, struct buf *rdata);
