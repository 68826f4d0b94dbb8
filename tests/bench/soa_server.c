/*
 * soa_server -- name servers that say of every zone that they have its serial:
 *
 *	soa_server SERIAL PORT...
 *
 * One thread, for as long as it is let.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"

enum { PORTS_MAX = 16, DATAGRAM = 512, HEADER = 12, SOCKET_BUFFER = 8 << 20 };

static int open_port(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port),
		                       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), size = SOCKET_BUFFER;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		fatal("no port: %d", port);
	return fd;
}

/* The question comes back with an SOA behind it; an OPT record is left away. */
static size_t answer(uint8_t *data, size_t len, uint32_t serial)
{
	static const uint8_t head[] = {
		0xc0, HEADER, 0, 6, 0, 1, 0, 0, 0, 60, 0, 22, 0, 0
	};
	size_t at = HEADER;
	uint32_t wire = htonl(serial);

	while (at < len && data[at])
		at += data[at] + 1u;
	at += 5;
	if (at > len)
		return 0;
	data[2] |= 0x84;			/* QR, AA */
	data[7] = 1;
	data[11] = 0;
	memcpy(data + at, head, sizeof(head));
	memcpy(data + at + sizeof(head), &wire, sizeof(wire));
	memset(data + at + sizeof(head) + sizeof(wire), 0, 16);
	return at + sizeof(head) + sizeof(wire) + 16;
}

static void serve(int fd, uint32_t serial)
{
	struct sockaddr_in from;
	socklen_t from_len = sizeof(from);
	uint8_t data[DATAGRAM + 64];
	ssize_t len;

	while ((len = recvfrom(fd, data, DATAGRAM, MSG_DONTWAIT, (struct sockaddr *)&from,
	                       &from_len)) > HEADER) {
		size_t out = answer(data, (size_t)len, serial);

		if (out)
			sendto(fd, data, out, 0, (struct sockaddr *)&from, from_len);
	}
}

int main(int argc, char **argv)
{
	struct pollfd fds[PORTS_MAX];
	nfds_t count = 0;

	for (int i = 2; i < argc && count < PORTS_MAX; i++)
		fds[count++] = (struct pollfd){ open_port(atoi(argv[i])), POLLIN, 0 };
	for (;;) {
		poll(fds, count, -1);
		for (nfds_t i = 0; i < count; i++)
			if (fds[i].revents & POLLIN)
				serve(fds[i].fd, (uint32_t)strtoul(argv[1], NULL, 10));
	}
}
