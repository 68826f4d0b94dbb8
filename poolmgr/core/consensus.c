#include "core/consensus.h"

#include "model/serial.h"

bool consensus_enough(int threshold_percent, size_t ok, size_t n)
{
	if (threshold_percent == 100)
		return ok == n;
	return 200 * ok + n >= 2 * (size_t)threshold_percent * n;
}

bool consensus_too_many(int threshold_percent, size_t bad, size_t n)
{
	return !consensus_enough(threshold_percent, n - bad, n);
}

static bool in_error(const struct sighting *server)
{
	return (server->status == SEEN_ERROR || server->status == SEEN_NO_DOMAIN) &&
	       server->has_failed;
}

/*
 * What a server serves of the changes up to WANTED, the domain's own serial.
 * A newer one is none of ours, and no evidence, as is one 2^31 away, which
 * has no order (RFC 1982 3.2). A row keeps the highest serial that was seen;
 * one in error went back behind what it failed at (a restored disk).
 */
static bool served(const struct sighting *server, uint32_t wanted, uint32_t *serial)
{
	uint32_t own = server->serial;

	if (!server->has_serial)
		return false;
	if (in_error(server) && serial_covers(own, server->failed_serial))
		own = server->failed_serial - 1;
	*serial = own;
	return serial_covers(wanted, own);
}

/* Does the server stand at SERIAL or newer? All serials here are at or behind wanted. */
static bool reaches(const struct sighting *server, uint32_t wanted, uint32_t serial)
{
	uint32_t own;

	return served(server, wanted, &own) && wanted - own <= wanted - serial;
}

/* Did the server fail to reach SERIAL? */
static bool failed_at(const struct sighting *server, uint32_t wanted, uint32_t serial)
{
	return in_error(server) && serial_covers(server->failed_serial, serial) &&
	       !reaches(server, wanted, serial);
}

static size_t count_reaching(const struct sighting *servers, size_t n, uint32_t wanted,
                             uint32_t serial)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += reaches(&servers[i], wanted, serial);
	return count;
}

static size_t count_failed(const struct sighting *servers, size_t n, uint32_t wanted,
                           uint32_t serial)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += failed_at(&servers[i], wanted, serial);
	return count;
}

/* The newest serial that enough servers reach: it is one that some server stands at. */
static void find_reached(const struct sighting *servers, size_t n, int threshold_percent,
                         uint32_t wanted, struct consensus *consensus)
{
	if (consensus_enough(threshold_percent,
	                     count_reaching(servers, n, wanted, wanted), n)) {
		consensus->reached = true;
		consensus->serial = wanted;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t serial;

		if (!served(&servers[i], wanted, &serial) ||
		    !consensus_enough(threshold_percent,
		                      count_reaching(servers, n, wanted, serial), n))
			continue;
		if (!consensus->reached || wanted - serial < wanted - consensus->serial)
			consensus->serial = serial;
		consensus->reached = true;
	}
}

/* The newest serial that too many failed at: one that a server failed at, or WANTED. */
static void find_failed(const struct sighting *servers, size_t n, int threshold_percent,
                        uint32_t wanted, struct consensus *consensus)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t serial = servers[i].failed_serial;

		if (!servers[i].has_failed)
			continue;
		if (serial_newer(serial, wanted))
			serial = wanted;
		if (!serial_covers(wanted, serial) ||
		    (consensus->reached && !serial_newer(serial, consensus->serial)) ||
		    !consensus_too_many(threshold_percent,
		                        count_failed(servers, n, wanted, serial), n))
			continue;
		if (!consensus->failed ||
		    wanted - serial < wanted - consensus->failed_serial)
			consensus->failed_serial = serial;
		consensus->failed = true;
	}
}

struct consensus consensus_of(const struct sighting *servers, size_t n,
                              int threshold_percent, uint32_t wanted)
{
	struct consensus consensus = { 0 };

	if (n == 0)
		return consensus;
	find_reached(servers, n, threshold_percent, wanted, &consensus);
	find_failed(servers, n, threshold_percent, wanted, &consensus);
	return consensus;
}

struct verdict consensus_verdict(size_t ok, size_t bad, size_t n, int threshold_percent)
{
	return (struct verdict){
		.done = n > 0 && consensus_enough(threshold_percent, ok, n),
		.failed = n > 0 && consensus_too_many(threshold_percent, bad, n),
	};
}
