/*
 * mark -- the text that says who owns a record, in the form of external-dns' TXT
 * registry:
 *
 * 	heritage=external-dns,external-dns/owner=ID,external-dns/resource=KIND/NS/NAME
 *
 * zonefleet sorts the labels by their octets. zonefleet writes unknown labels again as
 * it has read them. There are no escapes, so a value cannot have a comma or a quote. A
 * text without a heritage is data of another program; a text with another heritage is
 * that program's mark. In the form of seed 001 the text is only the owner's id.
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
	/* limit when reading, so that there is room for our labels */
	MARK_LABELS_READ = 12,
	MARK_TEXT_MAX = 4096,
	/* of a text before sealing, so that the result fits */
	MARK_SEALED_MAX = 2900,
};

enum mark_kind {
	MARK_DATA,			/* not a mark */
	MARK_OWNED,			/* has a label "owner" */
	MARK_HERITAGE,			/* a mark of another program */
	MARK_BAD,			/* external-dns' heritage, but malformed */
};

struct mark_label {
	const char *key, *value;	/* the key is without "external-dns/" */
};

struct mark {
	struct mark_label labels[MARK_LABELS_MAX];	/* sorted by key */
	size_t count;
};

/* Valid characters are letters, digits and ".", "_", ":", "/", "@", "-". */
bool mark_owner_is_valid(const char *owner);
bool mark_resource_is_valid(const char *resource);

/*
 * Reads the rdata of a TXT record; joins its strings. *mark counts only with MARK_OWNED;
 * its texts are in ARENA. IS_BARE: the form of seed 001 is also a mark.
 */
enum mark_kind mark_read(const uint8_t *rdata, size_t len, bool is_bare,
                         struct arena *arena, struct mark *mark);
/* mark_read() for a sealed mark (mark_seal.h). MARK_DATA: not sealed with this KEY. */
enum mark_kind mark_read_sealed(const uint8_t *rdata, size_t len, const uint8_t *key,
                                struct arena *arena, struct mark *mark);
/* NULL: the mark has no such label. */
const char *mark_get(const struct mark *mark, const char *key);
/*
 * Borrows KEY and VALUE. VALUE NULL removes the label. False: the mark has
 * MARK_LABELS_MAX labels already.
 */
bool mark_set(struct mark *mark, const char *key, const char *value);
bool mark_equal(const struct mark *a, const struct mark *b);
size_t mark_length(const struct mark *mark);	/* octets of the full text */
/* Appends the rdata of the mark's TXT record, in strings of up to 255 octets. */
void mark_write(const struct mark *mark, bool is_bare, struct buf *rdata);
/* mark_write(), sealed for PLACE, which has PLACE_LEN octets. */
void mark_write_sealed(const struct mark *mark, const uint8_t *key, const uint8_t *place,
                       size_t place_len, struct buf *rdata);
