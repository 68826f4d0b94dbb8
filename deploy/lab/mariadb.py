"""A private MariaDB with a database and a user `zonefleet`."""

import os
import pwd
import secrets

from .process import LabError, Server, free_port, program, run

NAME = "zonefleet"      # of the database and of the user

# reliability before speed, as in production; the sizes fit a test
SETTINGS = (
    "--innodb-flush-log-at-trx-commit=1",
    "--innodb-buffer-pool-size=256M",
    "--innodb-log-file-size=256M",
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

    def __init__(self, folder, settings=(), **options):
        """SETTINGS are further options of mariadbd: "--max-connections=20"."""
        super().__init__(folder, **options)
        self.port = free_port()
        self.user = self.database = NAME
        self.password = secrets.token_hex(12)
        self.settings = [*SETTINGS, *settings]
        self.socket = self.socket_path("socket")
        self.administrator = pwd.getpwuid(os.geteuid()).pw_name
        self.data = self.make_folder("data")
        # of its own: temporary tables are named after the pid, which others may have elsewhere
        self.temporary = self.make_folder("tmp")
        self.accounts = self.write("accounts.sql", ACCOUNT.format(
            name=NAME, host=self.host, password=self.password))

    def launch(self):
        if not any(self.data.iterdir()):
            self._install()
        super().launch()

    def _install(self):
        run([program("mariadb-install-db"), "--no-defaults",
             f"--user={self.administrator}", f"--datadir={self.data}",
             f"--tmpdir={self.temporary}",
             "--skip-test-db", "--skip-name-resolve",
             "--auth-root-authentication-method=socket",
             f"--auth-root-socket-user={self.administrator}",
             "--innodb-log-file-size=256M", "--innodb-flush-log-at-trx-commit=0"],
            env=self.environment(), seconds=60)

    def command(self):
        return [program("mariadbd"), "--no-defaults", f"--user={self.administrator}",
                f"--datadir={self.data}", f"--tmpdir={self.temporary}",
                f"--socket={self.socket}",
                f"--port={self.port}", f"--bind-address={self.host}",
                f"--pid-file={self.folder / 'mariadbd.pid'}",
                f"--init-file={self.accounts}", *self.settings]

    def is_ready(self):
        try:
            return self.sql("SELECT 1") == [["1"]]
        except LabError:
            return False

    def sql(self, text, administrator=False, seconds=30):
        """Runs statements; returns all their rows, lists of texts ("NULL" for null)."""
        env = self.environment()
        account = [f"--socket={self.socket}", f"--user={self.administrator}"]
        if not administrator:
            env["MYSQL_PWD"] = self.password
            account = [f"--host={self.host}", f"--port={self.port}",
                       f"--user={self.user}"]
        out = run([program("mariadb"), "--no-defaults", *account, "--connect-timeout=5",
                   "--batch", "--skip-column-names", self.database], env=env, text=text,
                  seconds=seconds)
        return [line.split("\t") for line in out.splitlines()]
