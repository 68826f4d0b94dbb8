#include "model/master_include.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

#define OUTSIDE "the file must be in the folder of the main file, or in a folder " \
	"below it"

/* O_NONBLOCK: a named pipe has no writer to wait for. */
static int include_open_below(int folder, const char *name)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, folder, name, &how, sizeof how);
}

static enum err include_fail(const char *name, const char *words, struct why *why)
{
	return fail(why, ERR_INVALID, "$INCLUDE: cannot read '%.200s': %s", name, words);
}

enum err include_open(int folder, const char *name, FILE **file, struct why *why)
{
	int fd = include_open_below(folder, name);
	struct stat stat;
	FILE *opened = NULL;

	if (fd < 0)
		return include_fail(name, errno == EXDEV ? OUTSIDE : strerror(errno),
		                    why);
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode))
		opened = fdopen(fd, "r");
	if (!opened) {
		close(fd);
		return include_fail(name, "the file must be a regular file", why);
	}
	*file = opened;
	return OK;
}

char *include_path(const char *main_path, const char *name)
{
	const char *slash = strrchr(main_path, '/');
	int folder = slash ? (int)(slash + 1 - main_path) : 0;

	return xprintf("%.*s%s", folder, main_path, name);
}
