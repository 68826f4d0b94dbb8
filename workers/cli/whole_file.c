#include "whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum err whole_cannot_write(const char *path, struct why *why)
{
	return fail(why, ERR_INTERNAL, "cannot write %.300s: %s", path, strerror(errno));
}

static void forget(struct whole *whole)
{
	free(whole->part);
	*whole = (struct whole){ 0 };
}

enum err whole_open(struct whole *whole, const char *path, struct why *why)
{
	enum err err;

	*whole = (struct whole){ .path = path, .part = xprintf("%s.part", path) };
	whole->to = fopen(whole->part, "we");
	if (whole->to)
		return OK;
	err = whole_cannot_write(whole->part, why);
	forget(whole);
	return err;
}

enum err whole_close(struct whole *whole, enum err err, struct why *why)
{
	if ((ferror(whole->to) | fclose(whole->to)) && !err)
		err = whole_cannot_write(whole->part, why);
	if (!err && rename(whole->part, whole->path))
		err = whole_cannot_write(whole->path, why);
	if (err)
		unlink(whole->part);
	forget(whole);
	return err;
}
