#include "backends/drivers.h"

const struct driver *const drivers[] = {
	&driver_bind9, &driver_knot, &driver_nsd, &driver_powerdns, &driver_catalog,
	&driver_fake, NULL,
};
