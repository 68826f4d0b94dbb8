/*
 * option -- the settings of a program, a row each: where it stands in the
 * file, where it goes in memory, its default, its bounds, its meaning.
 * --help, --check and --sample are printed from the same rows.
 *
 * The file is libconfig's. One file serves all programs: each reads the
 * groups it knows by its sections and ignores the groups in
 * option_known_groups; any other group, key, type or range is an error that
 * names file, line and key. Integers that libconfig 1.5 would wrap are
 * refused before it sees them, and so is @include.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum option_type {
	OPTION_TEXT,		/* char *; NULL when the fallback is NULL */
	OPTION_WORD,		/* int, an enum: the index in .words of the word in the file */
	OPTION_INT,		/* int */
	OPTION_DURATION,	/* int, milliseconds; "200ms", "90s", "2m", or a number of seconds */
	OPTION_SECONDS,		/* int; "90", "2m", "12h", "7d", or a number */
	OPTION_BYTES,		/* int64_t; "64M", "1G", or a number */
	OPTION_PERCENT,		/* int, 0 to 100 */
	OPTION_BOOL,		/* bool */
	OPTION_TEXTS,		/* struct option_texts; strings (fallback: "a, b") */
	OPTION_SECRET,		/* char *; as TEXT, never printed; "@path": a 0600 file */
};

struct option_texts {
	char **item;
	size_t count;
};

struct option {
	const char *key;
	enum option_type type;
	size_t offset;		/* into the section's struct */
	const char *fallback;	/* read exactly as if it stood in the file; NULL: none */
	/* of a number in the field's unit, or a text's length; 0, 0: unbounded */
	int64_t min, max;
	const char *help;
	bool required;		/* must stand in the file; fallback: the example */
	bool reloadable;	/* SIGHUP changes it in a running process */
	const char *const *words;	/* of a WORD: the words that it may be, then NULL */
};

/* A group of the file, "central", or "backends.bind9" below another. */
struct option_section {
	const char *group;
	const char *help;
	const struct option *rows;	/* end with a row of zeroes */
	void *into;
	bool is_of_others;	/* the file may have them; --help and --sample do not */
};

/*
 * Several of a kind, as the servers of a backend:
 * `<group>: { default: {...}; servers: ({...}, ...) }`. Each element starts from the group's defaults (seed 000, "[backend:x:*]").
 */
struct option_list {
	const char *group;
	const char *elements;	/* what they are called; NULL: "servers" */
	const char *help;
	const struct option *rows;
	size_t element_size;
	void **into;		/* array of *count elements, xmalloc'ed */
	size_t *count;
};

struct option_schema {
	const char *program;
	const struct option_section *sections;	/* end with a row of zeroes */
	const struct option_list *lists;	/* likewise; may be NULL */
};

/*
 * Read PATH into the sections, which are zero or cleared before and cleared
 * again on error: nothing of the program may run then. ERR_NOT_FOUND when
 * there is no such file; its words say how to make one.
 */
enum err option_load(const struct option_schema *schema, const char *path,
		     struct why *why);
/*
 * The same into fresh memory; rows that are not reloadable keep their value
 * (a warning names them), and so do all servers of a list when they are no
 * longer the same ones. Frees the texts it replaces: do not hold on to them.
 */
enum err option_reload(const struct option_schema *schema, const char *path,
		       struct why *why);
void option_help(const struct option_schema *schema);	/* to stdout */
void option_sample(const struct option_schema *schema);	/* a valid file, to stdout */
void option_clear(const struct option_schema *schema);	/* frees all texts and lists */
