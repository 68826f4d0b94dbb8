"""Each write of a port, a subnet or a network, written down by triggers in its order.

    history = PortHistory(fleet.mariadb)        # once
    mark = history.mark()
    ...
    assert history.faults(mark) == []           # not even for a moment
    assert history.touched(mark) == ids
"""

TABLE = """
CREATE TABLE port_history (
  seq BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  kind ENUM('port', 'subnet', 'network') NOT NULL,
  id CHAR(32) NOT NULL,
  old_revision BIGINT UNSIGNED NULL,
  revision BIGINT UNSIGNED NOT NULL,
  was_gone BOOL NULL,
  is_gone BOOL NOT NULL
) ENGINE = InnoDB;
"""

TRIGGER = """
CREATE TRIGGER history_{kind}_{event} AFTER {event} ON {kind}s FOR EACH ROW
INSERT INTO port_history (kind, id, old_revision, revision, was_gone, is_gone)
VALUES ('{kind}', NEW.id, {old_revision}, NEW.revision, {was_gone}, NEW.deleted_at IS NOT NULL);
"""

OLDER = "revision < old_revision AND NOT is_gone"
BACK = "was_gone AND NOT is_gone"


class PortHistory:

    def __init__(self, mariadb):
        self.mariadb = mariadb
        mariadb.sql(TABLE)
        for kind in "port", "subnet", "network":
            mariadb.sql(TRIGGER.format(kind=kind, event="INSERT", old_revision="NULL",
                                       was_gone="NULL"))
            mariadb.sql(TRIGGER.format(kind=kind, event="UPDATE",
                                       old_revision="OLD.revision",
                                       was_gone="OLD.deleted_at IS NOT NULL"))

    def mark(self):
        """A place in the order of all writes: now."""
        return int(self.mariadb.sql("SELECT IFNULL(MAX(seq), 0) FROM port_history")[0][0])

    def touched(self, mark):
        """The ids of all that was written behind MARK."""
        return {id for id, in self.mariadb.sql(
            f"SELECT DISTINCT id FROM port_history WHERE seq > {mark}")}

    def faults(self, mark):
        """Where something older was put over something newer, or what was gone came back."""
        return self.mariadb.sql(
            f"SELECT seq, kind, id, old_revision, revision, was_gone, is_gone FROM port_history "
            f"WHERE seq > {mark} AND ({OLDER} OR {BACK})")
