#include "port_records.h"

#include <string.h>

#include "model/rr.h"
#include "port_name.h"
#include "reverse.h"

enum { RECORDS_OF_AN_ADDRESS = 3 };

static const char *text_of(const struct name *name, struct arena *arena)
{
	char text[NAME_MAX_TEXT + 1];

	name_format(name, text);
	return arena_strdup(arena, text);
}

/* A name that all addresses of a port, or one of them, have. */
struct called {
	const char *zone, *name;	/* name NULL: none */
	int of;
};

static void push_forward(struct port_record *records, size_t *count,
                         const struct called *called, const struct address *address,
                         struct arena *arena)
{
	char text[ADDRESS_TEXT];

	if (!called->name)
		return;
	address_format(address, text);
	records[(*count)++] = (struct port_record){
		.zone = called->zone, .name = called->name, .of = called->of,
		.type = address->bits == 32 ? RR_A : RR_AAAA,
		.data = arena_strdup(arena, text),
	};
}

static void push_reverse(struct port_record *records, size_t *count,
                         const struct port_network *network,
                         const struct address *address, const char *target,
                         struct arena *arena)
{
	struct name name, zone;

	if (!target)
		return;
	reverse_name(address, &name);
	reverse_zone(address, address->bits == 32 ? network->v4_bits : network->v6_bits,
	             &zone);
	records[(*count)++] = (struct port_record){
		.zone = text_of(&zone, arena), .name = text_of(&name, arena),
		.type = RR_PTR, .data = target, .of = ZONE_OF_NOBODY,
	};
}

/* Its name, in the domain that it is of. */
static struct called given_name(const struct port_network *network,
                                const struct port_names *port, struct arena *arena)
{
	bool is_own = port->domain.len;

	if (!port->fqdn.len)
		return (struct called){ .name = NULL };
	return (struct called){ text_of(is_own ? &port->domain : &network->domain, arena),
	                        text_of(&port->fqdn, arena),
	                        is_own ? ZONE_OF_PORT : ZONE_OF_NETWORK };
}

static struct called generated_name(const struct port_network *network,
                                    const struct address *address, struct arena *arena)
{
	struct name name;
	struct why why;

	/* a network's domain leaves room for it: see codec_domain() */
	if (!network->domain.len || host_fqdn(address, &network->domain, &name, &why))
		return (struct called){ .name = NULL };
	return (struct called){ text_of(&network->domain, arena), text_of(&name, arena),
	                        ZONE_OF_NETWORK };
}

static bool is_same(const struct called *a, const struct called *b)
{
	return a->name && b->name && !strcmp(a->name, b->name) &&
	       !strcmp(a->zone, b->zone);
}

size_t port_records(const struct port_network *network, const struct port_names *port,
                    struct arena *arena, struct port_record **records)
{
	const struct called given = given_name(network, port, arena);
	size_t count = 0;

	*records = arena_alloc(arena, (RECORDS_OF_AN_ADDRESS * port->count + 1) *
	                              sizeof(**records));
	for (size_t i = 0; i < port->count; i++) {
		const struct address *address = &port->addresses[i];
		const struct called generated = generated_name(network, address, arena);

		if (!subnets_publish(&network->subnets, address))
			continue;
		push_forward(*records, &count, &generated, address, arena);
		if (!is_same(&given, &generated))
			push_forward(*records, &count, &given, address, arena);
		push_reverse(*records, &count, network, address,
		             given.name ? given.name : generated.name, arena);
	}
	return count;
}
