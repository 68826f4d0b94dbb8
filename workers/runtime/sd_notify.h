/*
 * sd_notify -- tell systemd how the service is (sd_notify(3), without its
 * library). Nothing happens where NOTIFY_SOCKET is not set.
 */
#pragma once

#include <stdint.h>

/* Lines of KEY=VALUE: "READY=1", "STATUS=...". */
void sd_tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* How often systemd wants to hear WATCHDOG=1 at the least; 0: not at all. */
int64_t sd_watchdog_ms(void);
