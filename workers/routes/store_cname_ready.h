/*
 * store_cname_ready -- the SQL condition under which a former name gets its CNAME to the
 * current router of its route. In the condition, m is a row of route_moves in state ADD,
 * and b is the binding of the route.
 *
 *	state of the shown instances				the CNAME is ready
 *	all instances report that they serve the route		immediately
 *	some send no report, no report has an older version	at begins_at
 *	an instance reports an older version			PATIENCE_S after begins_at
 */
#pragma once

#define CNAME_IS_READY \
	"((SELECT COUNT(*) > 0 AND COUNT(*) = SUM(COALESCE(a.serves >= m.needs, 0)) " \
	"FROM router_addresses a WHERE a.router = b.router AND a.is_shown) " \
	"OR (m.begins_at <= NOW(3) AND NOT EXISTS (SELECT 1 FROM router_addresses a " \
	"WHERE a.router = b.router AND a.is_shown AND a.serves < m.needs)) " \
	"OR m.begins_at + INTERVAL ? SECOND <= NOW(3))"

/*
 * The time when router d is due next. This time is AFTER_US microseconds from now. If a
 * CNAME of the router's domain is ready earlier, the router is due when this CNAME is
 * ready.
 */
#define NEXT_DUE \
	"LEAST(NOW(3) + INTERVAL ? MICROSECOND, COALESCE((SELECT MIN(CASE " \
	"WHEN " CNAME_IS_READY " THEN NOW(3) " \
	"WHEN m.begins_at > NOW(3) THEN m.begins_at " \
	"ELSE m.begins_at + INTERVAL ? SECOND END) FROM route_moves m " \
	"LEFT JOIN route_bindings b ON b.route_id = m.route_id " \
	"WHERE m.router = d.name AND m.state = 'ADD'), NOW(3) + INTERVAL 1 YEAR))"
#define NEXT_DUE_BIND(after_us, patience_s) \
	tx_int(after_us), tx_int(patience_s), tx_int(patience_s)
