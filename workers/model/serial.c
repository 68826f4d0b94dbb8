#include "model/serial.h"

/* RFC 1982 3.2: at this distance or more a serial is not newer */
#define HALF 0x80000000u

bool serial_newer(uint32_t a, uint32_t b)
{
	return a != b && a - b < HALF;
}

bool serial_covers(uint32_t a, uint32_t b)
{
	return a == b || serial_newer(a, b);
}

uint32_t serial_next(uint32_t serial, uint32_t now)
{
	uint32_t next = serial + 1;

	return serial_newer(now, next) ? now : next;
}
