/*
 * clock -- the current time. Timers use the monotonic clock. Serials and logs use the
 * real-time clock.
 */
#pragma once

#include <stdint.h>

int64_t clock_ms(void);		/* monotonic time in milliseconds */
int64_t clock_us(void);		/* monotonic time in microseconds */
/*
 * Returns a monotonic time in milliseconds. This clock continues while the machine
 * sleeps.
 */
int64_t clock_boot_ms(void);
int64_t clock_unix(void);	/* seconds since 1970 */
int64_t clock_unix_ms(void);	/* milliseconds since 1970 */
