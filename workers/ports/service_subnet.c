#include <string.h>

#include "model/json.h"
#include "renaming.h"
#include "reverse_quota.h"
#include "service_private.h"

/* ---- set, delete: what of the network's ports is published follows ---- */

struct setting {
	struct request *req;
	struct renaming renaming;
	struct network_row network;
};

static void setting_init(struct setting *setting, struct ports *ports,
                         struct request *req)
{
	*setting = (struct setting){ .req = req };
	/* told in any case: the answer to a commit may have been lost */
	setting->renaming = (struct renaming){ .ports = ports, .arena = req->arena,
	                                       .network = &setting->network,
	                                       .is_told = true };
}

/* What Neutron tells of, only Neutron changes; else the next comparison would undo it. */
static void check_not_fed(const struct setting *setting, const struct subnet_row *subnet,
                          struct tx *tx)
{
	if (subnet->is_fed && *setting->renaming.ports->settings.feed)
		tx_fail(tx, ERR_CONFLICT, "subnet %.32s is Neutron's: change it there",
		        subnet->id);
}

static void publish_again(struct setting *setting, struct tx *tx)
{
	if (store_network_lock(tx, setting->req->arena, setting->network.id,
	                       &setting->network))
		renaming_none(&setting->renaming, tx);
	reverse_quota_check(setting->renaming.ports, tx, setting->req,
	                    &setting->renaming.change);
}

/* Among those of its network. */
struct place {
	struct subnet_row *subnet;
	bool has_id;
	struct subnet_row other;	/* that it overlaps */
	bool is_taken;
	int others;
};

enum { SUBNETS_MAX = 256 };		/* of a network: each call about a port reads them */

static void look_at(void *self, const struct subnet_row *other)
{
	struct place *place = self;
	struct subnet_row *subnet = place->subnet;

	place->others += strcmp(other->id, subnet->id) != 0;
	if (!strcmp(other->id, subnet->id) ||
	    !cidr_overlaps(&other->cidr, &subnet->cidr))
		return;
	if (!place->has_id && cidr_equal(&other->cidr, &subnet->cidr)) {
		memcpy(subnet->id, other->id, sizeof(subnet->id));
		place->has_id = true;
		return;
	}
	place->other = *other;
	place->is_taken = true;
}

static void find_place(struct setting *setting, struct place *place, struct tx *tx)
{
	const struct port_filter all = { .network_id = setting->network.id,
	                                 .marker = "", .limit = INT32_MAX };
	char own[CIDR_TEXT], other[CIDR_TEXT];

	store_subnets(tx, setting->req->arena, &all, look_at, place);
	if (tx->err)
		return;
	if (place->others >= SUBNETS_MAX)
		tx_fail(tx, ERR_QUOTA, "the network has %d subnets", SUBNETS_MAX);
	if (tx->err || !place->is_taken)
		return;
	cidr_format(&place->subnet->cidr, own);
	cidr_format(&place->other.cidr, other);
	tx_fail(tx, ERR_CONFLICT, "cidr: %s overlaps %s of the network's subnet %.32s",
	        own, other, place->other.id);
}

/* The id belongs to a subnet of another network, perhaps of another project. */
static void refuse_id(struct setting *setting, const char *id, struct tx *tx)
{
	struct subnet_row subnet;

	if (store_subnet_read(tx, setting->req->arena, id, &subnet) &&
	    access_is_owner(setting->req, subnet.project_id))
		tx_fail(tx, ERR_EXISTS, "id: subnet %.32s is of another network", id);
	else
		tx_fail(tx, ERR_NOT_FOUND, "no subnet %.32s", id);
}

static void put_subnet(struct setting *setting, struct subnet_row *subnet, struct tx *tx)
{
	struct subnet_row was;
	bool is_there = store_subnet_lock(tx, subnet->id, &was);

	if (tx->err)
		return;
	if (is_there ? strcmp(was.network_id, subnet->network_id) != 0
	             : store_subnet_is_gone(tx, subnet->id)) {
		refuse_id(setting, subnet->id, tx);
		return;
	}
	if (is_there) {
		subnet->is_fed = was.is_fed;
		subnet->revision = was.revision;
	}
	store_subnet_put(tx, subnet);
	if (!is_there || was.is_published != subnet->is_published ||
	    !cidr_equal(&was.cidr, &subnet->cidr))
		publish_again(setting, tx);
}

