#include "changed.h"

void changed_domain(const struct write *write, struct changed_records records)
{
	struct changed *changed = rpc_changed(write->req, "domain", write->zone.is.name);

	changed->has_serial = changed->has_counts = true;
	changed->serial = write->zone.is.state.serial;
	changed->added = records.added;
	changed->updated = records.updated;
	changed->deleted = records.deleted;
}
