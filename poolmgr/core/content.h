/*
 * content -- decides, after a comparison of records, whether to trust a server that
 * serves the serial of the database.
 *
 * 	compared   differs   transferred since   ->
 * 	equal      any       any                 trusted
 * 	differs    any       any                 differs, or trusted if it is settled
 * 	refused    no        any                 unchanged
 * 	refused    yes       no                  differs; order a transfer
 * 	refused    yes       yes                 trusted
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * A server "differs" if its records differ from the database. Such a server counts as
 * failed, whatever its serial is. A poll reads only the serial, so a poll does not change
 * this decision. mini-DNS cannot compare the records of a server that refuses transfers
 * to mini-DNS. The pool manager trusts such a server after the driver has ordered a
 * transfer of the whole zone, and mini-DNS has served this transfer. A difference is
 * settled if it still exists after two transfers (DRIFT_SETTLED). Then the server serves
 * the records in a different form.
 *
 * If a server differs, mini-DNS repeats the comparison after 2 s, and again 2 s later.
 * Each further pause is twice as long as the previous pause, up to ten minutes. The pause
 * after the first repair is 10 s. Each further pause is four times as long as the
 * previous pause, up to 640 s, so that a long transfer can end.
 */
enum compared { COMPARED_EQUAL, COMPARED_DIFFERS, COMPARED_REFUSED, COMPARED_COUNT };

struct content_case {
	enum compared compared;
	bool differs;			/* the server differed before this comparison */
	/*
	 * since the server began to differ, the pool manager has ordered a transfer or
	 * created the zone again, and mini-DNS has served this transfer
	 */
	bool was_transferred;
	bool is_settled;		/* the difference is settled */
};

enum content { CONTENT_AS_BEFORE, CONTENT_DIFFERS, CONTENT_TRUSTED };

enum content content_decide(const struct content_case *of);

#define CONTENT_WORDS "serves records that differ from the database"

enum { CONTENT_FIRST_S = 2, CONTENT_MAX_S = 600 };

/*
 * Returns the minimum pause in milliseconds between the last repair of a server and the
 * next repair. REPAIRS: the number of repairs within the last hour.
 */
int64_t content_repair_pause_ms(int repairs);
