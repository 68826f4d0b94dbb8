#include "core/mark_name.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "model/presentation.h"
#include "model/rr.h"

#define TEMPLATE "%{record_type}"

/* An affix with the text of a type, and with a "-" if the template has none. */
enum { TYPE_TEXT_MAX = 8, EXPANDED_MAX = MARK_AFFIX_MAX + TYPE_TEXT_MAX };

const struct mark_form mark_form_ours = { .prefix = "_own-" TEMPLATE ".",
                                          .wildcard = "_wildcard" };
const struct mark_form mark_form_plain = { 0 };
const struct mark_form mark_form_seed = { .is_same = true };
const struct mark_form mark_form_none = { .is_none = true };

/* HIDES: names below it are hidden. ALONE: no TXT record can be beside it. */
enum place { PLACE_ANY, PLACE_HIDES = 1, PLACE_ALONE = 2 };

static const struct mark_type {
	uint16_t type;
	const char text[TYPE_TEXT_MAX];
	enum place place;
} mark_types[] = {
	{ RR_A,      "a"      },
	{ RR_AAAA,   "aaaa"   },
	{ RR_CNAME,  "cname", PLACE_ALONE },
	{ RR_NS,     "ns",    PLACE_HIDES | PLACE_ALONE },
	{ RR_MX,     "mx"     },
	{ RR_SRV,    "srv"    },
	{ RR_PTR,    "ptr"    },
	{ RR_NAPTR,  "naptr"  },
	{ RR_TXT,    "txt",   PLACE_ALONE },
	{ RR_DNAME,  "dname", PLACE_HIDES },
	{ RR_CAA,    "caa"    },
	{ RR_TLSA,   "tlsa"   },
	{ RR_SSHFP,  "sshfp"  },
	{ RR_SVCB,   "svcb"   },
	{ RR_HTTPS,  "https"  },
};

enum { TYPES = sizeof(mark_types) / sizeof(mark_types[0]) };

static const struct mark_type *mark_type_of(uint16_t number)
{
	for (size_t i = 0; i < TYPES; i++)
		if (mark_types[i].type == number)
			return &mark_types[i];
	return NULL;
}

bool mark_form_equal(const struct mark_form *a, const struct mark_form *b)
{
	return a->is_same == b->is_same && a->is_none == b->is_none &&
	       !strcmp(a->prefix, b->prefix) && !strcmp(a->suffix, b->suffix) &&
	       !strcmp(a->wildcard, b->wildcard);
}

bool mark_type_is_known(uint16_t type)
{
	return mark_type_of(type);
}

uint16_t mark_type_at(size_t index)
{
	return index < TYPES ? mark_types[index].type : 0;
}

/* ---- settings ---- */

static bool affix_octet_is_valid(char c)
{
	return isascii(c) && (isalnum(c) || c == '-' || c == '_' || c == '.');
}

/* Copies an affix in lower case. False: it has a character that is not allowed. */
static bool affix_copy(const char *from, char to[MARK_AFFIX_MAX + 1])
{
	size_t len = 0;

	if (strlen(from) > MARK_AFFIX_MAX || from[0] == '.' || strstr(from, ".."))
		return false;
	while (from[len]) {
		if (!strncasecmp(from + len, TEMPLATE, strlen(TEMPLATE))) {
			memcpy(to + len, TEMPLATE, strlen(TEMPLATE));
			len += strlen(TEMPLATE);
			continue;
		}
		if (!affix_octet_is_valid(from[len]))
			return false;
		to[len] = (char)tolower((unsigned char)from[len]);
		len++;
	}
	to[len] = '\0';
	return true;
}

/*
 * False if two names could have the same mark: "a" before "aafoo", and "aaa" before
 * "foo".
 */
static bool affix_is_unambiguous(const char *prefix, const char *suffix)
{
	const char *in_prefix = strstr(prefix, TEMPLATE);
	const char *in_suffix = strstr(suffix, TEMPLATE);

	if (in_prefix) {
		const char *after = in_prefix + strlen(TEMPLATE);

		return (*after == '-' || *after == '.') && !strstr(after, TEMPLATE);
	}
	if (!in_suffix)
		return true;
	return in_suffix > suffix && strchr("-.", in_suffix[-1]) &&
	       !strstr(in_suffix + strlen(TEMPLATE), TEMPLATE);
}

