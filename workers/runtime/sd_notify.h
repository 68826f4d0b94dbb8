/*
 * sd_notify -- reports the state of the program to systemd, as sd_notify(3) does but
 * without libsystemd. If NOTIFY_SOCKET is not set, the functions do nothing.
 */
#pragma once

#include <stdint.h>

/* Sends lines in the form KEY=VALUE: "READY=1", "STATUS=...". */
void sd_notify_send(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Returns the maximum time between two WATCHDOG=1 messages; 0: no watchdog. */
int64_t sd_notify_watchdog_ms(void);
