"""SQL to a MariaDB, over connections that stay open between statements.

A new connection by the `mariadb` program costs 20 ms of processor time, and a story asks hundreds
of times.
"""

import contextlib
import re

import pymysql

CONNECT_SECONDS = 5
# a statement: up to a semicolon outside of quotes and comments
STATEMENT = re.compile(
    r"""(?:'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+"|`[^`]*+`|"""
    r"""--\s[^\n]*+|[^;'"`-]++|-)++""", re.S)
COMMENT = re.compile(r"--\s[^\n]*")
# it changes nothing in its session: no lock, no variable, no transaction
PLAIN = re.compile(r"\s*(SELECT|SHOW|INSERT|UPDATE|DELETE|REPLACE)\b", re.I)


class SqlError(Exception):
    """.code is the server's number of the error, 0 if the server did not answer."""

    def __init__(self, error):
        code, words = (*error.args, None, None)[:2]
        self.code = code if isinstance(code, int) else 0
        super().__init__(f"ERROR {self.code}: {words or repr(error)}")


class Sessions:
    """The connections of one account. Threads may share it: each gets a connection of its own."""

    def __init__(self, **account):
        """ACCOUNT is what pymysql.connect() takes: host, port or unix_socket, user, password."""
        self.account = account
        self.idle = {}          # {(database, seconds): [connection]}

    def run(self, text, database, seconds):
        """Runs statements; returns all their rows, lists of texts ("NULL" for null).

        Each answer has so many seconds. Only a connection that ran a plain statement is used
        again. Raises SqlError.
        """
        connection = None
        statements = [each for each in STATEMENT.findall(text) if COMMENT.sub("", each).strip()]
        try:
            connection = self._idle(database, seconds) or self._connect(database, seconds)
            rows = [row for each in statements for row in _rows(connection, each)]
        except (pymysql.Error, OSError) as error:
            _close(connection)
            raise SqlError(error) from None
        except BaseException:
            _close(connection)
            raise
        if len(statements) == 1 and PLAIN.match(text):
            self.idle.setdefault((database, seconds), []).append(connection)
        else:
            _close(connection)
        return rows

    def _idle(self, database, seconds):
        """A connection that still answers, or None."""
        idle = self.idle.get((database, seconds))
        while idle:
            connection = idle.pop()
            try:
                connection.ping(reconnect=False)
                return connection
            except (pymysql.Error, OSError):
                _close(connection)
        return None

    def _connect(self, database, seconds):
        return pymysql.connect(
            **self.account, database=database, charset="utf8mb4", autocommit=True, conv={},
            connect_timeout=CONNECT_SECONDS,
            read_timeout=seconds, write_timeout=seconds)


def _close(connection):
    with contextlib.suppress(AttributeError, pymysql.Error, OSError):
        connection.close()


def _rows(connection, statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return [[_text(value) for value in row] for row in cursor.fetchall()]


def _text(value):
    if value is None:
        return "NULL"
    return value.decode(errors="surrogateescape") if isinstance(value, bytes) else str(value)
