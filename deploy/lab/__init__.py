"""Private servers on loopback, for the demo and the integration tests.

    from lab.mariadb import MariaDb
    with MariaDb.start(folder) as database:
        database.sql("SELECT 1")

Standard library only. process.Server is what all of them share.
"""
