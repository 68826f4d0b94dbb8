#include "base/option_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptors.h"

enum { SECRET_MAX_BYTES = 4096 };

static enum err file_open_regular(const char *path, struct stat *st, int *fd,
				  struct why *why)
{
	/* without O_NONBLOCK the open of a FIFO would wait */
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0 && descriptors_lack("the settings"))
		return fail(why, ERR_BUSY, "cannot read %s: %s", path, strerror(errno));
	if (*fd < 0)
		return fail(why, errno == ENOENT ? ERR_NOT_FOUND : ERR_INVALID,
			    "cannot read %s: %s", path, strerror(errno));
	if (fstat(*fd, st) == 0 && S_ISREG(st->st_mode))
		return OK;
	close(*fd);
	return fail(why, ERR_INVALID, "%s: must be a regular file", path);
}

/* Reads the whole file. The limit also applies to a growing file. */
static enum err file_read_all(int fd, const char *path, size_t limit, struct buf *out,
			      struct why *why)
{
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof chunk)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(why, ERR_INVALID, "cannot read %s: %s", path,
				    strerror(errno));
		buf_append(out, chunk, n);
		if (out->len > limit)
			return fail(why, ERR_TOO_LARGE,
				    "%s: must have at most %zu bytes, but is larger",
				    path, limit);
	}
	if (memchr(buf_string(out), 0, out->len))
		return fail(why, ERR_INVALID, "%s: must not contain NUL bytes",
		            path);
	return OK;
}

enum err option_file_read(const char *path, size_t limit, struct buf *text, mode_t *mode,
			  struct why *why)
{
	struct stat st;
	enum err err;
	int fd;

	err = file_open_regular(path, &st, &fd, why);
	if (err)
		return err;
	*mode = st.st_mode;
	err = file_read_all(fd, path, limit, text, why);
	close(fd);
	return err;
}

static enum err file_check_secret_mode(const char *path, const struct stat *st,
				       struct why *why)
{
	if (st->st_mode & 077)
		return fail(why, ERR_INVALID,
			    "%s: contains a secret, but other users can read the file: "
			    "use 'chmod 600 %s'",
			    path, path);
	return OK;
}

enum err option_file_secret(const char *path, struct buf *text, struct why *why)
{
	struct stat st;
	enum err err;
	int fd;

	err = file_open_regular(path, &st, &fd, why);
	if (err)
		return err;
	err = file_check_secret_mode(path, &st, why);
	if (!err)
		err = file_read_all(fd, path, SECRET_MAX_BYTES, text, why);
	close(fd);
	if (err)
		return err;
	if (text->len && text->data[text->len - 1] == '\n')
		text->data[--text->len] = 0;
	return OK;
}