static void set_subnet(struct setting *setting, struct place *place, struct tx *tx)
{
	struct request *req = setting->req;
	const char *network = place->subnet->network_id;

	if (!store_network_lock(tx, req->arena, network, &setting->network) ||
	    !access_is_owner(req, setting->network.project_id))
		tx_fail(tx, ERR_NOT_FOUND, "no network %.32s: set_network makes it",
		        network);
	else if (setting->network.is_fed && *setting->renaming.ports->settings.feed)
		tx_fail(tx, ERR_CONFLICT, "network %.32s is Neutron's: its subnets are "
		        "changed there", network);
	if (tx->err)
		return;
	find_place(setting, place, tx);
	if (!tx->err)
		put_subnet(setting, place->subnet, tx);
}

enum err service_set_subnet(void *self, struct request *req)
{
	struct setting setting;
	struct subnet_row subnet;
	struct place place = { .subnet = &subnet };
	enum err err = codec_subnet(req, &subnet, &place.has_id);

	if (err)
		return err;
	setting_init(&setting, self, req);

	struct tx tx = tx_begin(setting.renaming.ports->runtime.db, &req->why);
	set_subnet(&setting, &place, &tx);
	err = renaming_commit(&setting.renaming, &tx);
	if (err)
		return err;
	subnet.project_id = setting.network.project_id;
	subnet.domain_text = setting.network.domain_text;
	req->result = json_pack("{s:o}", "subnet", codec_encode_subnet(&subnet));
	return OK;
}

static void delete_subnet(struct setting *setting, const char *id, struct tx *tx)
{
	struct subnet_row subnet;

	if (!store_subnet_lock(tx, id, &subnet))
		return;
	check_not_fed(setting, &subnet, tx);
	if (!tx->err)
		store_subnet_delete(tx, id);
}

/* One that is gone stays so, however often that is said; and so often all hear of it. */
enum err service_delete_subnet(void *self, struct request *req)
{
	struct setting setting;
	struct subnet_row subnet;
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "subnet", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;
	setting_init(&setting, self, req);

	struct tx tx = tx_begin(setting.renaming.ports->runtime.db, &req->why);
	bool is_there = store_subnet_read(&tx, req->arena, id, &subnet);
	bool is_gone = !is_there && store_subnet_was_of(&tx, id, subnet.network_id);

	if ((!is_there && !is_gone) ||
	    !store_network_lock(&tx, req->arena, subnet.network_id, &setting.network) ||
	    access_check(req, setting.network.project_id))
		tx_fail(&tx, ERR_NOT_FOUND, "no subnet %.32s", id);
	if (!tx.err && is_there)
		delete_subnet(&setting, id, &tx);
	if (!tx.err)
		publish_again(&setting, &tx);
	return renaming_commit(&setting.renaming, &tx);
}

/* ---- get, list ---- */

enum err service_get_subnet(void *self, struct request *req)
{
	struct ports *ports = self;
	struct subnet_row subnet;
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "subnet", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;

	struct tx tx = tx_autocommit(ports->runtime.db, &req->why);
	if (store_subnet_read(&tx, req->arena, id, &subnet) &&
	    !access_check(req, subnet.project_id))
		req->result = json_pack("{s:o}", "subnet", codec_encode_subnet(&subnet));
	else
		tx_fail(&tx, ERR_NOT_FOUND, "no subnet %.32s", id);
	return tx_commit(&tx);
}

struct subnets_page {
	json_t *list;
	char last[ID_LEN + 1];
};

static void take_subnet(void *self, const struct subnet_row *subnet)
{
	struct subnets_page *page = self;

	memcpy(page->last, subnet->id, sizeof(page->last));
	json_array_append_new(page->list, codec_encode_subnet(subnet));
}

enum err service_list_subnets(void *self, struct request *req)
{
	struct ports *ports = self;
	struct port_filter filter = { .project_id = NULL };
	struct subnets_page page = { .last = "" };
	enum err err = access_filter(req, &filter.project_id);

	if (!err)
		err = codec_filter(req, &filter);
	if (err)
		return err;
	page.list = json_array();

	struct tx tx = tx_autocommit(ports->runtime.db, &req->why);
	store_subnets(&tx, req->arena, &filter, take_subnet, &page);
	req->result = json_pack("{s:o, s:s?}", "subnets", page.list, "marker",
		json_array_size(page.list) == (size_t)filter.limit ? page.last : NULL);
	return tx_commit(&tx);
}