static bool wildcard_copy(const char *from, char to[NAME_MAX_LABEL + 1])
{
	char label[MARK_AFFIX_MAX + 1] = "";

	if (strlen(from) > NAME_MAX_LABEL || strpbrk(from, ".%") ||
	    !affix_copy(from, label))
		return false;
	memcpy(to, label, NAME_MAX_LABEL + 1);
	return true;
}

enum err mark_form_parse(const char *prefix, const char *suffix, const char *wildcard,
                         const char *field, struct mark_form *form, struct why *why)
{
	struct mark_form parsed = { 0 };

	if (*prefix && *suffix)
		return fail(why, ERR_INVALID,
		            "%s: an ownership mark must not have both a prefix and a "
		            "suffix: set one of them to \"\"", field);
	if (!affix_copy(prefix, parsed.prefix) || !affix_copy(suffix, parsed.suffix))
		return fail(why, ERR_INVALID,
		            "%s: the %s must contain only letters, digits, '-', '_', '.' "
		            "and '%s', without '..' and without '.' at the beginning, "
		            "not '%s'",
		            field, *prefix ? "prefix" : "suffix", TEMPLATE,
		            *prefix ? prefix : suffix);
	if (*suffix && suffix[strlen(suffix) - 1] == '.')
		return fail(why, ERR_INVALID,
		            "%s: the suffix '%s' must not end in a dot", field, suffix);
	if (!affix_is_unambiguous(parsed.prefix, parsed.suffix))
		return fail(why, ERR_INVALID,
		            "%s: the %s may contain '%s' only once, and only directly %s "
		            "'-' or '.', not '%s'", field, *prefix ? "prefix" : "suffix",
		            TEMPLATE, *prefix ? "before" : "after",
		            *prefix ? prefix : suffix);
	if (!wildcard_copy(wildcard, parsed.wildcard))
		return fail(why, ERR_INVALID,
		            "%s: the wildcard replacement must be one label of letters, "
		            "digits, '-' and '_', not '%s'", field, wildcard);
	*form = parsed;
	return OK;
}

/* ---- from a record's name to the mark's name ---- */

static bool affix_ends_in_dot(const char *text)
{
	return *text && text[strlen(text) - 1] == '.';
}

/* The form of the mark for TYPE. */
static const struct mark_form *mark_form_for(const struct mark_form *form,
                                             const struct mark_type *type)
{
	if (form->is_same)
		return type->place & PLACE_ALONE ? &mark_form_plain : form;
	if (affix_ends_in_dot(form->prefix) && type->place & PLACE_HIDES)
		return &mark_form_plain;
	return form;
}

static bool mark_form_has_template(const struct mark_form *form)
{
	return strstr(form->prefix, TEMPLATE) || strstr(form->suffix, TEMPLATE);
}

static void affix_expand(const char *affix, const char *type, char text[EXPANDED_MAX + 1])
{
	const char *at = strstr(affix, TEMPLATE);
	int before = (int)(at ? at - affix : (ptrdiff_t)strlen(affix));
	int len = snprintf(text, EXPANDED_MAX + 1, "%.*s%s%s", before, affix,
	                   at ? type : "", at ? at + strlen(TEMPLATE) : "");

	bug_if(len < 0 || len > EXPANDED_MAX);
}

/* The parts around the first label of a record's name, for one type. */
struct affixes {
	char before[EXPANDED_MAX + 1], after[EXPANDED_MAX + 1];
};

static void affixes_make(const struct mark_form *form, const struct mark_type *type,
                         struct affixes *affixes)
{
	char prefix[sizeof(form->prefix) + sizeof(TEMPLATE)];
	int len = snprintf(prefix, sizeof(prefix), "%s%s", form->prefix,
	                   mark_form_has_template(form) ? "" : TEMPLATE "-");

	bug_if(len < 0 || (size_t)len >= sizeof(prefix));
	affix_expand(prefix, type->text, affixes->before);
	affix_expand(form->suffix, type->text, affixes->after);
}

