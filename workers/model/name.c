#include "model/name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* Results of name_next_octet() other than octets. */
enum { AT_DOT = -1, AT_END = -2, BROKEN = -3 };

enum { MAX_LABELS = 127 };

static uint8_t name_fold_octet(uint8_t octet)
{
	return octet >= 'A' && octet <= 'Z' ? octet + ('a' - 'A') : octet;
}

/* Reads the text after a backslash: three digits, or the octet itself. */
static int name_escaped_octet(const char **at)
{
	const char *from = *at;

	if (*from < ' ' || *from > '~')
		return BROKEN;
	if (!isdigit((unsigned char)*from)) {
		*at = from + 1;
		return *from;
	}
	if (!isdigit((unsigned char)from[1]) || !isdigit((unsigned char)from[2]))
		return BROKEN;

	int octet = (from[0] - '0') * 100 + (from[1] - '0') * 10 + from[2] - '0';

	*at = from + 3;
	return octet <= 255 ? octet : BROKEN;
}

/* Reads the octet at *at, or returns one of the results above. */
static int name_next_octet(const char **at)
{
	char c = **at;

	if (!c)
		return AT_END;
	if (c < '!' || c > '~')
		return BROKEN;
	++*at;
	if (c == '.')
		return AT_DOT;
	return c == '\\' ? name_escaped_octet(at) : c;
}

static enum err name_refuse(const char *text, const char *field, const char *words,
                            struct why *why)
{
	char shown[81];

	return fail(why, ERR_INVALID, "%s: the name '%s' %s", field,
	            err_quote(text, shown, sizeof(shown)), words);
}

/* A name under construction: wire[label] gets the length of the current label. */
struct labels {
	size_t label, len;
	uint8_t wire[NAME_MAX_WIRE];
};

/* Adds a result of name_next_octet(). Returns NULL or the error. */
static const char *name_take(struct labels *labels, int octet)
{
	size_t label_len = labels->len - labels->label - 1;

	if (octet == BROKEN)
		return "has a character that must be written as \\DDD (000 to 255) or, "
		       "if it is not ASCII, in the form xn--...";
	if (octet == AT_DOT && !label_len)
		return "has an empty label";
	if (octet != AT_DOT && label_len == NAME_MAX_LABEL)
		return "has a label of more than 63 octets";
	if (labels->len == NAME_MAX_WIRE)
		return "is longer than 255 octets";
	if (octet == AT_DOT) {
		labels->wire[labels->label] = label_len;
		labels->label = labels->len++;
	} else {
		labels->wire[labels->len++] = octet;
	}
	return NULL;
}

/* Appends ORIGIN, which may be the root, to the labels of NAME. */
static const char *name_complete(const struct labels *labels, const struct name *origin,
                                 struct name *name)
{
	size_t origin_len = origin->len;

	if (labels->label + origin_len > NAME_MAX_WIRE)
		return "is longer than 255 octets";
	memmove(name->wire + labels->label, origin->wire, origin_len);
	memcpy(name->wire, labels->wire, labels->label);
	name->len = labels->label + origin_len;
	return NULL;
}

/* Reads the labels of TEXT. is_relative: there is no final dot. */
static const char *name_scan(const char *text, struct labels *labels, bool *is_relative)
{
	const char *wrong = NULL;
	int octet;

	while (!wrong && (octet = name_next_octet(&text)) != AT_END)
		wrong = name_take(labels, octet);
	*is_relative = labels->len > labels->label + 1;
	if (!wrong && *is_relative)
		wrong = name_take(labels, AT_DOT);
	return wrong;
}

/* A person or a program has left out the final dot, or the domain. */
static enum err name_refuse_relative(const char *text, const char *field,
                                     bool is_one_label, struct why *why)
{
	char shown[81], words[160];

	err_quote(text, shown, sizeof(shown));
	if (!strcmp(text, "@"))
		snprintf(words, sizeof(words), "must be a full name, for example "
		         "'example.org.'");
	else if (is_one_label)
		snprintf(words, sizeof(words), "must end in a dot: write the full name, "
		         "for example '%s.example.org.'", shown);
	else
		snprintf(words, sizeof(words), "must end in a dot: write '%s.'", shown);
	return name_refuse(text, field, words, why);
}

enum err name_parse_in(const char *text, const struct name *origin, const char *field,
                       struct name *name, struct why *why)
{
	static const struct name root = { .len = 1 };
	struct labels labels = { .len = 1 };
	const char *wrong = NULL;
	bool is_relative = false;

	if (!*text)
		wrong = "is empty";
	else if (origin && !strcmp(text, "@"))
		is_relative = true;
	else if (strcmp(text, "."))
		wrong = name_scan(text, &labels, &is_relative);
	if (!wrong && is_relative && !origin)
		return name_refuse_relative(text, field,
		                            labels.label == 1U + labels.wire[0], why);
	if (!wrong)
		wrong = name_complete(&labels, is_relative ? origin : &root, name);
	return wrong ? name_refuse(text, field, wrong, why) : OK;
}

