#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_MAX = 16 * 1024 * 1024 };

extern char **environ;

static const struct {
	const char *suffix, *program;
} unpackers[] = {
	{ ".xz", "xz" },
	{ ".gz", "gzip" },
};

const char *input_unpacker(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof unpackers / sizeof unpackers[0]; i++) {
		size_t suffix = strlen(unpackers[i].suffix);

		if (len > suffix && !strcmp(path + len - suffix, unpackers[i].suffix))
			return unpackers[i].program;
	}
	return NULL;
}

static enum err input_fail(const struct input *input, int error, struct why *why)
{
	return fail(why, error == ENOENT ? ERR_NOT_FOUND : ERR_INVALID,
	            "cannot read %.300s: %s", input->path, strerror(error));
}

/*
 * The unpacker reads input->fd and writes to TO. SIGPIPE ends it when the client stops
 * reading. Its error output is dropped: the client makes its own message from the exit
 * status.
 */
static int input_spawn(struct input *input, int to)
{
	char *const argv[] = { (char *)input->unpacker, (char *)"-dc", NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int error;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input->fd, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY,
	                                 0);
	error = posix_spawnp(&input->child, input->unpacker, &actions, &attributes, argv,
	                     environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

static enum err input_open_unpacker(struct input *input, struct why *why)
{
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC))
		return input_fail(input, errno, why);
	error = input_spawn(input, ends[1]);
	close(ends[1]);
	if (error) {
		input->child = 0;
		close(ends[0]);
		return fail(why, ERR_INVALID, "cannot start %s for %.300s: %s",
		            input->unpacker, input->path, strerror(error));
	}
	input->file = fdopen(ends[0], "r");
	return OK;
}

static enum err input_open_path(struct input *input, struct why *why)
{
	struct stat stat;

	input->fd = open(input->path, O_RDONLY | O_CLOEXEC);
	if (input->fd < 0)
		return input_fail(input, errno, why);
	if (fstat(input->fd, &stat))
		return input_fail(input, errno, why);
	if (S_ISDIR(stat.st_mode))
		return input_fail(input, EISDIR, why);
	input->size = S_ISREG(stat.st_mode) ? stat.st_size : 0;
	input->unpacker = input_unpacker(input->path);
	if (input->unpacker)
		return input_open_unpacker(input, why);
	input->file = fdopen(dup(input->fd), "r");
	return input->file ? OK : input_fail(input, errno, why);
}

enum err input_open(struct input *input, const char *path, struct why *why)
{
	struct why ignored;
	enum err err;

	*input = (struct input){ .path = path, .fd = -1 };
	if (!strcmp(path, "-")) {
		input->path = "standard input";
		input->file = stdin;
		return OK;
	}
	err = input_open_path(input, why);
	if (err)
		input_close(input, &ignored);
	return err;
}

int64_t input_position(const struct input *input)
{
	off_t at = input->size ? lseek(input->fd, 0, SEEK_CUR) : 0;

	return at < 0 ? 0 : at;
}

/*
 * A child that ends by SIGPIPE because the client stopped reading early has not failed.
 */
static enum err input_reap(struct input *input, bool at_end, struct why *why)
{
	int status = 0;

	while (waitpid(input->child, &status, 0) < 0 && errno == EINTR)
		;
	if (!at_end || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return OK;
	return fail(why, ERR_INVALID,
	            "%s cannot decompress %.300s: the file is damaged or incomplete",
	            input->unpacker, input->path);
}

enum err input_close(struct input *input, struct why *why)
{
	bool at_end = input->file && feof(input->file);
	enum err err = OK;

	if (input->file && input->file != stdin)
		fclose(input->file);
	if (input->child > 0)
		err = input_reap(input, at_end, why);
	if (input->fd >= 0)
		close(input->fd);
	*input = (struct input){ .fd = -1 };
	return err;
}

/* ---- whole texts ---- */

static enum err input_read_all(FILE *file, const char *path, struct buf *text,
                               struct why *why)
{
	char block[64 * 1024];
	size_t len;

	while ((len = fread(block, 1, sizeof block, file)) > 0) {
		if (text->len + len > TEXT_MAX)
			return fail(why, ERR_TOO_LARGE,
			            "%.200s: must have at most %d bytes, but is larger",
			            path, TEXT_MAX);
		buf_append(text, block, len);
	}
	if (ferror(file))
		return fail(why, ERR_INVALID, "cannot read %.200s: %s", path,
		            strerror(errno));
	if (memchr(buf_string(text), '\0', text->len))
		return fail(why, ERR_INVALID,
		            "%.200s: must be a text file, but contains a NUL byte", path);
	return OK;
}

enum err input_read(const char *path, struct buf *text, struct why *why)
{
	struct why ignored;
	struct input input;
	enum err err = input_open(&input, path, why), closed;

	if (err)
		return err;
	err = input_read_all(input.file, input.path, text, why);
	closed = input_close(&input, err ? &ignored : why);
	return err ? err : closed;
}
