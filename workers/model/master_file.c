#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "model/presentation.h"
#include "model/presentation_text.h"

enum { ENTRY_MAX = RDATA_MAX_TEXT + 2 * NAME_MAX_TEXT };

struct master_file {
	FILE *file;
	char *path;
	int line;		/* the last line that was read */
	int entry_line;		/* the first line of the current entry */
	char *origin_text;	/* as given; parsed at the first record */
	bool has_origin, has_owner, has_ttl;	/* has_ttl: $TTL was set */
	struct name origin, owner;
	uint32_t ttl;		/* of a record without a TTL */
	struct buf wire;
	size_t len;		/* length of the entry */
	char entry[ENTRY_MAX + 1];	/* lexed, then cut into words */
};

struct master_file *master_file_open(FILE *file, const char *path, const char *origin,
                                     uint32_t default_ttl)
{
	struct master_file *master = xcalloc(1, sizeof(*master));

	master->file = file;
	master->path = xstrdup(path);
	master->origin_text = xstrdup(origin);
	master->ttl = default_ttl;
	return master;
}

void master_file_close(struct master_file **master)
{
	if (!*master)
		return;
	buf_clear(&(*master)->wire);
	free((*master)->path);
	free((*master)->origin_text);
	free(*master);
	*master = NULL;
}

static enum err master_refuse(const struct master_file *master, const char *words,
                              struct why *why)
{
	return fail(why, ERR_INVALID, "%s:%d: %s", master->path, master->entry_line,
	            words);
}

/* Adds a byte to the entry. False: the entry has ended; *wrong is an error or NULL. */
static bool master_take(struct master_file *master, struct lexer *lexer, int c,
                        const char **wrong)
{
	int kept = lexer_step(lexer, c);

	if (c == '\n')
		master->line++;
	if (kept >= 0 && master->len == ENTRY_MAX)
		*wrong = "the entry is too long";
	else if (kept >= 0)
		master->entry[master->len++] = kept;
	else if (kept == LEX_WRONG)
		*wrong = lexer->wrong;
	return kept != LEX_END && !*wrong;
}

/*
 * Reads the next entry: a line, or several lines in parentheses. *end at the end of the
 * file.
 */
static enum err master_read_entry(struct master_file *master, bool *end, struct why *why)
{
	struct lexer lexer = { 0 };
	const char *wrong = NULL;
	int c;

	master->entry_line = master->line + 1;
	master->len = 0;
	while ((c = getc_unlocked(master->file)) != EOF)
		if (!master_take(master, &lexer, c, &wrong))
			break;
	if (c == EOF)
		wrong = ferror(master->file) ? strerror(errno) : lexer_unfinished(&lexer);
	if (wrong)
		return master_refuse(master, wrong, why);
	master->entry[master->len] = '\0';
	*end = c == EOF && !master->len;
	return OK;
}

static bool master_is_blank(const char *text)
{
	return !text[strspn(text, " ")];
}

static enum err master_set_origin(struct master_file *master, const char *text,
                                  struct why *why)
{
	struct why words;

	if (name_parse_in(text, master->has_origin ? &master->origin : NULL, "$ORIGIN",
	                  &master->origin, &words))
		return master_refuse(master, words.text, why);
	master->has_origin = true;
	return OK;
}

static enum err master_set_default_ttl(struct master_file *master, const char *text,
                                       struct why *why)
{
	if (!text_parse_period(text, RR_TTL_MAX, &master->ttl))
		return master_refuse(
		    master, "$TTL must be a time from 0 to 2147483647 seconds", why);
	master->has_ttl = true;
	return OK;
}

static enum err master_read_directive(struct master_file *master, struct why *why)
{
	static const struct {
		const char *name;
		enum err (*set)(struct master_file *master, const char *text,
		                struct why *why);
	} directives[] = {
		{ "$ORIGIN", master_set_origin },
		{ "$TTL",    master_set_default_ttl },
	};
	char *at = master->entry;
	struct word name = { 0 }, value;
	const char *wrong = NULL;

