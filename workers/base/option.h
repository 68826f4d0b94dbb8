/*
 * option -- the settings of a program. Each option has a row: the key in the file, the
 * place in memory, the default, the bounds and the help. --help, --check and --sample
 * use the same rows.
 *
 * The file has the syntax of libconfig. All programs can share one file: each program
 * reads the groups of its sections and ignores the groups in option_known_groups. Any
 * other group or key is an error. A wrong type or a value out of range is also an error.
 * The error names the file, the line and the key. The program refuses integers that
 * overflow in libconfig 1.5. It also refuses @include.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define OPTION_PLACEHOLDER "change-me"	/* for secrets, in the samples */

enum option_type {
	OPTION_TEXT,		/* char *; NULL if the fallback is NULL */
	/* int or enum: the file contains a word; the value is its index in .words */
	OPTION_WORD,
	OPTION_INT,		/* int */
	/* int, in milliseconds; "200ms", "90s", "2m", or a number of seconds */
	OPTION_DURATION,
	OPTION_SECONDS,		/* int, in seconds; "2m", "12h", "7d", or a number */
	OPTION_BYTES,		/* int64_t; "64M", "1G", or a number */
	OPTION_PERCENT,		/* int, 0 to 100 */
	OPTION_BOOL,		/* bool */
	/* struct option_texts; a fallback of two strings has the form "a, b" */
	OPTION_TEXTS,
	/* char *; like TEXT, but never printed; "@path": the secret is in this file */
	OPTION_SECRET,
};

/* What --check does with the path in an OPTION_TEXT. */
enum option_file {
	OPTION_NO_FILE,
	OPTION_FILE,		/* the program reads this file */
	OPTION_FOLDER,		/* the program writes files in this directory */
};

struct option_texts {
	char **item;
	size_t count;
};

struct option {
	const char *key;
	enum option_type type;
	size_t offset;		/* in the section's struct */
	/* the default, in the syntax of the file; NULL: no default */
	const char *fallback;
	/*
	 * limits of a number in the unit of the field, or of the length of a text; 0, 0:
	 * no limits
	 */
	int64_t min, max;
	const char *help;
	bool required;		/* must be in the file; the fallback is an example */
	bool reloadable;	/* a running process takes it after SIGHUP */
	/* for OPTION_WORD: the allowed words, then NULL */
	const char *const *words;
	enum option_file file;	/* only for OPTION_TEXT */
	/*
	 * False: the program does not use the file. BASE is the section's struct, or the
	 * element of the list. If is_used is NULL, the program uses the file if the text
	 * is not empty.
	 */
	bool (*is_used)(const void *base);
};

/* A group of the file: "central", or "backends.bind9" for a group inside another. */
struct option_section {
	const char *group;
	const char *help;
	const struct option *rows;	/* end with a row of zeroes */
	void *into;
	/* other programs use this group: --help and --sample do not show it */
	bool is_of_others;
};

/*
 * A list of elements, for example the servers of a backend: `<group>: { default: {...};
 * servers: ({...}, ...) }`. Each element starts with the defaults of the group (seed
 * 000, "[backend:x:*]").
 */
struct option_list {
	const char *group;
	const char *elements;	/* name of the list; NULL: "servers" */
	const char *help;
	const struct option *rows;
	size_t element_size;
	void **into;		/* array of *count elements, xmalloc'ed */
	size_t *count;
};

struct option_schema {
	const char *program;
	const struct option_section *sections;	/* end with a row of zeroes */
	/* also end with a row of zeroes; may be NULL */
	const struct option_list *lists;
};

/*
 * Reads PATH into the sections, which must be zeroed or cleared. After an error, the
 * sections are cleared. ERR_NOT_FOUND: the file does not exist; the reason says how to
 * create the file.
 */
enum err option_load(const struct option_schema *schema, const char *path,
		     struct why *why);
/*
 * Reads PATH again. A row that is not reloadable keeps its value. If the file has a
 * different value for such a row, a warning names the row. If elements were added to a
 * list, removed or moved, the list keeps all old elements. option_reload() frees the
 * strings that it replaces, so keep no pointers to these strings.
 */
enum err option_reload(const struct option_schema *schema, const char *path,
		       struct why *why);
/* ERR_INVALID: a secret in the settings is still the placeholder of the samples. */
enum err option_check_placeholders(const struct option_schema *schema, struct why *why);
/*
 * ERR_INVALID: this process cannot open a file that the settings name. The programs do
 * not call option_check_files() when they start: one missing key must not stop the work
 * on all other servers.
 */
enum err option_check_files(const struct option_schema *schema, struct why *why);
void option_help(const struct option_schema *schema);	/* to stdout */
void option_sample(const struct option_schema *schema);	/* a valid file, to stdout */
void option_clear(const struct option_schema *schema);	/* frees all strings and lists */
