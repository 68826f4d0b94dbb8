/*
 * import_fold -- makes the case of names in the data of an import uniform. For DNS,
 * records that differ only in this case are one record, but the statements of the commit
 * compare the octets of data. So central first reads the owner names whose staged or live
 * data has capital letters, at most 100 names at the same time. central writes the
 * spelling of a live record into the staged rows of the same record. If there is no live
 * record, central writes the spelling of the first staged record.
 */
#pragma once

#include "store.h"

/*
 * Makes the spelling in the staged records uniform. Call this function in the transaction
 * of the commit, which has locked the domain. The function reads the records of up to
 * IMPORT_CAPITALS_MAX names at the same time. ERR_INVALID: these names together have more
 * than 200 000 records.
 */
enum err import_fold(struct tx *tx, const struct import_step *step);