/* A name under construction; `at` is the offset of its last label's length. */
struct name_draft {
	struct name *name;
	size_t at, len;
	bool is_broken;
};

static void draft_put(struct name_draft *g, uint8_t octet)
{
	g->is_broken = g->is_broken || g->len - g->at > NAME_MAX_LABEL ||
	               g->len == NAME_MAX_WIRE;
	if (!g->is_broken)
		g->name->wire[g->len++] = octet;
}

static void draft_end_label(struct name_draft *g)
{
	size_t octets = g->len - g->at - 1;

	g->is_broken = g->is_broken || !octets || g->len == NAME_MAX_WIRE;
	if (g->is_broken)
		return;
	g->name->wire[g->at] = (uint8_t)octets;
	g->at = g->len++;
}

static void draft_put_text(struct name_draft *g, const char *text)
{
	for (; *text; text++) {
		if (*text == '.')
			draft_end_label(g);
		else
			draft_put(g, (uint8_t)*text);
	}
}

static bool mark_name_is_wildcard(const struct name *name)
{
	return name->wire[0] == 1 && name->wire[1] == '*';
}

/* Writes the affixes around the first label, if there is one, and then the rest. */
static bool mark_name_compose(const struct mark_form *form, const struct name *name,
                              const struct affixes *affixes, struct name *mark)
{
	struct name_draft g = { .name = mark, .len = 1 };
	size_t first = name->wire[0], rest = name->len - (first ? first + 1 : 0u);

	draft_put_text(&g, affixes->before);
	if (mark_name_is_wildcard(name) && *form->wildcard)
		draft_put_text(&g, form->wildcard);
	else
		for (size_t i = 0; i < first; i++)
			draft_put(&g, name->wire[1 + i]);
	draft_put_text(&g, affixes->after);
	if (g.len - g.at > 1)
		draft_end_label(&g);
	if (g.is_broken || g.at + rest > NAME_MAX_WIRE)
		return false;
	memcpy(mark->wire + g.at, name->wire + name->len - rest, rest);
	mark->len = (uint8_t)(g.at + rest);
	return true;
}

static bool mark_name_make(const struct mark_form *form, const struct name *name,
                           const struct mark_type *type, struct name *mark)
{
	const struct mark_form *own = mark_form_for(form, type);
	struct affixes affixes;

	if (own->is_same) {
		*mark = *name;
		return true;
	}
	affixes_make(own, type, &affixes);
	return mark_name_compose(own, name, &affixes, mark);
}

enum err mark_name(const struct mark_form *form, const struct name *name, uint16_t number,
                   const struct name *zone, struct name *mark, struct why *why)
{
	const struct mark_type *type = mark_type_of(number);
	struct name made;
	char text[NAME_MAX_TEXT + 1];

	if (!type) {
		rrtype_format(number, text);
		return fail(why, ERR_INVALID, "zonefleet-ownership cannot write "
		            "ownership marks for records of type %s", text);
	}
	if (name->len == 1)
		return fail(why, ERR_INVALID, "zonefleet-ownership cannot write "
		            "ownership marks for records of the root");
	if (!mark_name_make(form, name, type, &made))
		return fail(why, ERR_INVALID, "the name of the ownership mark would have "
		            "more than %d octets: choose a shorter name for the record "
		            "set", NAME_MAX_WIRE);
	if (!name_is_below(&made, zone)) {
		name_format(&made, text);
		return fail(why, ERR_INVALID, "the ownership mark would be outside the "
		            "zone: set a txt_prefix that ends in a dot (name of the "
		            "mark: %.100s)", text);
	}
	*mark = made;
	return OK;
}

/* ---- from the mark's name to record names ---- */

struct search {
	const struct mark_form *form;
	const struct name *name, *zone;
	struct mark_reading *readings;
	size_t count;
};

static void search_add(struct search *search, const struct name *name, uint16_t type)
{
	if (search->count < MARK_READINGS_MAX && name_is_below(name, search->zone))
		search->readings[search->count++] = (struct mark_reading){ *name, type };
}

/*
 * Matches the octets of TEXT with labels from *at on. The last label may continue after
 * TEXT.
 */
