#include <string.h>

#include "core/view_private.h"
#include "model/rr.h"

/* Finds places for marks where we and others read them correctly. */

static bool node_looks_like_wildcard(const struct mark_form *form,
                                     const struct node *node)
{
	size_t len = strlen(form->wildcard);

	return len && node->wire[0] == len &&
	       !memcmp(node->wire + 1, form->wildcard, len);
}

static bool reading_is_at(const struct mark_reading *reading, const struct node *node)
{
	return reading->name.len == node->len &&
	       !memcmp(reading->name.wire, node->wire, node->len);
}

/* True: a mark at PLACE would be for TYPE at NODE, and for nothing else. */
static bool view_place_is_clear(const struct view *view, const struct node *node,
                                uint16_t type, const struct name *place)
{
	bool is_bare = view->marks.form.is_same && place->len == node->len &&
	               !memcmp(place->wire, node->wire, node->len);
	struct view_meaning meaning;

	return view_meaning(view, place, is_bare, &meaning) && !meaning.is_former &&
	       reading_is_at(&meaning.is, node) &&
	       (!meaning.is.type || meaning.is.type == type) &&
	       !view_is_ambiguous(view, place, is_bare, &meaning);
}

/*
 * True: the place is free. A CNAME at NODE itself does not matter here: it must be
 * removed before.
 */
static bool view_place_is_free(const struct view *view, const struct node *node,
                               const struct name *place)
{
	const struct node *at = view_find(view, place);

	return !node_has_records(at, RR_TXT) &&
	       (at == node || !node_has_records(at, RR_CNAME));
}

enum err view_mark_name(const struct view *view, const struct node *node, uint16_t type,
                        struct name *mark, struct why *why)
{
	const struct mark_form *form = &view->marks.form;
	struct name name;
	enum err err;

	*mark = (struct name){ 0 };
	if (form->is_none)
		return OK;
	node_name(node, &name);
	if (node_looks_like_wildcard(form, node))
		return fail(why, ERR_INVALID, "programs would read the ownership mark as "
		            "the mark of a wildcard: use a different name, or change "
		            "txt_wildcard");
	err = mark_name(form, &name, type, &view->zone, mark, why);
	if (err)
		return err;
	if (!view_place_is_free(view, node, mark))
		return fail(why, ERR_INVALID, "there are other records at the name of "
		            "the ownership mark: remove these records, or change "
		            "txt_prefix");
	if (!view_place_is_clear(view, node, type, mark))
		return fail(why, ERR_INVALID, "the ownership mark could also belong to "
		            "another record: set a txt_prefix with '%%{record_type}' "
		            "that ends in a dot");
	if (view_is_hidden(view, mark, RR_TXT))
		return fail(why, ERR_INVALID, "the ownership mark would be below a "
		            "delegation or DNAME record: change txt_prefix");
	return OK;
}
