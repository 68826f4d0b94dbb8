"""A private MariaDB with a database and a user `zonefleet`."""

import os
import pwd
import secrets

from .process import HOST, LabError, Server, free_port, program, run
from .session import Sessions, SqlError

NAME = "zonefleet"      # of the database and of the user
TEMPLATE = "ZONEFLEET_MARIADB_TEMPLATE"     # a folder of data that was just installed
# "2" gives a commit to the kernel and not yet to the disk: what a killed process cannot lose
FLUSH = "ZONEFLEET_MARIADB_FLUSH"

DEADLOCK = 1213
OCTETS_A_SECOND = 200_000       # of statements, at least, on a busy machine

# reliability before speed, as in production; the sizes fit a test
SETTINGS = (
    "--innodb-buffer-pool-size=256M",
    "--max-allowed-packet=64M",
    "--character-set-server=utf8mb4",
    "--max-connections=500",
    "--skip-name-resolve",
)

# read at every start, so that each statement may be repeated
ACCOUNT = """\
CREATE DATABASE IF NOT EXISTS {name};
CREATE USER IF NOT EXISTS {name}@'{host}' IDENTIFIED BY '{password}';
GRANT ALL ON {name}.* TO {name}@'{host}';
"""


class MariaDb(Server):
    """.port, .user, .password, .database; whoever runs this program is administrator."""

    start_seconds = 60
    log_file_size = "96M"
    defaults = "--no-defaults"

    def __init__(self, folder, settings=(), password=None, **options):
        """SETTINGS are further options of mariadbd: "--max-connections=20"."""
        super().__init__(folder, **options)
        self.port = free_port()
        self.user = self.database = NAME
        self.password = password or secrets.token_hex(12)
        self.log_size = f"--innodb-log-file-size={self.log_file_size}"
        flush = f"--innodb-flush-log-at-trx-commit={os.environ.get(FLUSH, '1')}"
        self.settings = [*SETTINGS, flush, self.log_size, *settings]
        self.socket = self.socket_path("socket")
        self.administrator = pwd.getpwuid(os.geteuid()).pw_name
        self.data = self.make_folder("data")
        # of its own: temporary tables are named after the pid, which others may have elsewhere
        self.temporary = self.make_folder("tmp")
        self.accounts = self.write("accounts.sql", ACCOUNT.format(
            name=NAME, host=HOST, password=self.password))
        self.as_user = Sessions(host=self.host, port=self.port, user=self.user,
                                password=self.password)
        self.as_administrator = None    # a subclass may give another administrator

    @property
    def hosts(self):
        """What our programs are told, as database.host."""
        return f"{self.host}:{self.port}"

    def launch(self):
        if self.is_new():
            self.install()
        super().launch()

    def is_new(self):
        return not any(self.data.iterdir())

    def wrapped(self, argv):
        """A subclass's way to start mariadbd."""
        return argv

    def install(self):
        """Into the empty folder of data; a copy of one that is there is made faster."""
        template = os.environ.get(TEMPLATE)
        if template and self.log_file_size == MariaDb.log_file_size:
            run(["cp", "-a", f"{template}/.", self.data])
            return
        run(self.wrapped([
            program("mariadb-install-db"), "--no-defaults", f"--user={self.administrator}",
            f"--datadir={self.data}", f"--tmpdir={self.temporary}",
            "--skip-test-db", "--skip-name-resolve",
            "--auth-root-authentication-method=socket",
            f"--auth-root-socket-user={self.administrator}", self.log_size,
            "--innodb-flush-log-at-trx-commit=0"]), env=self.environment(), seconds=60)
        # a copy takes a fifth of the time
        run(["fallocate", "--dig-holes", self.data / "ib_logfile0"])

    def command(self):
        return self.wrapped([
            program("mariadbd"), self.defaults, f"--user={self.administrator}",
            f"--datadir={self.data}", f"--tmpdir={self.temporary}",
            f"--socket={self.socket}", f"--port={self.port}", f"--bind-address={self.host}",
            f"--pid-file={self.folder / 'mariadbd.pid'}", *self.starting_sql(),
            *self.settings])

    def starting_sql(self):
        return [f"--init-file={self.accounts}"]

    def is_ready(self):
        try:
            return self.sql("SELECT 1") == [["1"]]
        except LabError:
            return False

    def sql(self, text, administrator=False, seconds=30):
        """Runs statements; returns all their rows, lists of texts ("NULL" for null).

        The limit is longer for a long text: a busy machine takes a minute for 100 000 rows. A
        single statement that loses a deadlock against our programs runs again.
        """
        sessions = self._administrators() if administrator else self.as_user
        seconds += len(text) // OCTETS_A_SECOND
        for is_last in (False, False, True):
            try:
                return sessions.run(text, self.database, seconds)
            except SqlError as error:
                if is_last or error.code != DEADLOCK or ";" in text:
                    raise LabError(f"{self.name}: {error}") from None

    def _administrators(self):
        if not self.as_administrator:
            self.as_administrator = Sessions(unix_socket=str(self.socket),
                                             user=self.administrator)
        return self.as_administrator
