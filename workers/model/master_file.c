#include "model/master_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "model/master_generate.h"
#include "model/master_include.h"
#include "model/master_ttl.h"
#include "model/presentation.h"
#include "model/presentation_text.h"

enum {
	ENTRY_MAX = RDATA_MAX_TEXT + 2 * NAME_MAX_TEXT,
	PATH_SHOWN = 250,
};

#define BYTE_ORDER_MARK "\xef\xbb\xbf"	/* of UTF-8 */
#define LONE_CR \
	" (a carriage return without a line feed ended this line: end lines with a " \
	"line feed)"

struct source {
	FILE *file;
	char *path;
	int line;		/* the last line that was read */
	int cr_line;		/* the last line that a CR without an LF has ended */
	/* of the file that includes this one: they come back at its end (RFC 1035 5.1) */
	struct name origin, owner;
	bool has_owner;
};

struct master_file {
	struct master_options options;	/* the origin is parsed at the first record */
	struct source sources[MASTER_DEPTH_MAX + 1];	/* [0] is the main file */
	int depth, includes;
	int entry_line;		/* the first line of the current entry */
	bool starts_blank;	/* the current entry begins with a blank */
	bool has_origin, has_owner;
	struct name origin, owner, generated;
	struct master_ttl ttl;
	struct generate generate;
	struct buf wire, line;
	size_t len;		/* length of the entry */
	char entry[ENTRY_MAX + 1];	/* lexed, then cut into words */
};

static struct source *master_source(struct master_file *master)
{
	return &master->sources[master->depth];
}

struct master_file *master_file_open(FILE *file, const char *path,
                                     const struct master_options *options)
{
	struct master_file *master = xcalloc(1, sizeof(*master));

	master->options = *options;
	master->options.origin = xstrdup(options->origin);
	master->sources[0] = (struct source){ .file = file, .path = xstrdup(path) };
	return master;
}

/* Returns to the file that includes the current file. */
static void master_leave(struct master_file *master)
{
	struct source *source = master_source(master);

	master->origin = source->origin;
	master->owner = source->owner;
	master->has_owner = source->has_owner;
	ttl_end_run(&master->ttl);
	fclose(source->file);
	free(source->path);
	master->depth--;
}

void master_file_close(struct master_file **master)
{
	if (!*master)
		return;
	while ((*master)->depth)
		master_leave(*master);
	generate_end(&(*master)->generate);
	buf_clear(&(*master)->wire);
	buf_clear(&(*master)->line);
	free((*master)->sources[0].path);
	free((char *)(*master)->options.origin);
	free(*master);
	*master = NULL;
}

const char *master_file_path(const struct master_file *master)
{
	return master->sources[master->depth].path;
}

int master_file_line(const struct master_file *master)
{
	return master->entry_line;
}

static enum err master_refuse(const struct master_file *master, const char *words,
                              struct why *why)
{
	const struct source *source = &master->sources[master->depth];
	bool is_cut = source->cr_line && source->cr_line == master->entry_line;

	return fail(why, ERR_INVALID, "%.*s:%d: %s%s", PATH_SHOWN, source->path,
	            master->entry_line, words, is_cut ? LONE_CR : "");
}

static void master_warn(const struct master_file *master, const char *words)
{
	struct why text;

	if (!master->options.warn || !*words)
		return;
	master_refuse(master, words, &text);
	master->options.warn(master->options.self, text.text);
}

/* ---- entries ---- */

/* Adds a byte to the entry. False: the entry has ended; *wrong is an error or NULL. */
static bool master_take(struct master_file *master, struct lexer *lexer, int c,
                        const char **wrong)
{
	int kept = lexer_step(lexer, c);

	if (kept >= 0 && master->len == ENTRY_MAX)
		*wrong = "the record or directive is too long: look for a missing ')' or "
		         "'\"'";
	else if (kept >= 0)
		master->entry[master->len++] = kept;
	else if (kept == LEX_WRONG)
		*wrong = lexer->wrong;
	return kept != LEX_END && !*wrong;
}

/* Parentheses become blanks, so only the first byte shows that the owner is missing. */
static void master_begin_entry(struct master_file *master, int first)
{
	master->starts_blank = first == ' ' || first == '\t';
	master->len = 0;
}

