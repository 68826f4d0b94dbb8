/*
 * port_name -- what a network port may be called in DNS (seed 002), and what each of its
 * addresses is called in any case. Nothing here knows a database or a network.
 *
 * A dns_name is one or more labels. With a dot at its end it is a full name, whose higher
 * labels have to be the domain of the port's network; without one the domain is appended.
 *
 *	domain example.com.	vm01			vm01.example.com.
 *				vm01.test1		vm01.test1.example.com.
 *				vm01.test1.example.com.	the same
 *				vm01.test1.other.com.	ERR_INVALID
 */
#pragma once

#include "dns/address.h"
#include "model/name.h"

enum label_rules {
	LABELS_RFC1035,			/* a letter first (the seed) */
	LABELS_RFC1123,			/* or a digit (what Neutron takes) */
};

enum {
	PORT_NAME_MAX = 255,		/* octets of a full name as text */
	HOST_LABEL_MAX = 50,		/* "host-" and an address as text */
};

/*
 * The full name, in lower case, of a port that is to be called DNS_NAME in DOMAIN.
 * ERR_INVALID in words that name the field: an empty label or one of more than 63
 * octets, other octets than letters, digits and hyphens, a label that begins or ends
 * with a hyphen, the last of several being a number, a name that is the domain itself or
 * outside of it, one of more than PORT_NAME_MAX octets. Any octets may come.
 */
enum err port_fqdn(const char *dns_name, const struct name *domain,
                   enum label_rules rules, struct name *fqdn, struct why *why);

/* DNS_NAME as it is stored and shown: in lower case. TEXT: of PORT_NAME_MAX + 1. */
void port_name_lower(const char *dns_name, char *text);

/*
 * "host-10-224-36-4", "host-fd5d-19f-52e9--2": the address as RFC 5952 writes it, each
 * dot or colon a hyphen. Where that would end in a hyphen ("2001:db8::"), as no host name
 * may, the last group is written: "host-2001-db8--0".
 */
void host_label(const struct address *address, char label[HOST_LABEL_MAX + 1]);
/* The same in DOMAIN. ERR_INVALID: it would be too long. */
enum err host_fqdn(const struct address *address, const struct name *domain,
                   struct name *fqdn, struct why *why);
