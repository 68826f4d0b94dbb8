/*
 * drivers -- the drivers of all kinds of name server, for drivers.c, the drivers and
 * their unit tests.
 */
#pragma once

#include "backends/driver.h"

extern const struct driver driver_bind9, driver_knot, driver_nsd, driver_powerdns;
extern const struct driver driver_catalog, driver_fake;