/* A line ends with LF, with CR LF or, as in BIND, with CR. Only LF counts lines. */
static void master_end_line(struct source *source, int c)
{
	if (c != '\r')
		return;
	c = getc_unlocked(source->file);
	if (c == '\n')
		source->line++;
	else
		source->cr_line = source->line + 1;
	if (c != '\n')
		ungetc(c, source->file);
}

/*
 * Reads the next entry: a line, or several lines in parentheses. *end at the end of the
 * file.
 */
static enum err master_read_entry(struct master_file *master, bool *end, struct why *why)
{
	struct source *source = master_source(master);
	struct lexer lexer = { 0 };
	const char *wrong = NULL;
	int c = getc_unlocked(source->file);
	bool goes_on = true;

	master->entry_line = source->line + 1;
	master_begin_entry(master, c);
	*end = c == EOF;
	while (c != EOF) {
		source->line += c == '\n';
		goes_on = master_take(master, &lexer, c, &wrong);
		if (!goes_on)
			break;
		c = getc_unlocked(source->file);
	}
	if (goes_on)
		wrong = ferror(source->file) ? strerror(errno)
		                             : lexer_unfinished(&lexer);
	else
		master_end_line(source, c);
	if (wrong)
		return master_refuse(master, wrong, why);
	master->entry[master->len] = '\0';
	if (master->entry_line == 1 && !strncmp(master->entry, BYTE_ORDER_MARK, 3))
		return master_refuse(master, "the file begins with a byte order mark: "
		                     "save the file as UTF-8 without this mark", why);
	return OK;
}

/* ---- directives ---- */

static enum err master_parse_origin(struct master_file *master, const char *text,
                                    const char *field, struct name *origin,
                                    struct why *why)
{
	struct why words;

	if (name_parse_in(text, master->has_origin ? &master->origin : NULL, field,
	                  origin, &words))
		return master_refuse(master, words.text, why);
	master->has_origin = true;
	return OK;
}

static enum err master_set_origin(struct master_file *master, char *at, struct why *why)
{
	bool quoted = false;
	const char *text = text_word(&at, &quoted);

	if (!*text || quoted || !text_is_blank(at))
		return master_refuse(master, "$ORIGIN must have one value, a name "
		                     "without quotes", why);
	return master_parse_origin(master, text, "$ORIGIN", &master->origin, why);
}

static enum err master_set_default_ttl(struct master_file *master, char *at,
                                       struct why *why)
{
	bool quoted = false;
	const char *text = text_word(&at, &quoted);

	if (!quoted && text_is_blank(at) && ttl_read_default(&master->ttl, text))
		return OK;
	return master_refuse(master, "$TTL must have one value, a time from 0 to "
	                     "2147483647 seconds without quotes", why);
}

static void master_enter(struct master_file *master, FILE *file, const char *name)
{
	struct source *source = &master->sources[++master->depth];

	*source = (struct source){
		.file = file, .path = include_path(master->sources[0].path, name),
		.origin = master->origin, .owner = master->owner,
		.has_owner = master->has_owner,
	};
	ttl_end_run(&master->ttl);
}

static enum err master_include(struct master_file *master, char *at, struct why *why)
{
	const char *name = text_word(&at, NULL);
	bool quoted = false;
	const char *text = text_word(&at, &quoted);
	struct name origin = master->origin;
	struct why words;
	FILE *file;
	enum err err = OK;

	if (!*name || quoted || !text_is_blank(at))
		return master_refuse(master, "$INCLUDE must have the form $INCLUDE FILE "
		                     "[ORIGIN], with an ORIGIN without quotes", why);
	if (master->options.folder < 0)
		return master_refuse(master, "$INCLUDE works only in a file: standard "
		                     "input has no folder", why);
	if (master->depth == MASTER_DEPTH_MAX)
		return master_refuse(master, "$INCLUDE: files can include other files "
		                     "at most 10 levels deep", why);
	if (master->includes++ == MASTER_INCLUDES_MAX)
		return master_refuse(master, "$INCLUDE: at most 1000 files can be "
		                     "included in total", why);
	if (include_open(master->options.folder, name, &file, &words))
		return master_refuse(master, words.text, why);
	if (*text)
		err = master_parse_origin(master, text, "$INCLUDE: origin", &origin, why);
	if (err) {
		fclose(file);
		return err;
	}
	master_enter(master, file, name);
	master->origin = origin;
	return OK;
}

