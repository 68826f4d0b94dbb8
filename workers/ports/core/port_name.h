/*
 * port_name -- makes the DNS names of ports: the name that a caller chooses for a port,
 * and the generated name of each address.
 *
 * A dns_name has one or more labels. A dns_name with a final dot is a fully qualified
 * name. This name must be in the port's own domain or, if the port has no domain of its
 * own, in the network's domain. If a dns_name has no final dot, zonefleet appends the
 * domain.
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
	LABELS_RFC1035,			/* a label begins with a letter (seed 002) */
	/* a label may begin with a digit, as in Neutron */
	LABELS_RFC1123,
};

enum {
	/* maximum length of a fully qualified name as text */
	PORT_NAME_MAX = 255,
	/* maximum length of "host-" and an address as text */
	HOST_LABEL_MAX = 50,
};

/*
 * Makes the fully qualified name of DNS_NAME in DOMAIN, in lower case. DNS_NAME may
 * contain any octets. ERR_INVALID, with the field in *why: a label is empty or longer
 * than 63 octets, contains an octet that is not a letter, digit or hyphen, or begins or
 * ends with a hyphen. port_fqdn() also returns ERR_INVALID if the last of several labels
 * is a number, or if the name is the domain itself, is outside the domain, or has more
 * than PORT_NAME_MAX octets.
 */
enum err port_fqdn(const char *dns_name, const struct name *domain,
                   enum label_rules rules, struct name *fqdn, struct why *why);

/*
 * Writes DNS_NAME in lower case to TEXT, as in the table and in answers. TEXT has
 * PORT_NAME_MAX + 1 octets.
 */
void port_name_lower(const char *dns_name, char *text);

/*
 * Makes "host-10-224-36-4" or "host-fd5d-19f-52e9--2": "host-" and the address in the
 * form of RFC 5952, with a hyphen instead of each dot or colon. A host name must not end
 * in a hyphen, so "2001:db8::" gives "host-2001-db8--0".
 */
void host_label(const struct address *address, char label[HOST_LABEL_MAX + 1]);
/*
 * Makes the generated name of the address in DOMAIN. ERR_INVALID: the name is too long.
 */
enum err host_fqdn(const struct address *address, const struct name *domain,
                   struct name *fqdn, struct why *why);
