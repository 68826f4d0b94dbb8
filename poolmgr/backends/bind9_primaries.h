/*
 * bind9_primaries -- compares the primaries that `rndc showzone` prints with the
 * primaries of a clause of bind9.c.
 *
 * 	zone "a.example" { type secondary; file "1.db"; primaries { 192.0.2.53 port 53
 * 	key "pool.example."; }; masterfile-format raw; };
 */
#pragma once

enum bind9_primaries {
	BIND9_PRIMARIES_DIFFER,		/* also if the zone has no primaries */
	BIND9_PRIMARIES_SAME,
	BIND9_PRIMARIES_CUT,		/* the end of the list is missing */
};

/* WANTED: " 192.0.2.53 port 53 key \"pool.example.\";" for each primary, in order. */
enum bind9_primaries bind9_primaries_compare(const char *shown, const char *wanted);
