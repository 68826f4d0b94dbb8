/*
 * import_fold -- makes the case of names in the data of an import uniform. For DNS,
 * records that differ only in this case are one record, but the statements of the commit
 * compare the octets of data. So central first reads the owner names whose staged or live
 * data has capital letters, a few at a time. It writes the spelling of the live record
 * into these staged rows. If there is no live record, it writes the spelling of the first
 * staged record.
 */
#pragma once

#include "store.h"

/*
 * Call it in the transaction of the commit, which has locked the domain. This function
 * reads the records at up to IMPORT_CAPITALS_MAX names at the same time. ERR_INVALID:
 * these names have more than 200 000 records.
 */
enum err import_fold(struct tx *tx, const struct import_step *step);
