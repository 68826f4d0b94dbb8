/*
 * mark -- reads and writes ownership marks in the form of the TXT registry of
 * external-dns:
 *
 *	heritage=external-dns,external-dns/owner=ID,external-dns/resource=KIND/NS/NAME
 *
 * A *label* of a mark is a pair KEY=VALUE. It is not a DNS label. zonefleet sorts the
 * labels by their octets, and does not change unknown labels. The form has no escape
 * sequences, so a value cannot contain a comma or a quote. A text without "heritage=" is
 * not an ownership mark. A text with a different value of heritage is the ownership mark
 * of another program. In the form of the requirements (seed 001), the text is only the
 * owner's id.
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
	/*
	 * maximum number of labels in a mark that zonefleet reads. The other places of
	 * `labels` are for the labels that zonefleet adds.
	 */
	MARK_LABELS_READ = 12,
	MARK_TEXT_MAX = 4096,
	/*
	 * maximum length of a text that zonefleet seals, so that the sealed text has at
	 * most MARK_TEXT_MAX octets
	 */
	MARK_SEALED_MAX = 2900,
};

enum mark_kind {
	MARK_DATA,			/* the text is not a mark */
	MARK_OWNED,			/* the mark has a label "owner" */
	MARK_HERITAGE,			/* a mark of another program */
	/* the mark has the heritage of external-dns, but is malformed */
	MARK_BAD,
};

struct mark_label {
	/* `key` does not contain the prefix "external-dns/" */
	const char *key, *value;
};

struct mark {
	struct mark_label labels[MARK_LABELS_MAX];	/* sorted by key */
	size_t count;
};

/*
 * True: the text is not too long and consists of letters, digits and ".", "_", ":", "/",
 * "@", "-". An empty text is not valid.
 */
bool mark_owner_is_valid(const char *owner);
bool mark_resource_is_valid(const char *resource);

/*
 * Reads the rdata of a TXT record, and joins its strings. *mark is valid only if the
 * result is MARK_OWNED. The strings of *mark are in ARENA. IS_BARE true: a text in the
 * form of seed 001 is also a mark.
 */
enum mark_kind mark_read(const uint8_t *rdata, size_t len, bool is_bare,
                         struct arena *arena, struct mark *mark);
/*
 * Like mark_read(), but for a sealed mark (mark_seal.h). MARK_DATA: the text is not
 * sealed with KEY.
 */
enum mark_kind mark_read_sealed(const uint8_t *rdata, size_t len, const uint8_t *key,
                                struct arena *arena, struct mark *mark);
/* Returns the value of the label KEY. NULL: the mark has no such label. */
const char *mark_get(const struct mark *mark, const char *key);
/*
 * Sets a label. Borrows KEY and VALUE. If VALUE is NULL, removes the label. False: the
 * mark already has MARK_LABELS_MAX labels.
 */
bool mark_set(struct mark *mark, const char *key, const char *value);
bool mark_equal(const struct mark *a, const struct mark *b);
size_t mark_length(const struct mark *mark);	/* octets of the text */
/* Appends the rdata of the mark's TXT record, in strings of at most 255 octets. */
void mark_write(const struct mark *mark, bool is_bare, struct buf *rdata);
/*
 * Like mark_write(), but seals the mark with KEY. PLACE is the name of the TXT record and
 * has PLACE_LEN octets (mark_nonce()).
 */
void mark_write_sealed(const struct mark *mark, const uint8_t *key, const uint8_t *place,
                       size_t place_len, struct buf *rdata);
