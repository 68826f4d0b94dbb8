/*
 * import_fold -- makes the case of names in the data of an import uniform. For DNS,
 * records that differ only in the case of these names are one record, but the statements
 * of the commit compare the octets of data. So central finds the owner names with staged
 * or live data that contains capital letters. If a staged record is also a live record,
 * central writes the spelling of the live record into the staged rows. If there is no
 * such live record, central writes the spelling of the first staged record into all its
 * staged rows.
 */
#pragma once

#include "store.h"

/*
 * Makes the spelling in the staged records uniform. Call this function in the transaction
 * of the commit, which has locked the domain. The function reads the records of at most
 * IMPORT_CAPITALS_MAX names at a time. ERR_INVALID: the names of one such read have more
 * than 200 000 records together.
 */
enum err import_fold(struct tx *tx, const struct import_step *step);
