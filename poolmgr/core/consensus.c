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

static bool observation_is_error(const struct observation *server)
{
	return (server->status == OBSERVED_ERROR ||
	        server->status == OBSERVED_NO_DOMAIN) &&
	       server->has_failed;
}

/*
 * The serial that a server serves, if it is not newer than WANTED, the domain's serial. A
 * newer serial does not count, because zonefleet did not issue it. A serial at a distance
 * of 2^31 has no order (RFC 1982 3.2). The row of a silent server keeps the last serial
 * that was seen. If that serial covers the failed one, the server no longer counts for
 * the failed one.
 */
static bool observation_serial(const struct observation *server, uint32_t wanted,
                               uint32_t *serial)
{
	uint32_t own = server->serial;

	if (!server->has_serial)
		return false;
	if (observation_is_error(server) && serial_covers(own, server->failed_serial))
		own = server->failed_serial - 1;
	*serial = own;
	return serial_covers(wanted, own);
}

/* True: the server serves SERIAL or newer. SERIAL is not newer than WANTED. */
static bool observation_reaches(const struct observation *server, uint32_t wanted,
                                uint32_t serial)
{
	uint32_t own;

	return observation_serial(server, wanted, &own) &&
		wanted - own <= wanted - serial;
}

/* True: the server failed to reach SERIAL. */
static bool observation_failed_at(const struct observation *server, uint32_t wanted,
                                  uint32_t serial)
{
	return observation_is_error(server) && serial_covers(server->failed_serial,
	                                                     serial) &&
	       !observation_reaches(server, wanted, serial);
}

static size_t consensus_count_reaching(const struct observation *servers, size_t n,
                                       uint32_t wanted, uint32_t serial)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += observation_reaches(&servers[i], wanted, serial);
	return count;
}

static size_t consensus_count_failed(const struct observation *servers, size_t n,
                                     uint32_t wanted, uint32_t serial)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += observation_failed_at(&servers[i], wanted, serial);
	return count;
}

/* The newest serial that enough servers reach: WANTED, or the serial of a server. */
static void consensus_find_reached(const struct observation *servers, size_t n,
                                   int threshold_percent, uint32_t wanted,
                                   struct consensus *consensus)
{
	if (consensus_enough(threshold_percent,
	                     consensus_count_reaching(servers, n, wanted, wanted), n)) {
		consensus->reached = true;
		consensus->serial = wanted;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t serial;

		if (!observation_serial(&servers[i], wanted, &serial) ||
		    !consensus_enough(threshold_percent, consensus_count_reaching(servers,
		                                                                  n,
		                                                                  wanted,
		                                                                  serial),
		                      n))
			continue;
		if (!consensus->reached || wanted - serial < wanted - consensus->serial)
			consensus->serial = serial;
		consensus->reached = true;
	}
}

/* The newest serial that too many servers failed to reach. WANTED is the highest. */
static void consensus_find_failed(const struct observation *servers, size_t n,
                                  int threshold_percent, uint32_t wanted,
                                  struct consensus *consensus)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t serial = servers[i].failed_serial;

		if (!servers[i].has_failed)
			continue;
		if (serial_newer(serial, wanted))
			serial = wanted;
		size_t bad = consensus_count_failed(servers, n, wanted, serial);
		if (!serial_covers(wanted, serial) ||
		    (consensus->reached && !serial_newer(serial, consensus->serial)) ||
		    !consensus_too_many(threshold_percent, bad, n))
			continue;
		if (!consensus->failed ||
		    wanted - serial < wanted - consensus->failed_serial)
			consensus->failed_serial = serial;
		consensus->failed = true;
	}
}

struct consensus consensus_of(const struct observation *servers, size_t n,
                              int threshold_percent, uint32_t wanted)
{
	struct consensus consensus = { 0 };

	if (n == 0)
		return consensus;
	consensus_find_reached(servers, n, threshold_percent, wanted, &consensus);
	consensus_find_failed(servers, n, threshold_percent, wanted, &consensus);
	return consensus;
}

void consensus_discount(struct observation *server, uint32_t wanted)
{
	server->status = OBSERVED_ERROR;
	server->has_serial = false;
	server->has_failed = true;
	server->failed_serial = wanted;
}

struct quorum consensus_quorum(size_t ok, size_t bad, size_t n, int threshold_percent)
{
	return (struct quorum){
		.reached = n > 0 && consensus_enough(threshold_percent, ok, n),
		.failed = n > 0 && consensus_too_many(threshold_percent, bad, n),
	};
}
