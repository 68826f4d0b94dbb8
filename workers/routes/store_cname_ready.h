/*
 * store_serving -- when a name before may lead to the router that its route has now, as SQL:
 * of a row m of route_moves that is to be added, and b, the binding of its route.
 *
 *	all instances that are shown say that they serve it	at once
 *	some do not say what they serve, and none is behind	from begins_at on
 *	one is behind						a while later
 */
#pragma once

#define MAY_LEAD \
	"((SELECT COUNT(*) > 0 AND COUNT(*) = SUM(COALESCE(a.serves >= m.needs, 0)) " \
	"FROM router_addresses a WHERE a.router = b.router AND a.is_shown) " \
	"OR (m.begins_at <= NOW(3) AND NOT EXISTS (SELECT 1 FROM router_addresses a " \
	"WHERE a.router = b.router AND a.is_shown AND a.serves < m.needs)) " \
	"OR m.begins_at + INTERVAL ? SECOND <= NOW(3))"

/* Of router d: in so many microseconds, or when the next name may lead elsewhere. */
#define DUE_BY_THEN \
	"LEAST(NOW(3) + INTERVAL ? MICROSECOND, COALESCE((SELECT MIN(CASE " \
	"WHEN " MAY_LEAD " THEN NOW(3) WHEN m.begins_at > NOW(3) THEN m.begins_at " \
	"ELSE m.begins_at + INTERVAL ? SECOND END) FROM route_moves m " \
	"LEFT JOIN route_bindings b ON b.route_id = m.route_id " \
	"WHERE m.router = d.name AND m.state = 'ADD'), NOW(3) + INTERVAL 1 YEAR))"
#define DUE_BY(after_us, patience_s) \
	tx_int(after_us), tx_int(patience_s), tx_int(patience_s)