static bool search_match_before(const struct name *name, const char *text, size_t *at,
                                size_t *into)
{
	*into = 0;
	for (; *text; text++) {
		size_t len = name->wire[*at];

		if (*text == '.') {
			if (*into != len)
				return false;
			*at += len + 1;
			*into = 0;
		} else {
			if (*into >= len || name->wire[*at + 1 + *into] != (uint8_t)*text)
				return false;
			(*into)++;
		}
	}
	return true;
}

/* Matches TEXT, whose first part ends the label at AT; *rest is the part after TEXT. */
static bool search_match_after(const struct name *name, const char *text, size_t at,
                               size_t *first, size_t *rest)
{
	size_t part = strcspn(text, "."), len = name->wire[at], into;

	if (part > len || memcmp(&name->wire[at + 1 + len - part], text, part))
		return false;
	*first = len - part;
	*rest = at + 1 + len;
	if (!text[part])
		return true;
	if (!search_match_before(name, text + part + 1, rest, &into) ||
	    into != name->wire[*rest] || !into)
		return false;
	*rest += into + 1;
	return true;
}

/*
 * Adds a name made of a first label, which may be "*", and the rest of the mark's name.
 */
static void search_add_name(struct search *search, const uint8_t *label, size_t len,
                            size_t rest, uint16_t type)
{
	const struct name *mark = search->name;
	struct name name = { .len = (uint8_t)(1 + len + mark->len - rest) };

	bug_if(rest > mark->len || 1 + len + mark->len - rest > NAME_MAX_WIRE);
	name.wire[0] = (uint8_t)len;
	memcpy(name.wire + 1, label, len);
	memcpy(name.wire + 1 + len, mark->wire + rest, mark->len - rest);
	search_add(search, &name, type);
}

static void search_type(struct search *search, const struct mark_type *type)
{
	const struct mark_form *form = mark_form_for(search->form, type);
	const struct name *name = search->name;
	size_t at = 0, into, end, rest, wildcard = strlen(form->wildcard);
	struct affixes affixes;

	if (form->is_same)
		return;
	affixes_make(form, type, &affixes);
	if (!search_match_before(name, affixes.before, &at, &into) ||
	    !search_match_after(name, affixes.after, at, &end, &rest) || end <= into)
		return;

	const uint8_t *label = &name->wire[at + 1 + into];
	search_add_name(search, label, end - into, rest, type->type);
	if (wildcard && end - into == wildcard &&
	    !memcmp(label, form->wildcard, wildcard))
		search_add_name(search, (const uint8_t *)"*", 1, rest, type->type);
}

/* Tries external-dns' old form without a type, if the affix does not need a type. */
static void search_untyped(struct search *search)
{
	const struct mark_form *form = search->form;
	size_t at = 0, into, end, rest;

	if (mark_form_has_template(form) ||
	    !search_match_before(search->name, form->prefix, &at, &into) ||
	    !search_match_after(search->name, form->suffix, at, &end, &rest) ||
	    end <= into)
		return;
	search_add_name(search, &search->name->wire[at + 1 + into], end - into, rest, 0);
}

/*
 * Drops matches for which mark_name() makes another name: a wildcard is written in one
 * way only.
 */
static void search_keep_valid(struct search *search)
{
	size_t kept = 0;

	for (size_t i = 0; i < search->count; i++) {
		const struct mark_reading *reading = &search->readings[i];
		struct name mark;

		if (!reading->type ||
		    (mark_name_make(search->form, &reading->name,
		                    mark_type_of(reading->type), &mark) &&
		     name_equal(&mark, search->name)))
			search->readings[kept++] = *reading;
	}
	search->count = kept;
}

size_t mark_readings(const struct mark_form *form, const struct name *name,
                     const struct name *zone,
                     struct mark_reading readings[MARK_READINGS_MAX])
{
	struct search search = { form, name, zone, readings };

	if (form->is_none)
		return 0;
	for (size_t i = 0; i < TYPES; i++)
		search_type(&search, &mark_types[i]);
	search_untyped(&search);
	search_keep_valid(&search);
	return search.count;
}
