#include "whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "input.h"

/* What the user can do. */
static const char *whole_file_advice(int error)
{
	switch (error) {
	case ENOENT:
		return ": create the folder first, or give another file";
	case EACCES:
	case EPERM:
	case EROFS:
		return ": give a file in a folder where you may create files";
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return ": make room, or give another file";
	case EISDIR:
	case ENOTDIR:
	case ENAMETOOLONG:
		return ": give another file";
	default:
		return "";
	}
}

enum err whole_file_cannot_write(const char *path, struct why *why)
{
	return fail(why, ERR_INVALID, "cannot write %.300s: %s%s", path, strerror(errno),
	            whole_file_advice(errno));
}

static void whole_file_forget(struct whole_file *file)
{
	free(file->part);
	*file = (struct whole_file){ 0 };
}

enum err whole_file_open(struct whole_file *file, const char *path, struct why *why)
{
	const char *packer = input_unpacker(path);
	enum err err;

	if (packer)
		return fail(why, ERR_INVALID, "cannot write %.300s: the client does not "
		            "compress files: give a file without '%s' at the end, and "
		            "compress it with %s", path, strrchr(path, '.'), packer);
	*file = (struct whole_file){ .path = path, .part = xprintf("%s.part", path) };
	file->to = fopen(file->part, "we");
	if (file->to)
		return OK;
	err = whole_file_cannot_write(file->path, why);
	whole_file_forget(file);
	return err;
}

enum err whole_file_close(struct whole_file *file, enum err err, struct why *why)
{
	if ((ferror(file->to) | fclose(file->to)) && !err)
		err = whole_file_cannot_write(file->path, why);
	if (!err && rename(file->part, file->path))
		err = whole_file_cannot_write(file->path, why);
	if (err)
		unlink(file->part);
	whole_file_forget(file);
	return err;
}
