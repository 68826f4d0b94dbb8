#include "model/master_generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/presentation_text.h"

#define WRONG_RANGE \
	"$GENERATE: the range must be START-STOP or START-STOP/STEP, with numbers from " \
	"0 to 2147483647 and a STEP of at least 1"
#define WRONG_FORMAT \
	"$GENERATE: the form of a number must be ${OFFSET}, ${OFFSET,WIDTH} or " \
	"${OFFSET,WIDTH,BASE}, with a WIDTH up to 127 and one of the bases d, o, x, X, " \
	"n and N"

enum { WIDTH_MAX = 127 };

/* ---- the range ---- */

static bool generate_parse_range(struct generate *generate, char *text)
{
	char *stop = strchr(text, '-'), *step = strchr(text, '/');

	generate->step = 1;
	if (!stop)
		return false;
	*stop++ = '\0';
	if (step)
		*step++ = '\0';
	return text_parse_number(text, INT32_MAX, &generate->at) &&
	       text_parse_number(stop, INT32_MAX, &generate->stop) &&
	       (!step || text_parse_number(step, INT32_MAX, &generate->step)) &&
	       generate->step && generate->at <= generate->stop;
}

static const char *generate_read_range(struct generate *generate, char *text)
{
	if (!generate_parse_range(generate, text))
		return WRONG_RANGE;
	if ((generate->stop - generate->at) / generate->step >= GENERATE_MAX)
		return "$GENERATE: the range must have at most 65536 numbers";
	return NULL;
}

bool generate_is_active(const struct generate *generate)
{
	return generate->name != NULL;
}

void generate_end(struct generate *generate)
{
	free(generate->name);
	free(generate->type);
	free(generate->data);
	*generate = (struct generate){ 0 };
}

/* ---- the form of a number ---- */

struct form {
	int32_t offset;
	uint32_t width;
	char base;
};

/* Reads the digits at *at, up to the first other character. */
static bool form_read_number(const char **at, uint32_t max, uint32_t *number)
{
	uint64_t sum = 0;

	if (**at < '0' || **at > '9')
		return false;
	for (; **at >= '0' && **at <= '9'; ++*at) {
		sum = sum * 10 + (uint64_t)(**at - '0');
		if (sum > max)
			return false;
	}
	*number = (uint32_t)sum;
	return true;
}

static bool form_read_offset(const char **at, int32_t *offset)
{
	bool is_negative = **at == '-';
	uint32_t number;

	if (**at == '-' || **at == '+')
		++*at;
	if (!form_read_number(at, INT32_MAX, &number))
		return false;
	*offset = is_negative ? -(int32_t)number : (int32_t)number;
	return true;
}

/* Reads "OFFSET}", "OFFSET,WIDTH}" or "OFFSET,WIDTH,BASE}". */
static bool form_read(const char **at, struct form *form)
{
	if (!form_read_offset(at, &form->offset))
		return false;
	if (**at == ',') {
		++*at;
		if (!form_read_number(at, WIDTH_MAX, &form->width))
			return false;
		if (**at == ',') {
			form->base = *++*at;
			if (!form->base || !strchr("doxXnN", form->base))
				return false;
			++*at;
		}
	}
	if (**at != '}')
		return false;
	++*at;
	return true;
}

/* WIDTH counts the dots. */
static void form_print_nibbles(const struct form *form, uint32_t value, struct buf *to)
{
	const char *digits = form->base == 'n' ? "0123456789abcdef" : "0123456789ABCDEF";
	uint32_t width = form->width;

	do {
		buf_u8(to, (uint8_t)digits[value & 15]);
		value >>= 4;
		width -= width > 0;
		if (width || value) {
			buf_u8(to, '.');
			width -= width > 0;
		}
	} while (width || value);
}

static void form_print(const struct form *form, uint32_t at, struct buf *to)
{
	uint32_t value = at + (uint32_t)form->offset;
	int width = (int)form->width;

	switch (form->base) {
	case 'o': buf_printf(to, "%0*" PRIo32, width, value); break;
	case 'x': buf_printf(to, "%0*" PRIx32, width, value); break;
	case 'X': buf_printf(to, "%0*" PRIX32, width, value); break;
	case 'd': buf_printf(to, "%0*" PRId32, width, (int32_t)value); break;
	default:  form_print_nibbles(form, value, to);
	}
}

/* ---- the directive ---- */

/*
 * Appends the words [TTL] [class] TYPE with blanks between them. False: there is no type
 * without quotes.
 */
static bool generate_read_type(char **at, struct buf *type)
{
	for (int i = 0; i < 3; i++) {
		bool quoted = false;
		const char *word = text_word(at, &quoted);

		if (quoted)
			return false;

		buf_printf(type, "%s%s", i ? " " : "", word);
		if (!text_is_in_class(word) && !text_is_digit(*word))
			return *word;
	}
	return false;
}

/* BIND removes the backslash of \" when it takes the quotes off the data. */
static void generate_unescape_quotes(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1] == '"')
			text++;
		else if (*text == '\\' && text[1])
			*to++ = *text++;
		*to++ = *text;
	}
	*to = '\0';
}

const char *generate_begin(struct generate *generate, char *at)
{
	bool range_is_quoted = false, name_is_quoted = false, data_is_quoted = false;
	char *range = (char *)text_word(&at, &range_is_quoted);
	const char *name = text_word(&at, &name_is_quoted), *wrong = NULL;
	struct buf type = { 0 };
	bool has_type = generate_read_type(&at, &type);
	char *data = (char *)text_word(&at, &data_is_quoted);

	if (!has_type || !*data || range_is_quoted || name_is_quoted)
		wrong = "$GENERATE must have the form: START-STOP[/STEP] NAME [TTL] "
			"[class] TYPE DATA";
	else if (!text_is_blank(at))
		wrong = "$GENERATE: DATA of several words must be in quotes";
	else
		wrong = generate_read_range(generate, range);
	if (!wrong) {
		if (data_is_quoted)
			generate_unescape_quotes(data);
		generate->name = xstrdup(name);
		generate->type = xstrdup(buf_string(&type));
		generate->data = xstrdup(data);
	}
	buf_clear(&type);
	return wrong;
}

/* ---- a record ---- */

static const char *generate_expand(const char *word, uint32_t number, struct buf *to)
{
	size_t start = to->len;
	int32_t offset = 0;

	while (*word && to->len - start <= GENERATE_WORD_MAX) {
		struct form form = { .offset = offset, .base = 'd' };

		if (*word == '\\' && word[1]) {
			buf_append(to, word, 2);
			word += 2;
		} else if (*word != '$') {
			buf_u8(to, (uint8_t)*word++);
		} else if (*++word == '$') {
			buf_u8(to, (uint8_t)*word++);
		} else if (*word == '{' && (word++, !form_read(&word, &form))) {
			return WRONG_FORMAT;
		} else {
			form_print(&form, number, to);
			offset = form.offset;
		}
	}
	return to->len - start <= GENERATE_WORD_MAX
	       ? NULL : "$GENERATE: the name and the data must have at most 2047 "
	                "characters each";
}

const char *generate_next(struct generate *generate, struct buf *line)
{
	const char *wrong = generate_expand(generate->name, generate->at, line);

	buf_printf(line, " %s ", generate->type);
	if (!wrong)
		wrong = generate_expand(generate->data, generate->at, line);
	if (wrong || generate->stop - generate->at < generate->step)
		generate_end(generate);
	else
		generate->at += generate->step;
	return wrong;
}
