"""A transaction that holds what it locked, for as long as a story wants."""

import contextlib
import subprocess

from lab.process import program


@contextlib.contextmanager
def holding(database, statement):
    """A session of DATABASE has run STATEMENT in a transaction, which does not end."""
    client = subprocess.Popen(
        [program("mariadb"), "--no-defaults", f"--host={database.host}",
         f"--port={database.port}", f"--user={database.user}",
         f"--password={database.password}", "--unbuffered", "--skip-column-names",
         database.database],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        client.stdin.write(f"START TRANSACTION; {statement}; SELECT 'held';\n")
        client.stdin.flush()
        while client.stdout.readline().strip() != "held":
            pass
        yield
    finally:
        client.kill()
        client.communicate()
