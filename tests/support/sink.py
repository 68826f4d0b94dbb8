"""A private designate-sink (Debian's python3-designate), which hears Neutron and tells nobody.

Its handler for Neutron's floating IPs has no zone, and so nothing to say to designate-central;
the other one, which is for tests, writes a line to the log for each event that it is given.
"""

import re
from collections import Counter

import amqp
import kombu
from lab.process import Server
from neutron import packaged

QUEUE = "notifications.info"        # oslo.messaging's name for it, where no pool has one
NO_ZONE = "zone_id is None, ignore the event"

CONFIG = """\
[DEFAULT]
transport_url = {broker}
state_path = {folder}
[service:sink]
workers = 1
enabled_notification_handlers = fake, neutron_floatingip
[handler:fake]
control_exchange = neutron
allowed_event_types = {events}
[heartbeat_emitter]
emitter_type = noop
[oslo_concurrency]
lock_path = {folder}
"""


class Sink(Server):

    queue = QUEUE
    start_seconds = 120
    stop_seconds = 60

    def __init__(self, folder, rabbitmq, events, **options):
        """EVENTS: the types that it is told to take."""
        super().__init__(folder, **options)
        self.url = rabbitmq.url.replace("rabbit:", "pyamqp:", 1)
        self.config = self.write("designate.conf", CONFIG.format(
            folder=self.folder, broker=rabbitmq.url, events=", ".join(events)))

    def command(self):
        return packaged("designate-sink", "designate.cmd.sink", "--config-file", self.config)

    def is_ready(self):
        with kombu.Connection(self.url) as link:
            try:
                return link.channel().queue_declare(QUEUE, passive=True).consumer_count
            except amqp.NotFound:
                return False

    def taken(self):
        """How many of each type of event it was given."""
        return Counter(re.findall(r"received notification - ([a-z.]+)", self.log.read_text()))

    def without_zone(self):
        """How many of them its handler of floating IPs was given, too."""
        return self.log.read_text().count(NO_ZONE)
