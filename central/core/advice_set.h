/*
 * advice_set -- warns of record sets that central and all name servers accept, although
 * DNS clients ignore some or all of the records:
 *
 *	a null MX, or an SRV target '.', or an SVCB or HTTPS record in AliasMode, that is
 *	not the only record of its set
 *	several TXT records of a policy that must be one record: SPF, DMARC, MTA-STS,
 *	TLS-RPT
 *
 * The module looks only at the record sets that the caller passes.
 */
#pragma once

#include "core/advice.h"
#include "core/rrsets.h"

/* Adds the warnings about the results (`wanted`) of the changed record sets to ADVICE. */
void advice_set_check(const struct rrsets *sets, struct arena *arena,
                      struct advice *advice);
