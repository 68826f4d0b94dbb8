/* drivers -- the kinds of name server there are, for drivers.c alone. */
#pragma once

#include "backends/driver.h"

extern const struct driver driver_bind9, driver_knot, driver_nsd, driver_powerdns;
extern const struct driver driver_catalog, driver_fake;
