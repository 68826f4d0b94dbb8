/*
 * advice_set -- warns of record sets that central and all name servers accept, although
 * DNS clients ignore some or all of the records:
 *
 *	a null MX record, an SRV record with the target '.', or an SVCB or HTTPS record in
 *	AliasMode, if its record set contains other records
 *	several TXT records of a policy that must be one record: SPF, DMARC, MTA-STS,
 *	TLS-RPT
 *
 * This module checks only the record sets that the caller passes.
 */
#pragma once

#include "core/advice.h"
#include "core/rrsets.h"

/* Adds the warnings about the results (`wanted`) of the changed record sets to ADVICE. */
void advice_set_check(const struct rrsets *sets, struct arena *arena,
                      struct advice *advice);
