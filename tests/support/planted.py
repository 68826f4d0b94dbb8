"""Programs with a bug built into them: does the checker see what they do?

    binaries = build(folder, COMMITTED_LATER)

What is built is this tree, copied with what was built of it already, and one line of it
changed: the bug is in the programs of one story, and nowhere else.
"""

import os
import shutil
from collections import namedtuple

from story import BINARIES, ROOT, LabError, run

SOURCES = ("Makefile", "central", "poolmgr", "minidns", "workers", "schema")

# PROGRAM (a worker's kind), the FILE, and the one text that is REPLACED by another
Bug = namedtuple("Bug", "program file right wrong")

# the next BEGIN commits it: until then it is answered, and not written
ANSWERED_BEFORE_COMMIT = Bug(
    "central", "workers/runtime/db.c",
    "if (!err)\n\t\terr = db_query(db, sql, strlen(sql), why);\n\tif (err)\n\t\tdb_rollback(db);",
    "if (!err)\n\t\terr = sql[0] ? OK : ERR_RACE;\n\tif (err)\n\t\tdb_rollback(db);")

# what came last is true, however old it is
NO_COMPARISON_OF_REPORTS = Bug(
    "poolmgr", "poolmgr/store_rows.h",
    '"BETWEEN 1 AND 2147483647"', '"BETWEEN -4294967296 AND 4294967296"')

# a change is settled by whatever was heard of its domain
NO_COMPARISON_OF_SERIALS = Bug(
    "central", "central/store_state.c",
    '"& 4294967295) BETWEEN 0 AND 2147483647)"', '"& 4294967295) BETWEEN 0 AND 4294967295)"')

# who was taken over while he slept writes all the same
NO_FENCE = Bug(
    "poolmgr", "workers/consistency/store_lock.c",
    'tx_fail(tx, ERR_BUSY, "another process has the lock of %s", lock->object);', "{ }")


def plant(tree, bug):
    path = tree / bug.file
    text = path.read_text()
    if text.count(bug.right) != 1:
        raise LabError(f"{bug.file} has {text.count(bug.right)} times: {bug.right}")
    path.write_text(text.replace(bug.right, bug.wrong))


def copy(tree):
    """With the times of the files: what is not touched is not compiled again."""
    for source in SOURCES:
        take = shutil.copytree if (ROOT / source).is_dir() else shutil.copy2
        take(ROOT / source, tree / source)
    leave = shutil.ignore_patterns("bench", "drivers", "fuzz", "test", "unit")
    shutil.copytree(BINARIES.parent, tree / BINARIES.parent.name, ignore=leave)


def build(folder, bug):
    """The folder of the programs, of which the bug's PROGRAM has it."""
    folder.mkdir()
    copy(folder)
    plant(folder, bug)
    made = BINARIES.parent.name
    run(["make", "-s", "-C", folder, f"BUILD={made}", f"{made}/bin/zonefleet-{bug.program}"],
        env=dict(os.environ), seconds=300)
    return folder / made / "bin"