static enum err master_generate(struct master_file *master, char *at, struct why *why)
{
	const char *wrong = generate_begin(&master->generate, at);

	return wrong ? master_refuse(master, wrong, why) : OK;
}

static enum err master_read_directive(struct master_file *master, char *at,
                                      struct why *why)
{
	static const struct {
		const char *name;
		enum err (*run)(struct master_file *master, char *at, struct why *why);
	} directives[] = {
		{ "$ORIGIN",   master_set_origin },
		{ "$TTL",      master_set_default_ttl },
		{ "$INCLUDE",  master_include },
		{ "$GENERATE", master_generate },
	};
	const char *name = text_word(&at, NULL);
	char quoted[33];
	struct why words;

	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
		if (!strcasecmp(name, directives[i].name))
			return directives[i].run(master, at, why);
	fail(&words, ERR_INVALID, "a directive must be $ORIGIN, $TTL, $INCLUDE or "
	     "$GENERATE, not '%s'", err_quote(name, quoted, sizeof(quoted)));
	return master_refuse(master, words.text, why);
}

/* ---- records ---- */

/* A line that begins with a blank has the owner of the previous record. */
static enum err master_read_owner(struct master_file *master, char **at,
                                  struct name *owner, struct why *why)
{
	const char *wrong = NULL;
	struct word word;
	struct why words;

	if (master->starts_blank && !master->has_owner)
		return master_refuse(master, "the first record must begin with an owner "
		                     "name, for example @ for the domain itself, not "
		                     "with a blank", why);
	if (master->starts_blank)
		return OK;
	if (!text_next_word(at, &word, &wrong))
		return master_refuse(master, wrong
		                             ? "an owner name must not contain a quote "
		                               "without a backslash"
		                             : "the owner name is missing", why);
	if (word.quoted)
		return master_refuse(master, "an owner name must not be in quotes",
		                     why);
	if (name_parse_in(word.text, &master->origin, "owner", owner, &words))
		return master_refuse(master, words.text, why);
	name_fold(owner);
	if (owner == &master->owner) {
		ttl_begin_run(&master->ttl, owner);
		master->has_owner = true;
	}
	return OK;
}

/*
 * Refuses what follows the owner name. If the owner name looks like a type or class, the
 * line probably lacks an owner name.
 */
static enum err master_refuse_fixed(const struct master_file *master, const char *words,
                                    struct why *why)
{
	const char *first = master->entry;
	struct why text, ignored;
	uint16_t type;

	if (master->starts_blank ||
	    (!text_is_in_class(first) && rrtype_parse(first, "", &type, &ignored)))
		return master_refuse(master, words, why);
	fail(&text, ERR_INVALID, "%s. The first word of the line, '%.16s', counts as the "
	     "owner name. If the line has no owner name, begin the line with a blank",
	     words, first);
	return master_refuse(master, text.text, why);
}

/* Reads a word that is neither a TTL nor the class IN. */
static enum err master_read_type(const struct master_file *master, const char *text,
                                 uint16_t *type, struct why *why)
{
	char quoted[33];
	struct why words;
	enum err err;

	if (text_is_other_class(text))
		err = fail(&words, ERR_INVALID, "the class must be IN, not '%s': "
		           "zonefleet stores no records of other classes",
		           err_quote(text, quoted, sizeof(quoted)));
	else
		err = rrtype_parse(text, "type", type, &words);
	return err ? master_refuse_fixed(master, words.text, why) : OK;
}

static enum err master_refuse_ttl(const struct master_file *master, const char *text,
                                  struct why *why)
{
	char quoted[33];
	struct why words;

	fail(&words, ERR_INVALID, "a TTL must be a time from 0 to 2147483647 seconds, "
	     "not '%s'", err_quote(text, quoted, sizeof(quoted)));
	return master_refuse_fixed(master, words.text, why);
}