enum err name_parse(const char *text, const char *field, struct name *name,
                    struct why *why)
{
	enum err err = name_parse_in(text, NULL, field, name, why);

	if (!err)
		name_fold(name);
	return err;
}

/*
 * True: only letters, digits, '_', '/', and hyphens that are not the first or last
 * character.
 */
static bool name_is_host_label(const uint8_t *label)
{
	for (int i = 1; i <= label[0]; i++) {
		uint8_t octet = label[i];
		bool is_inner_hyphen = octet == '-' && i > 1 && i < label[0];

		if (!isalnum(octet) && octet != '_' && octet != '/' && !is_inner_hyphen)
			return false;
	}
	return true;
}

enum err name_parse_owner(const char *text, const char *field, struct name *name,
                          struct why *why)
{
	struct name got;
	enum err err = name_parse(text, field, &got, why);
	const uint8_t *label = got.wire;

	if (err)
		return err;
	if (label[0] == 1 && label[1] == '*')
		label += 2;
	for (; label[0]; label += 1 + label[0])
		if (!name_is_host_label(label))
			return name_refuse(text, field,
			                   "may contain only letters, digits, '_', '/', "
			                   "inner hyphens, and '*' as its whole first "
			                   "label", why);
	*name = got;
	return OK;
}

void name_fold(struct name *name)
{
	/* a length octet is below 'A', so folding does not change it */
	for (int i = 0; i < name->len; i++)
		name->wire[i] = name_fold_octet(name->wire[i]);
}

static char *name_format_octet(char *to, uint8_t octet)
{
	if (islower(octet) || isdigit(octet) || (octet && strchr("-_*/", octet))) {
		*to++ = octet;
	} else if (octet == '.' || octet == '\\') {
		*to++ = '\\';
		*to++ = octet;
	} else {
		*to++ = '\\';
		*to++ = '0' + octet / 100;
		*to++ = '0' + octet / 10 % 10;
		*to++ = '0' + octet % 10;
	}
	return to;
}

void name_format(const struct name *name, char text[NAME_MAX_TEXT + 1])
{
	name_format_wire(name->wire, text);
}

void name_format_wire(const uint8_t *wire, char text[NAME_MAX_TEXT + 1])
{
	const uint8_t *label = wire;
	char *to = text;

	bug_if(!name_wire_len(wire, NAME_MAX_WIRE));
	if (!label[0])
		*to++ = '.';
	for (; label[0]; label += 1 + label[0]) {
		for (int i = 1; i <= label[0]; i++)
			to = name_format_octet(to, name_fold_octet(label[i]));
		*to++ = '.';
	}
	*to = '\0';
}

size_t name_wire_len(const uint8_t *wire, size_t len)
{
	size_t at = 0;

	if (len > NAME_MAX_WIRE)
		len = NAME_MAX_WIRE;
	while (at < len && wire[at] && wire[at] <= NAME_MAX_LABEL)
		at += 1 + wire[at];
	return at < len && !wire[at] ? at + 1 : 0;
}

bool name_equal(const struct name *a, const struct name *b)
{
	return a->len == b->len && !memcmp(a->wire, b->wire, a->len);
}

bool name_is_below(const struct name *name, const struct name *zone)
{
	size_t at = 0;

	while (name->len - at > zone->len)
		at += 1 + name->wire[at];
	return name->len - at == zone->len && !memcmp(name->wire + at, zone->wire,
	                                              zone->len);
}

bool name_parent(const struct name *name, struct name *parent)
{
	size_t label_len = 1 + name->wire[0];

	if (name->len == 1)
		return false;
	parent->len = name->len - label_len;
	memmove(parent->wire, name->wire + label_len, parent->len);
	return true;
}

/* Finds the offset of each label. Returns the number of labels. */
static int name_find_labels(const uint8_t *wire, uint8_t at[MAX_LABELS])
{
	int count = 0;

	for (int i = 0; wire[i]; i += 1 + wire[i])
		at[count++] = i;
	return count;
}

int name_labels(const struct name *name)
{
	uint8_t at[MAX_LABELS];

	return name_find_labels(name->wire, at);
}

static int name_compare_labels(const uint8_t *a, const uint8_t *b)
{
	int shorter = a[0] < b[0] ? a[0] : b[0];

	for (int i = 1; i <= shorter; i++)
		if (name_fold_octet(a[i]) != name_fold_octet(b[i]))
			return name_fold_octet(a[i]) - name_fold_octet(b[i]);
	return a[0] - b[0];
}

int name_compare_wire(const uint8_t *a, const uint8_t *b)
{
	uint8_t a_at[MAX_LABELS], b_at[MAX_LABELS];
	int a_left = name_find_labels(a, a_at), b_left = name_find_labels(b, b_at);
	int order = 0;

	while (!order && a_left && b_left)
		order = name_compare_labels(a + a_at[--a_left], b + b_at[--b_left]);
	return order ? order : a_left - b_left;
}
