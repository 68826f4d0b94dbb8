#include "agent/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptors.h"

enum { READ_AT_ONCE = 64 * 1024, MODE = 0644 };

struct place {
	int folder;			/* the folder's descriptor */
	const char *path, *name;	/* path of the folder; name of the file in it */
	struct why *why;
};

static enum err kept_file_fail(const struct place *place, const char *what)
{
	descriptors_lack("a file of the agent");
	return fail(place->why, ERR_UNREACHABLE, "%s/%s: cannot %s: %s", place->path,
	            place->name, what, strerror(errno));
}

/* ---- the present file ---- */

static bool kept_file_is_regular(int fd, off_t *size)
{
	struct stat stat;

	if (fstat(fd, &stat) || !S_ISREG(stat.st_mode))
		return false;
	*size = stat.st_size;
	return true;
}

static bool kept_file_is_public(int fd)
{
	struct stat stat;

	return fstat(fd, &stat) == 0 && (stat.st_mode & 07777) == MODE;
}

static bool kept_file_has_text(int fd, const uint8_t *text, size_t len)
{
	uint8_t block[READ_AT_ONCE];
	size_t at = 0;
	ssize_t n;

	while ((n = read(fd, block, sizeof block)) > 0) {
		if ((size_t)n > len - at || memcmp(block, text + at, (size_t)n))
			return false;
		at += (size_t)n;
	}
	return n == 0 && at == len;
}

static int kept_file_open(int folder, const char *name)
{
	return openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static bool kept_file_is_same(const struct place *place, const void *text, size_t len)
{
	int fd = kept_file_open(place->folder, place->name);
	off_t size;
	bool same;

	if (fd < 0)
		return false;
	same = kept_file_is_regular(fd, &size) && kept_file_is_public(fd) &&
	       (size_t)size == len && kept_file_has_text(fd, text, len);
	close(fd);
	return same;
}

bool kept_file_is_there(const char *folder, const char *name)
{
	char path[4096];
	struct stat stat;

	return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
	       lstat(path, &stat) == 0 && S_ISREG(stat.st_mode);
}

/* ---- the new file ---- */

static bool kept_file_write_all(int fd, const uint8_t *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

static enum err kept_file_fill(const struct place *place, int fd, const void *text,
                               size_t len)
{
	if (!kept_file_write_all(fd, text, len))
		return kept_file_fail(place, "write");
	if (fchmod(fd, MODE) || fsync(fd))
		return kept_file_fail(place, "save");
	return OK;
}

/* A temporary file that a killed process left may be removed: no process uses it. */
static enum err kept_file_make(const struct place *place, const char *temporary,
                               const void *text, size_t len)
{
	enum err err;
	int fd;

	unlinkat(place->folder, temporary, 0);
	fd = openat(place->folder, temporary,
	            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return kept_file_fail(place, "create a new version");
	err = kept_file_fill(place, fd, text, len);
	if (close(fd) && !err)
		err = kept_file_fail(place, "write");
	return err;
}

static enum err kept_file_put_mark(const struct place *place, const char *mark)
{
	int fd = openat(place->folder, mark, O_WRONLY | O_CREAT | O_NOFOLLOW |
	                                     O_NONBLOCK | O_CLOEXEC, 0600);
	enum err err = OK;
	off_t size;

	if (fd < 0)
		return kept_file_fail(place, "mark as changed");
	if (!kept_file_is_regular(fd, &size))
		err = fail(place->why, ERR_UNREACHABLE, "%s/%s: must be a regular file",
		           place->path,
		           mark);
	close(fd);
	return err;
}

static enum err kept_file_replace(const struct place *place, const char *mark,
                                  const void *text, size_t len)
{
	char temporary[256];
	enum err err;

	snprintf(temporary, sizeof temporary, ".%s.new", place->name);
	err = kept_file_make(place, temporary, text, len);
	if (!err)
		err = kept_file_put_mark(place, mark);
	if (!err && renameat(place->folder, temporary, place->folder, place->name))
		err = kept_file_fail(place, "replace");
	if (err)
		unlinkat(place->folder, temporary, 0);
	else
		fsync(place->folder);
	return err;
}

enum err kept_file_write(const char *folder, const char *name, const char *mark,
                         const void *text, size_t len, bool *is_new, struct why *why)
{
	struct place place = { .path = folder, .name = name, .why = why };
	enum err err = OK;

	place.folder = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (place.folder < 0)
		return kept_file_fail(&place, "open the folder");
	*is_new = !kept_file_is_same(&place, text, len);
	if (*is_new)
		err = kept_file_replace(&place, mark, text, len);
	close(place.folder);
	return err;
}
