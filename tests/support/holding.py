"""A transaction that holds what it locked, for as long as a story wants."""

import contextlib
import subprocess

from lab.process import program


@contextlib.contextmanager
def holding(database, statement):
    """A session of DATABASE has run STATEMENT in a transaction, which does not end.

    Yields a function that runs another one there.
    """
    client = subprocess.Popen(
        [program("mariadb"), "--no-defaults", f"--host={database.host}",
         f"--port={database.port}", f"--user={database.user}",
         f"--password={database.password}", "--unbuffered", "--skip-column-names",
         database.database],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do(statement):
        client.stdin.write(f"{statement}; SELECT 'held';\n")
        client.stdin.flush()
        while client.stdout.readline().strip() != "held":
            pass
    try:
        do(f"START TRANSACTION; {statement}")
        yield do
    finally:
        client.kill()
        client.communicate()
