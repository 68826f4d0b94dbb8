/*
 * option -- the settings of a program. Each option has a row: the key in the file, the
 * place in memory, the default, the bounds and the help. --help, --check and --sample
 * use the same rows.
 *
 * The file has the syntax of libconfig. All programs can share one file: each program
 * reads its own groups and ignores the groups of the other programs
 * (option_known_groups). Any other group or key is an error. A wrong type or a value out
 * of range is also an error. The error names the file, the line and the key. @include is
 * an error, because libconfig would read a file that zonefleet has not checked. An
 * integer that overflows in libconfig 1.5 is also an error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define OPTION_PLACEHOLDER "change-me"	/* stands for each secret in the samples */

enum option_type {
	OPTION_TEXT,	/* char *; NULL: neither the file nor the row has a value */
	/*
	 * int or enum; the file contains a word, and the value is the index of this word
	 * in .words
	 */
	OPTION_WORD,
	OPTION_INT,		/* int */
	/* int, in milliseconds; "200ms", "90s", "2m", or a number of seconds */
	OPTION_DURATION,
	OPTION_SECONDS,		/* int, in seconds; "2m", "12h", "7d", or a number */
	OPTION_BYTES,		/* int64_t; "64M", "1G", or a number */
	OPTION_PERCENT,		/* int, 0 to 100 */
	OPTION_BOOL,		/* bool */
	/* struct option_texts; a fallback separates the strings with commas: "a, b" */
	OPTION_TEXTS,
	/*
	 * char *; like OPTION_TEXT, but the program never prints the value. "@PATH" in
	 * the settings: the file PATH contains the secret
	 */
	OPTION_SECRET,
};

/*
 * The kind of file that the path in an OPTION_TEXT names. --check tries to open the
 * file.
 */
enum option_file {
	OPTION_NO_FILE,
	OPTION_FILE,		/* a file that the program reads */
	OPTION_FOLDER,		/* a directory in which the program writes files */
};

struct option_texts {
	char **item;
	size_t count;
};

struct option {
	const char *key;
	enum option_type type;
	size_t offset;		/* offset of the field in the section's struct */
	/* the default as text, for example "90s"; NULL: no default */
	const char *fallback;
	/*
	 * minimum and maximum of a number in the unit of the field, or of the length of
	 * each string in bytes. If both are 0, only the limits of the type apply
	 */
	int64_t min, max;
	const char *help;
	/* the file must contain the key; the fallback is only an example */
	bool required;
	bool reloadable;	/* a running process applies a new value after SIGHUP */
	/* for OPTION_WORD: the allowed words; NULL ends the list */
	const char *const *words;
	enum option_file file;	/* only for OPTION_TEXT */
	/*
	 * Returns whether the program uses the path. BASE is the section's struct, or
	 * the element of the list. If is_used is NULL, the program uses each path that
	 * is not empty.
	 */
	bool (*is_used)(const void *base);
};

/*
 * A group of the file: "central", or "backends.bind9" for the group bind9 in the group
 * backends.
 */
struct option_section {
	const char *group;
	const char *help;
	const struct option *rows;	/* a row of zeroes ends the table */
	void *into;
	/*
	 * only other programs use this group, so --help and --sample do not show the
	 * group
	 */
	bool is_of_others;
};

/*
 * A list of elements, for example the servers of a backend: `<group>: { default: {...};
 * servers: ({...}, ...) }`. If an element does not set a key, the element has the value
 * in `default` (seed 000, "[backend:x:*]").
 */
struct option_list {
	const char *group;
	const char *elements;	/* key of the list in the group; NULL: "servers" */
	const char *help;
	const struct option *rows;
	size_t element_size;
	void **into;	/* the array of the elements; option_load() allocates the array */
	size_t *count;
};

struct option_schema {
	const char *program;
	const struct option_section *sections;	/* a row of zeroes ends the table */
	/* a row of zeroes ends the table; NULL: no lists */
	const struct option_list *lists;
};

/*
 * Reads the file PATH into the sections and lists, which must be zeroed or cleared.
 * After an error, the sections and lists are cleared. ERR_NOT_FOUND: the file does not
 * exist; the reason says how to create the file.
 */
enum err option_load(const struct option_schema *schema, const char *path,
		     struct why *why);
/*
 * Reads the file PATH again and replaces the values of the reloadable rows. If the file
 * has a different value for a row that is not reloadable, the row keeps its value, and a
 * warning names the row. If one of these changed rows is in a list, or if the number of
 * elements of the list has changed, the whole list keeps its values. After an error, all
 * values are unchanged. option_reload() frees the strings that it replaces, so keep no
 * pointers to these strings.
 */
enum err option_reload(const struct option_schema *schema, const char *path,
		       struct why *why);
/*
 * Checks all secrets of this program. ERR_INVALID: a secret still contains the
 * placeholder of the samples.
 */
enum err option_check_placeholders(const struct option_schema *schema, struct why *why);
/*
 * Tries to open all files that this program uses. ERR_INVALID: this process cannot open
 * a file, or cannot write in a directory. The programs do not call option_check_files()
 * when they start, because the missing key file of one server must not stop the work on
 * all other servers.
 */
enum err option_check_files(const struct option_schema *schema, struct why *why);
/* Writes the text of --help to stdout. */
void option_help(const struct option_schema *schema);
/* Writes a valid settings file to stdout. */
void option_sample(const struct option_schema *schema);
void option_clear(const struct option_schema *schema);	/* frees all strings and lists */
