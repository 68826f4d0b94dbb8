"""Questions to a name server by UDP."""

import functools

import dns.query

# A port may get a late answer to the program that had it before: it is not for this question.
udp = functools.partial(dns.query.udp, ignore_unexpected=True)
