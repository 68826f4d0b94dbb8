"""A relay before a name server that sees each message over TCP, and may change or cut it."""

from scripted_dns import frame, receive
from tcp_relay import TcpRelay


class Cut(EOFError):
    """Raised by a hook: the connection ends here."""


class FramesRelay(TcpRelay):
    """.port; on_question(message) and on_answer(message) return what goes on instead."""

    def __init__(self, target):
        self.let_pass()
        super().__init__(target)

    def let_pass(self):
        self.on_question = self.on_answer = lambda message: message

    def pump(self, source, to, is_question, _link):
        while True:
            message = read_frame(source)
            message = (self.on_question if is_question else self.on_answer)(message)
            if message is not None:
                to.sendall(frame(message))


def read_frame(source):
    return receive(source, int.from_bytes(receive(source, 2), "big"))


def is_update(message):
    return message[2] >> 3 & 15 == 5 and not message[2] & 0x80
