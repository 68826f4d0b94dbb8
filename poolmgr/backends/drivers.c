#include "backends/drivers.h"

const struct driver *const drivers[] = {
	&driver_bind9, &driver_knot, &driver_nsd, &driver_powerdns, &driver_catalog,
	&driver_fake, NULL,
};

enum err driver_transfer(const struct driver *driver, const void *settings,
                         const struct driver_context *context,
                         const struct domain_ref *domain, bool *is_renewed,
                         struct why *why)
{
	struct why refusal = *why;
	enum err err = driver->retransfer(settings, domain, &refusal);

	*is_renewed = err == ERR_REMOTE && driver->renew;
	if (*is_renewed)
		return driver->renew(settings, context, domain, why);
	*why = refusal;
	return err;
}
