#include "base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

enum {
	QUIET_MS = 10 * 1000,
	OWN_MAX = 32,		/* descriptors kept from clients, */
	OWN_SHARE = 4,		/* but at most this share of the limit */
};

static _Atomic int64_t lacks, quiet_until_ms;
static atomic_int reserve = -1;

static rlim_t descriptors_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? RLIM_INFINITY : limit.rlim_cur;
}

static void descriptors_log_lack(const char *wanted, int error)
{
	int64_t now_ms = clock_ms(), until_ms = atomic_load(&quiet_until_ms);

	if (now_ms < until_ms ||
	    !atomic_compare_exchange_strong(&quiet_until_ms, &until_ms,
	                                    now_ms + QUIET_MS))
		return;
	if (error == EMFILE)
		log_warn("no file descriptor left: wanted=\"%s\" limit=%llu "
		         "advice=\"raise LimitNOFILE\"", wanted,
		         (unsigned long long)descriptors_limit());
	else
		log_warn("no file descriptor left: wanted=\"%s\" limit=\"system-wide\" "
		         "advice=\"raise fs.file-max\"", wanted);
}

bool descriptors_lack(const char *wanted)
{
	int error = errno;

	if (error != EMFILE && error != ENFILE)
		return false;
	atomic_fetch_add(&lacks, 1);
	descriptors_log_lack(wanted, error);
	errno = error;
	return true;
}

int64_t descriptors_lacks(void)
{
	return atomic_exchange(&lacks, 0);
}

/* The kernel returns the lowest free number. */
bool descriptors_are_scarce(int fd)
{
	rlim_t limit = descriptors_limit();
	rlim_t own = limit / OWN_SHARE < OWN_MAX ? limit / OWN_SHARE : OWN_MAX;

	return limit != RLIM_INFINITY && (rlim_t)fd + own >= limit;
}

void descriptors_reserve(void)
{
	int none = -1, fd;

	if (atomic_load(&reserve) >= 0)
		return;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !atomic_compare_exchange_strong(&reserve, &none, fd))
		close(fd);
}

bool descriptors_spend(void)
{
	int fd = atomic_exchange(&reserve, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}
