#include "consistency/store_lock.h"

#include <stdio.h>

/* A time far in the future is also invalid: the clock went back. */
#define PAST_ITS_TIME "created_at < NOW(6) - INTERVAL ttl_s SECOND OR " \
                      "created_at > NOW(6) + INTERVAL ttl_s SECOND"

static bool lock_take_row(struct tx *tx, const char *object,
                          const struct lock_session *session)
{
	return tx_exec(tx,
	    "UPDATE distributed_locks SET fence = LAST_INSERT_ID(fence + 1), "
	    "`lock` = TRUE, session_id = ?, owner = ?, ttl_s = ? / 1000, "
	    "created_at = NOW(6) WHERE object_uuid = ? "
	    "AND (`lock` = FALSE OR session_id = ? OR " PAST_ITS_TIME ")",
	    TX_BIND(tx_text(session->id), tx_text(session->owner),
	            tx_int(session->ttl_ms), tx_text(object), tx_text(session->id))) == 1;
}

/* IGNORE: another process may have inserted the row, which may be held. */
static bool lock_make_row(struct tx *tx, const char *object,
                          const struct lock_session *session)
{
	return tx_exec(tx,
	    "INSERT IGNORE INTO distributed_locks "
	    "(object_uuid, `lock`, session_id, created_at, ttl_s, fence, owner) "
	    "VALUES (?, TRUE, ?, NOW(6), ? / 1000, 1, ?)",
	    TX_BIND(tx_text(object), tx_text(session->id), tx_int(session->ttl_ms),
	            tx_text(session->owner))) == 1;
}

bool lock_try(struct tx *tx, const char *object, const struct lock_session *session,
              struct lock *lock)
{
	snprintf(lock->object, sizeof(lock->object), "%s", object);
	lock->fence = 0;
	if (lock_take_row(tx, object, session))
		lock->fence = tx_last_id(tx);
	else if (lock_make_row(tx, object, session))
		lock->fence = 1;
	return lock->fence != 0;
}

void lock_guard(struct tx *tx, const struct lock *lock,
                const struct lock_session *session)
{
	if (tx_exec(tx,
	    "UPDATE distributed_locks SET created_at = NOW(6) "
	    "WHERE object_uuid = ? AND session_id = ? AND fence = ? AND `lock` = TRUE",
	    TX_BIND(tx_text(lock->object), tx_text(session->id),
	            tx_int((int64_t)lock->fence))) != 1)
		tx_fail(tx, ERR_BUSY, "another process has the lock of %s", lock->object);
}

void lock_renew(struct tx *tx, const struct lock_session *session)
{
	tx_exec(tx,
	    "UPDATE distributed_locks SET created_at = NOW(6) "
	    "WHERE session_id = ? AND `lock` = TRUE", TX_BIND(tx_text(session->id)));
}

void lock_select(struct tx *tx, const struct lock_session *session,
                 struct lock_rows *rows)
{
	tx_select(tx, NULL, &rows->rows,
	    "SELECT object_uuid, fence FROM distributed_locks "
	    "WHERE session_id = ? AND `lock` = TRUE", TX_BIND(tx_text(session->id)));
}

bool lock_next(struct lock_rows *rows, struct lock *lock)
{
	if (!tx_next(&rows->rows))
		return false;
	snprintf(lock->object, sizeof(lock->object), "%s", row_text(&rows->rows));
	lock->fence = (uint64_t)row_int(&rows->rows);
	return true;
}

void lock_release(struct tx *tx, const struct lock *lock,
                  const struct lock_session *session)
{
	tx_exec(tx,
	    "UPDATE distributed_locks SET `lock` = FALSE "
	    "WHERE object_uuid = ? AND session_id = ? AND fence = ?",
	    TX_BIND(tx_text(lock->object), tx_text(session->id),
	            tx_int((int64_t)lock->fence)));
}

void lock_release_all(struct tx *tx, const struct lock_session *session)
{
	tx_exec(tx,
	    "UPDATE distributed_locks SET `lock` = FALSE WHERE session_id = ? "
	    "AND `lock` = TRUE", TX_BIND(tx_text(session->id)));
}

const char *lock_owner(struct tx *tx, struct arena *arena, const char *object)
{
	struct tx_rows rows;
	const char *owner = "";

	if (tx_select_row(tx, arena, &rows,
	    "SELECT owner FROM distributed_locks WHERE object_uuid = ? AND `lock` = TRUE",
	    TX_BIND(tx_text(object)))) {
		owner = row_text(&rows);
		tx_select_end(&rows);
	}
	return owner;
}

void lock_forget(struct tx *tx)
{
	tx_exec(tx,
	    "DELETE FROM distributed_locks WHERE created_at < NOW(6) - INTERVAL 1 HOUR "
	    "AND (`lock` = FALSE OR created_at < NOW(6) - INTERVAL 2 HOUR) LIMIT 1000",
	    TX_NONE);
}
