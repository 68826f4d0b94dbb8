#include "model/json.h"
#include "service_private.h"

/*
 * {"now": true} makes the next comparison due. "ended" grows at the end of each
 * comparison.
 */
enum err service_compare(void *self, struct request *req)
{
	struct ports *ports = self;
	const char *feed = ports->settings.feed;
	struct comparison_row row = { .reason = "" };
	bool now = false;
	enum err err = access_require_admin(req);

	if (!err)
		err = json_get_bool(req->args, "now", 0, &now, &req->why);
	if (err)
		return err;
	if (!*feed)
		return fail(&req->why, ERR_CONFLICT,
		            "ports.feed is empty: set ports.feed to compare with "
		            "Neutron");

	struct tx tx = tx_autocommit(ports->runtime.db, &req->why);
	store_comparison_read(&tx, req->arena, feed, &row);
	if (now)
		store_comparison_due(&tx, feed, 0);
	req->result = json_pack("{s:i, s:i, s:i, s:i, s:s}", "ended", row.ended,
	                        "looked_at", row.looked_at, "differing", row.differing,
	                        "repaired", row.repaired, "reason", row.reason);
	return tx_commit(&tx);
}
