"""An account of its own for each program, with the rights that the samples in deploy/ give."""

import re
import secrets
import shlex
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[1]
BROKER_USERS = "broker-users.sample"
DATABASE_USERS = "database-users.sql.sample"
COMMAND = re.compile(r"^rabbitmqctl (.+)$", re.M)


class Accounts:
    """.password is the password of them all; .url_of("producer")."""

    def __init__(self, rabbitmq, mariadb, password=None):
        self.rabbitmq, self.mariadb = rabbitmq, mariadb
        self.password = password or secrets.token_hex(12)

    def make(self):
        """In the running servers. The schema must be there."""
        self.mariadb.sql(self._sample(DATABASE_USERS), administrator=True)
        commands = COMMAND.findall(self._sample(BROKER_USERS))
        self.rabbitmq.account(*map(shlex.split, commands))

    def settings_of(self, kind):
        """The settings by which a program ("central") uses its accounts."""
        return {"broker": {"url": self.url_of(f"zonefleet-{kind}")},
                "database": {"user": f"zonefleet_{kind}", "password": self.password}}

    def url_of(self, user):
        place = self.rabbitmq.url.partition("@")[2]
        return f"rabbit://{user}:{self.password}@{place}"

    def _sample(self, name):
        return (SAMPLES / name).read_text().replace("change-me", self.password)
