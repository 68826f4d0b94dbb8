#include <string.h>

#include "base/buf.h"
#include "core/view_private.h"

enum { OWNERS_MAX = 16 };		/* shown for one set */

struct owners {
	const char *id[OWNERS_MAX];
	size_t count;
};

/* Adds an id in sorted order; drops ids for which there is no room. */
static void owners_add(struct owners *owners, const char *id)
{
	size_t at = 0;

	while (at < owners->count && strcmp(owners->id[at], id) < 0)
		at++;
	if (owners->count == OWNERS_MAX ||
	    (at < owners->count && !strcmp(owners->id[at], id)))
		return;
	memmove(&owners->id[at + 1], &owners->id[at],
	        (owners->count - at) * sizeof(*owners->id));
	owners->id[at] = id;
	owners->count++;
}

static void owners_add_claims(struct owners *owners, const struct claim *claims)
{
	for (; claims; claims = claims->next)
		if (claims->by->kind == MARK_OWNED)
			owners_add(owners, mark_get(claims->by->mark, "owner"));
}

/*
 * A mark of another owner may have any octets: writes only the characters that an id may
 * have.
 */
static void owners_write_id(struct buf *text, const char *id)
{
	for (size_t i = 0; i < MARK_OWNER_MAX && id[i]; i++)
		buf_u8(text, id[i] > ' ' && id[i] <= '~' ? (uint8_t)id[i] : '?');
}

const char *view_owners(const struct view *view, const struct node *node,
                        const struct view_set *set)
{
	struct owners owners = { .count = 0 };
	struct buf text = { 0 };
	const char *joined;

	if (set->owner == OWNER_NONE || set->owner == OWNER_VAGUE)
		return "";
	if (set->owner == OWNER_US)
		return view->marks.owner;
	owners_add_claims(&owners, set->claims);
	owners_add_claims(&owners, node->foreign);
	for (size_t i = 0; i < owners.count; i++) {
		if (i)
			buf_u8(&text, ',');
		owners_write_id(&text, owners.id[i]);
	}
	joined = arena_strdup(view->arena, buf_string(&text));
	buf_clear(&text);
	return joined;
}
