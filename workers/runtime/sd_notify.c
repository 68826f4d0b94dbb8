#include "runtime/sd_notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/log.h"

/* A path, or "@name" in the abstract namespace, whose first byte is zero. */
static socklen_t sd_notify_address(struct sockaddr_un *address)
{
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;

	if (len < 2 || len >= sizeof address->sun_path)
		return 0;
	if (path[0] != '/' && path[0] != '@')
		return 0;
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address->sun_path, path, len);
	if (path[0] == '@')
		address->sun_path[0] = 0;
	return offsetof(struct sockaddr_un, sun_path) + len;
}

/* The socket stays open: without WATCHDOG messages systemd would end the service. */
static int sd_notify_socket(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		descriptors_lack("the service manager");
	return fd;
}

void sd_notify_send(const char *fmt, ...)
{
	struct sockaddr_un address;
	socklen_t address_len = sd_notify_address(&address);
	char text[512];
	va_list args;
	int fd;

	if (!address_len)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	fd = sd_notify_socket();
	if (fd < 0 || sendto(fd, text, strlen(text), MSG_NOSIGNAL,
			     (struct sockaddr *)&address, address_len) < 0)
		log_debug("service manager not notified: reason=\"%s\"", strerror(errno));
}

/*
 * WATCHDOG_PID names the process. A program may have inherited the variable from another
 * process.
 */
int64_t sd_notify_watchdog_ms(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	if (!usec || (pid && strtol(pid, NULL, 10) != (long)getpid()))
		return 0;
	return strtoll(usec, NULL, 10) / 1000;
}
