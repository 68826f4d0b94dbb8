#include "base/option.h"
#include "base/option_type.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0, or the errno that says why the user of this process cannot use the file. */
static int file_error(const char *path, enum option_file kind)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	int fd = open(path, kind == OPTION_FOLDER ? flags | O_DIRECTORY : flags);
	struct stat st;
	int error;

	if (fd < 0)
		return errno;
	error = fstat(fd, &st) ? errno : 0;
	close(fd);
	if (!error && kind == OPTION_FILE && S_ISDIR(st.st_mode))
		return EISDIR;
	if (!error && kind == OPTION_FOLDER && access(path, W_OK | X_OK))
		return errno;
	return error;
}

/* WHERE: "backends.bind9.rndc_key_file", or of an element " of server 'ns1'", too. */
static enum err file_check(const char *where, const struct option *row, void *base,
                           struct why *why)
{
	const char *path = *(char **)option_field(base, row);
	int error;

	if (!path || !*path || (row->is_used && !row->is_used(base)))
		return OK;
	error = file_error(path, row->file);
	if (!error)
		return OK;
	return fail(why, ERR_INVALID, "%s: must be %s, not '%s': %s", where,
	            row->file == OPTION_FOLDER
	                ? "a directory in which the user of this command can write"
	                : "a file that the user of this command can read",
	            path, strerror(error));
}

/* OF: " of server 'ns1'", or "". */
static enum err files_check(const char *group, const char *of, const struct option *rows,
                            void *base, struct why *why)
{
	enum err err = OK;

	for (const struct option *row = rows; !err && row->key; row++) {
		char where[256];

		if (!row->file)
			continue;
		snprintf(where, sizeof where, "%s.%s%s", group, row->key, of);
		err = file_check(where, row, base, why);
	}
	return err;
}

static enum err element_check(const struct option_list *list, void *element,
                              struct why *why)
{
	char of[64];
	const char *id = NULL;

	for (const struct option *row = list->rows; row->key; row++)
		if (!strcmp(row->key, "id"))
			id = *(char **)option_field(element, row);
	snprintf(of, sizeof of, " of server '%.32s'", id ? id : "");
	return files_check(list->group, id ? of : "", list->rows, element, why);
}

enum err option_check_files(const struct option_schema *schema, struct why *why)
{
	enum err err = OK;

	for (const struct option_section *s = schema->sections; !err && s->group; s++)
		if (!s->is_of_others)
			err = files_check(s->group, "", s->rows, s->into, why);
	for (const struct option_list *l = option_lists(schema); !err && l->group; l++)
		for (size_t i = 0; !err && i < *l->count; i++)
			err = element_check(l, (char *)*l->into + i * l->element_size,
			                    why);
	return err;
}
