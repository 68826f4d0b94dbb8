"""A name server over TCP that sends what a test tells it to."""

import contextlib
import socket
import struct
import threading
import time
from unittest import mock

import dns.flags
import dns.message
import dns.name
import dns.rdataclass
import dns.rdatatype
import dns.rrset
import dns.tsig
import dns.tsigkeyring
from dns.rdtypes.ANY.TSIG import TSIG

HOST = "127.0.0.1"


class Scripted:
    """A name server over TCP: SCRIPT(question, link) sends what it likes; then it ends.

    .most is how many links it had at a time, .links how many in all.
    """

    def __init__(self, script, name="scripted", host=HOST):
        self.script, self.id, self.host = script, name, host
        self.listener = socket.create_server((host, 0))
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.open = self.most = self.links = 0
        self.done = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                link, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.open += 1
                self.links += 1
                self.most = max(self.most, self.open)
            threading.Thread(target=self._serve, args=(link,), daemon=True).start()

    def _serve(self, link):
        with contextlib.suppress(OSError, EOFError), link:
            wire = receive(link, int.from_bytes(receive(link, 2), "big"))
            self.script(wire, link)
        with self.lock:
            self.open -= 1

    def stop(self):
        self.done.set()
        self.listener.close()


def receive(link, count):
    data = b""
    while len(data) < count:
        part = link.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def frame(message):
    return struct.pack(">H", len(message)) + message


def until_closed(link):
    """The other side has ended it."""
    with contextlib.suppress(OSError):
        while link.recv(4096):
            pass


def answers(question, rrs, per_message=200):
    """RRS, of (owner, ttl, type, text), as the messages of a transfer."""
    for at in range(0, len(rrs), per_message):
        answer = dns.message.make_response(question)
        answer.flags |= dns.flags.AA
        answer.question = [] if at else answer.question
        for owner, ttl, rtype, text in rrs[at:at + per_message]:
            answer.answer.append(dns.rrset.from_text(owner, ttl, "IN", rtype, text))
        yield answer


def sends(rrs):
    def script(wire, link):
        for answer in answers(dns.message.from_wire(wire), rrs):
            link.sendall(frame(answer.to_wire(max_size=65535)))
        until_closed(link)
    return script


def keyring(key):
    return dns.tsigkeyring.from_text({key.name: (key.algorithm + ".", key.secret)})


def signs(rrs, known, key, every=1, last=True, spoil=None, per_message=2):
    """Knows the question's key, KNOWN; signs one message in EVERY, with KEY, and the LAST
    one; changes number SPOIL."""
    def script(wire, link):
        question = dns.message.from_wire(wire, keyring=keyring(known))
        context = None
        messages = list(answers(question, rrs, per_message))
        for number, answer in enumerate(messages):
            if number == len(messages) - 1 and last or every and number % every == 0:
                answer.use_tsig(keyring(key), key.name, algorithm=key.algorithm + ".")
                answer.request_mac = question.mac
                data = answer.to_wire(multi=True, tsig_ctx=context)
                context = answer.tsig_ctx
            else:
                answer.tsig = None
                data = answer.to_wire()
                if context:
                    context.update(data)
            if number == spoil:
                data = data.replace(b"\xc0\0\2", b"\xc0\0\3")
            link.sendall(frame(data))
        until_closed(link)
    return script


def at_any_time():
    """Within it a message's signature is looked at, and its time is not."""
    validate = dns.tsig.validate

    def of_its_own(wire, key, owner, rdata, now, *rest, **more):
        return validate(wire, key, owner, rdata, rdata.time_signed, *rest, **more)
    return mock.patch.object(dns.tsig, "validate", of_its_own)


def signed(answer, key, request_mac, error=0, other=b"", mac_len=None, when=None):
    """The octets of ANSWER under KEY, or what is left of it: a MAC of so many octets."""
    answer.tsig = None
    wire = answer.to_wire()
    algorithm = dns.name.from_text(key.algorithm)
    record = TSIG(dns.rdataclass.ANY, dns.rdatatype.TSIG, algorithm, 0, 300, b"", answer.id,
                  error, other)
    record, _ = dns.tsig.sign(wire, dns.tsig.Key(key.name, key.secret, algorithm), record,
                              int(when or time.time()), request_mac)
    if mac_len is not None:
        record = record.replace(mac=record.mac[:mac_len])
    rdata = record.to_wire()
    return (wire[:10] + struct.pack(">H", 1 + int.from_bytes(wire[10:12], "big")) + wire[12:]
            + dns.name.from_text(key.name).to_wire()
            + struct.pack(">HHIH", dns.rdatatype.TSIG, dns.rdataclass.ANY, 0, len(rdata)) + rdata)
