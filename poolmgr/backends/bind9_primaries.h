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
	BIND9_PRIMARIES_DIFFER,		/* or SHOWN contains no list of primaries */
	BIND9_PRIMARIES_SAME,
	BIND9_PRIMARIES_CUT,		/* SHOWN ends before the end of the list */
};

/*
 * Compares the primaries in SHOWN, the output of `rndc showzone`, with WANTED. WANTED
 * contains the primaries in their order. The text of each primary is a space, followed
 * by `192.0.2.53 port 53 key "pool.example.";`.
 */
enum bind9_primaries bind9_primaries_compare(const char *shown, const char *wanted);
