"""dhcp.py INTERFACE MAC: asks for an address, and prints the options of the offer as JSON.

A client without an address talks in whole frames (RFC 2131): DISCOVER to everybody, and
the offer comes to everybody, for it says so. Prints null if none comes.
"""

import json
import secrets
import socket
import struct
import sys
import time

SECONDS = 5
BROADCAST = b"\xff" * 6
ETHERTYPE_IP, PROTOCOL_UDP = 0x0800, 17
SERVER, CLIENT = 67, 68
COOKIE = b"\x63\x82\x53\x63"
END, PAD = 255, 0
MESSAGE_TYPE, PARAMETERS, ADDRESS = 53, 55, 0
DISCOVER, OFFER = 1, 2
HOST_NAME, DOMAIN_NAME = 12, 15


def checksum(octets):
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def frame(mac, payload):
    """PAYLOAD from nobody to everybody, by UDP; without a checksum of it, which is allowed."""
    udp = struct.pack(">HHHH", CLIENT, SERVER, 8 + len(payload), 0) + payload
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, PROTOCOL_UDP, 0,
                       bytes(4), b"\xff" * 4)
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    return BROADCAST + mac + struct.pack(">H", ETHERTYPE_IP) + head + udp


def discover(mac, transaction):
    fixed = struct.pack(">BBBB4sHH16s16s64s128s", 1, 1, 6, 0, transaction, 0, 0x8000,
                        bytes(16), mac + bytes(10), bytes(64), bytes(128))
    options = bytes([MESSAGE_TYPE, 1, DISCOVER, PARAMETERS, 3, 1, HOST_NAME, DOMAIN_NAME, END])
    return fixed + COOKIE + options


def payload_of(octets):
    """What the frame has by UDP for a client; None if it is another."""
    head = (octets[14] & 15) * 4 if len(octets) > 14 else 0
    if len(octets) < 14 + head + 8 or octets[12:14] != b"\x08\x00" or octets[23] != PROTOCOL_UDP:
        return None
    udp = octets[14 + head:]
    _, port, length, _ = struct.unpack(">HHHH", udp[:8])
    return udp[8:length] if port == CLIENT else None


def options_of(payload):
    """{option: octets}; the address that is offered is that of 0."""
    found, at = {ADDRESS: payload[16:20]}, 240
    while at < len(payload) and payload[at] != END:
        if payload[at] == PAD:
            at += 1
            continue
        length = payload[at + 1]
        found[payload[at]] = payload[at + 2:at + 2 + length]
        at += 2 + length
    return found


def offer(interface, mac):
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE_IP))
    link.bind((interface, 0))
    transaction = secrets.token_bytes(4)
    link.send(frame(mac, discover(mac, transaction)))
    deadline = time.monotonic() + SECONDS
    while (left := deadline - time.monotonic()) > 0:
        link.settimeout(left)
        try:
            payload = payload_of(link.recv(65536))
        except TimeoutError:
            return None
        if payload and payload[4:8] == transaction:
            options = options_of(payload)
            if options.get(MESSAGE_TYPE) == bytes([OFFER]):
                return options
    return None


if __name__ == "__main__":
    found = offer(sys.argv[1], bytes.fromhex(sys.argv[2].replace(":", "")))
    print(json.dumps(found and {option: value.hex() for option, value in found.items()}))
