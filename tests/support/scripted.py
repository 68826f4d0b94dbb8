"""An HTTP server that says what a test tells it to, and what no HTTP client should like."""

import contextlib
import socket
import threading
import time

ANSWER_MAX = 100000     # the bound that the tests set
TOO_LARGE = "^too_large: .*answer_max .100000 bytes"


def reply(body, status="200 OK", *headers):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close",
             *headers]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


def endless(first):
    def chunks():
        yield first
        while True:
            yield b"x" * 65536
    return chunks


def drip():
    """Never silent for long."""
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n["
    while True:
        yield b" "
        time.sleep(0.1)


class Scripted:
    """A server that takes a request, whatever it is, and says what it was told to.

    An answer is bytes, or chunks of them for as long as somebody listens, or None: it
    waits for the end of the connection. The requests that came are kept.
    """

    def __init__(self, answer, tls=None):
        self.answer = answer
        self.tls = tls
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        port = self.listener.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
        self.thread = threading.Thread(target=self.serve)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()

    def serve(self):
        while True:
            try:
                link = self.listener.accept()[0]
            except OSError:
                return
            with contextlib.suppress(OSError), link:
                link.settimeout(10)
                if self.tls:
                    with self.tls.wrap_socket(link, server_side=True) as inside:
                        self.talk(inside)
                        inside.unwrap()
                else:
                    self.talk(link)

    def talk(self, link):
        request = b""
        while b"\r\n\r\n" not in request:
            part = link.recv(65536)
            if not part:
                return
            request += part
        self.requests.append(request.decode())
        if self.answer is None:
            link.recv(1)
            return
        for chunk in self.answer() if callable(self.answer) else [self.answer]:
            link.sendall(chunk)


# what is no answer, and the words for it, of a driver whose timeout is 2 s
NO_ANSWERS = {
    "nothing": (b"", "^unreachable: .*[Ee]mpty reply"),
    "noise": (bytes(range(256)), "^remote: .*HTTP/0.9"),
    "half": (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[", "^remote: "),
    "silence": (None, "^timeout: .*within 2000 ms"),
    "a drop at a time": (drip, "^timeout: .*within 2000 ms"),
    "too much": (endless(b"HTTP/1.1 200 OK\r\n\r\n"), TOO_LARGE),
    "much announced": (reply("").replace(b": 0", b": 100001"), TOO_LARGE),
    "an endless header": (endless(b"HTTP/1.1 200 OK\r\nX: "),
                          "^(too_large|unreachable|remote): "),
}
