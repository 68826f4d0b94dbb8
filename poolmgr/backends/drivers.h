/*
 * drivers -- declares the driver of each backend (driver.h). drivers.c lists these
 * drivers in the table drivers[].
 */
#pragma once

#include "backends/driver.h"

extern const struct driver driver_bind9, driver_knot, driver_nsd, driver_powerdns;
extern const struct driver driver_catalog, driver_fake;
