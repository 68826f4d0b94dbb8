#include "whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum err whole_file_cannot_write(const char *path, struct why *why)
{
	return fail(why, ERR_INTERNAL, "cannot write %.300s: %s", path, strerror(errno));
}

static void whole_file_forget(struct whole_file *file)
{
	free(file->part);
	*file = (struct whole_file){ 0 };
}

enum err whole_file_open(struct whole_file *file, const char *path, struct why *why)
{
	enum err err;

	*file = (struct whole_file){ .path = path, .part = xprintf("%s.part", path) };
	file->to = fopen(file->part, "we");
	if (file->to)
		return OK;
	err = whole_file_cannot_write(file->part, why);
	whole_file_forget(file);
	return err;
}

enum err whole_file_close(struct whole_file *file, enum err err, struct why *why)
{
	if ((ferror(file->to) | fclose(file->to)) && !err)
		err = whole_file_cannot_write(file->part, why);
	if (!err && rename(file->part, file->path))
		err = whole_file_cannot_write(file->path, why);
	if (err)
		unlink(file->part);
	whole_file_forget(file);
	return err;
}
