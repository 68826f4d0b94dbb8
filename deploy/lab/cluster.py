"""Several servers that are one to their clients, each on a loopback address of its own."""

from pathlib import Path

from .process import LabError

SAMPLES = Path(__file__).resolve().parents[1] / "examples" / "cluster"


class Cluster:
    """.nodes; to whoever starts and stops it, it is a Server.

    The first node makes the cluster, the others join it. Each is known by its ADDRESS.
    """

    addresses = ()
    nodes = ()

    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name

    @classmethod
    def start(cls, folder, **options):
        cluster = cls(folder, **options)
        cluster.launch()
        cluster.wait_ready()
        return cluster

    def launch(self):
        self.nodes[0].launch()

    def wait_ready(self):
        try:
            self._join()
        except BaseException:
            self.kill9()
            raise

    def _join(self):
        """One after another: those that join at once get into each other's way."""
        first, *others = self.nodes
        first.wait_ready()
        for node in others:
            node.launch()
            node.wait_ready()

    def release(self):
        self.stop()

    def stop(self):
        """All of them, the first one last; then tells which did not end in good order."""
        errors = []
        for node in reversed(self.nodes):
            try:
                node.stop()
            except LabError as error:
                errors.append(str(error))
        if errors:
            raise LabError("\n".join(errors))

    def kill9(self):
        for node in reversed(self.nodes):
            node.kill9()

    @classmethod
    def others(cls, address):
        return [other for other in cls.addresses if other != address]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
