/*
 * import_fold -- gives records of an import that differ only in the case of names in
 * their data one spelling, because for DNS they are one record. The statements of the
 * commit compare the octets of data. So before them, central reads the names at which
 * staged data has capital letters, a few at a time, and writes into these staged rows
 * the spelling of the live record, or else of the first staged one.
 */
#pragma once

#include "store.h"

/*
 * Runs inside the transaction of the commit, on the locked domain. ERR_INVALID: the
 * record sets at a few names have too many records.
 */
enum err import_fold(struct tx *tx, const struct import_step *step);
