/*
 * bind9_primaries -- compares the primaries that `rndc showzone` prints with the
 * primaries from the settings (bind9.c). The output of `rndc showzone` is one line of
 * this form:
 *
 * 	zone "a.example" { type secondary; file "1.db"; primaries { 192.0.2.53 port 53
 * 	key "pool.example."; }; masterfile-format raw; };
 */
#pragma once

enum bind9_primaries {
	BIND9_PRIMARIES_DIFFER,		/* also if SHOWN has no list of primaries */
	BIND9_PRIMARIES_SAME,
	BIND9_PRIMARIES_CUT,		/* the end of the list is missing in SHOWN */
};

/*
 * Compares the primaries in SHOWN, the output of `rndc showzone`, with WANTED. For each
 * primary, in order, WANTED contains `192.0.2.53 port 53 key "pool.example.";` after a
 * space.
 */
enum bind9_primaries bind9_primaries_compare(const char *shown, const char *wanted);