	if (!text_next_word(&at, &name, &wrong) || !text_next_word(&at, &value, &wrong) ||
	    !master_is_blank(at))
		return master_refuse(master, "a directive must have one value", why);
	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
		if (!strcasecmp(name.text, directives[i].name))
			return directives[i].set(master, value.text, why);
	return master_refuse(master, "a directive must be $ORIGIN or $TTL",
	                     why);
}

/* A line that begins with a blank has the owner of the previous record. */
static enum err master_read_owner(struct master_file *master, char **at, struct why *why)
{
	const char *wrong = NULL;
	struct word word;
	struct why words;

	if (**at == ' ' && !master->has_owner)
		return master_refuse(master, "the first record must have an owner name",
		                     why);
	if (**at == ' ')
		return OK;
	if (!text_next_word(at, &word, &wrong) || word.quoted)
		return master_refuse(master, "an owner name must not be in quotes",
		                     why);
	if (name_parse_in(word.text, &master->origin, "owner", &master->owner, &words))
		return master_refuse(master, words.text, why);
	name_fold(&master->owner);
	master->has_owner = true;
	return OK;
}

static enum err master_read_ttl(struct master_file *master, const char *text,
                                struct rr *rr, struct why *why)
{
	if (!text_parse_period(text, RR_TTL_MAX, &rr->ttl))
		return master_refuse(master,
		                     "a TTL must be a time from 0 to 2147483647 seconds",
		                     why);
	/* RFC 1035 5.1: the last stated TTL; RFC 2308 4: unless $TTL is set */
	if (!master->has_ttl)
		master->ttl = rr->ttl;
	return OK;
}

static bool master_is_in_class(const char *text)
{
	return !strcasecmp(text, "IN") || !strcasecmp(text, "CLASS1");
}

/* Reads [TTL] [class] type; the first two may be in either order. */
static enum err master_read_fixed(struct master_file *master, char **at, struct rr *rr,
                                  struct why *why)
{
	bool has_ttl = false, has_class = false;
	const char *wrong = NULL;
	struct word word;
	struct why words;

	rr->ttl = master->ttl;
	while (text_next_word(at, &word, &wrong)) {
		if (!has_class && master_is_in_class(word.text)) {
			has_class = true;
		} else if (!has_ttl && word.text[0] >= '0' && word.text[0] <= '9') {
			enum err err = master_read_ttl(master, word.text, rr, why);

			if (err)
				return err;
			has_ttl = true;
		} else if (rrtype_parse(word.text, "type", &rr->type, &words)) {
			return master_refuse(master, words.text, why);
		} else {
			return OK;
		}
	}
	return master_refuse(master, "the record has no type", why);
}

static enum err master_read_record(struct master_file *master, struct rr *rr,
                                   struct why *why)
{
	char *at = master->entry;
	struct why words;
	struct rr got = { .name = master->owner.wire };
	enum err err = master_read_owner(master, &at, why);

	if (!err)
		err = master_read_fixed(master, &at, &got, why);
	if (err)
		return err;

	struct rdata_text rdata = {
		got.type, "data", &master->origin, at, &master->wire
	};

	buf_reset(&master->wire);
	if (rdata_read(&rdata, &words))
		return master_refuse(master, words.text, why);
	got.rdata = (const uint8_t *)buf_string(&master->wire);
	got.rdata_len = master->wire.len;
	*rr = got;
	return OK;
}

enum err master_file_next(struct master_file *master, struct rr *rr, bool *found,
                          struct why *why)
{
	bool end = false;
	enum err err = OK;

	if (!master->has_origin)
		err = master_set_origin(master, master->origin_text, why);
	while (!err) {
		err = master_read_entry(master, &end, why);
		if (err || end)
			break;
		if (master->entry[0] == '$') {
			err = master_read_directive(master, why);
		} else if (!master_is_blank(master->entry)) {
			err = master_read_record(master, rr, why);
			break;
		}
	}
	if (!err)
		*found = !end;
	return err;
}