/* Reads [TTL] [class] type; the first two may be in either order. */
static enum err master_read_fixed(struct master_file *master, char **at, uint16_t *type,
                                  bool *has_ttl, struct why *why)
{
	bool has_class = false;
	const char *wrong = NULL;
	struct word word;

	while (text_next_word(at, &word, &wrong)) {
		if (word.quoted)
			return master_refuse(master, "a TTL, a class and a type must not "
			                     "be in quotes", why);
		if (!has_class && text_is_in_class(word.text)) {
			has_class = true;
		} else if (!*has_ttl && text_is_digit(word.text[0])) {
			if (!ttl_read(&master->ttl, word.text))
				return master_refuse_ttl(master, word.text, why);
			*has_ttl = true;
		} else {
			return master_read_type(master, word.text, type, why);
		}
	}
	return master_refuse_fixed(master, "the record has no type: write its type and "
	                           "data, for example A 192.0.2.1", why);
}

static enum err master_read_rdata(struct master_file *master, char *at, struct rr *rr,
                                  struct why *why)
{
	struct rdata_text rdata = {
		rr->type, "data", &master->origin, at, &master->wire
	};
	struct why words;

	buf_reset(&master->wire);
	if (rdata_read(&rdata, &words))
		return master_refuse(master, words.text, why);
	rr->rdata = (const uint8_t *)buf_string(&master->wire);
	rr->rdata_len = master->wire.len;
	return OK;
}

/* OWNER is &master->generated for a record of $GENERATE: the last owner stays. */
static enum err master_read_record(struct master_file *master, struct name *owner,
                                   struct rr *rr, struct why *why)
{
	char *at = master->entry;
	bool has_ttl = false, is_generated = owner == &master->generated;
	struct rr got = { .name = owner->wire };
	struct why warning;
	const char *wrong;
	enum err err = master_read_owner(master, &at, owner, why);

	if (!err)
		err = master_read_fixed(master, &at, &got.type, &has_ttl, why);
	if (!err)
		err = master_read_rdata(master, at, &got, why);
	if (err)
		return err;
	wrong = ttl_settle(&master->ttl, has_ttl, !is_generated, &got, &warning);
	if (wrong)
		return master_refuse(master, wrong, why);
	master_warn(master, warning.text);
	*rr = got;
	return OK;
}

/* Reads the next record of $GENERATE from a line that is lexed like one of the file. */
static enum err master_read_generated(struct master_file *master, struct rr *rr,
                                      struct why *why)
{
	struct lexer lexer = { 0 };
	const char *wrong, *at;

	buf_reset(&master->line);
	wrong = generate_next(&master->generate, &master->line);
	at = buf_string(&master->line);
	master_begin_entry(master, *at);
	while (!wrong && *at && master_take(master, &lexer, (unsigned char)*at, &wrong))
		at++;
	if (!wrong)
		wrong = lexer_unfinished(&lexer);
	if (wrong)
		return master_refuse(master, wrong, why);
	master->entry[master->len] = '\0';
	return master_read_record(master, &master->generated, rr, why);
}

/* Reads the next entry. *found: it is a record. *end: the file ends. */
static enum err master_read_next(struct master_file *master, struct rr *rr, bool *found,
                                 bool *end, struct why *why)
{
	enum err err = master_read_entry(master, end, why);
	char *at = master->entry;

	if (err || *end)
		return err;
	if (!master->starts_blank)
		at += strspn(at, " ");
	if (*at == '$')
		return master_read_directive(master, at, why);
	if (text_is_blank(at))
		return OK;
	*found = true;
	return master_read_record(master, &master->owner, rr, why);
}

enum err master_file_next(struct master_file *master, struct rr *rr, bool *found,
                          struct why *why)
{
	bool is_record = false, end = false;
	enum err err = OK;

	if (!master->has_origin)
		err = master_parse_origin(master, master->options.origin, "$ORIGIN",
		                          &master->origin, why);
	while (!err && !is_record) {
		if (generate_is_active(&master->generate)) {
			is_record = true;
			err = master_read_generated(master, rr, why);
			continue;
		}
		err = master_read_next(master, rr, &is_record, &end, why);
		if (err || !end)
			continue;
		if (!master->depth)
			break;
		master_leave(master);
	}
	if (!err)
		*found = is_record;
	return err;
}
