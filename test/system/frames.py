"""Throws garbage at every service of a running federation: random frames, truncated headers and bodies, a newer
protocol, a wrong store, raw bytes where a greeting belongs. Each service must go on answering Status; a newer peer
must be told so. Exit 1 with a sentence when not."""

import json
import random
import socket
import subprocess
import sys

import zmq

SEED = 20261201
STATUS_BAD_REQUEST, STATUS_UNKNOWN_METHOD, STATUS_WRONG_STORE, STATUS_WRONG_PROTOCOL = 1, 2, 3, 7


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def header(service=b"Service", method=b"Status", protocol=1, call=7, store=b"", extra=b""):
    out = field(1, protocol) + field(2, service) + field(3, method) + field(4, call) + field(5, b"mallory")
    return out + (field(7, store) if store else b"") + extra


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def status_of(reply):
    at = 0
    while at < len(reply):
        key, at = read_varint(reply, at)
        if key & 7 == 0:
            value, at = read_varint(reply, at)
            if key >> 3 == 3:
                return value
        elif key & 7 == 2:
            size, at = read_varint(reply, at)
            at += size
        else:
            sys.exit(f"a reply header with wire type {key & 7}")
    return 0


def ask(context, endpoint, frames):
    """The status of the answer; None when there is none within two seconds."""
    dealer = context.socket(zmq.DEALER)
    dealer.linger = 0
    dealer.connect(endpoint)
    dealer.send_multipart([b""] + frames)
    answered = dealer.poll(2000)
    reply = dealer.recv_multipart() if answered else None
    dealer.close()
    return status_of(reply[1]) if reply else None


def expect(context, name, endpoint, what, frames, wanted):
    got = ask(context, endpoint, frames)
    if got not in wanted:
        sys.exit(f"{name}: {what}: status {got}, not one of {wanted}")


def main():
    random.seed(SEED)
    snapshot = json.loads(subprocess.run(["musubi", "--json", "call", "gis", "Snapshot", "{}"],
                                         check=True, capture_output=True, text=True).stdout)
    context = zmq.Context()
    services = [(entry["name"], entry["endpoint"]) for entry in snapshot["entries"]]
    assert len(services) >= 4, services
    for name, endpoint in services:
        expect(context, name, endpoint, "status", [header(), b""], [0])
        expect(context, name, endpoint, "a newer peer", [header(protocol=2), b""], [STATUS_WRONG_PROTOCOL])
        expect(context, name, endpoint, "another store", [header(store=b"x" * 16), b""], [STATUS_WRONG_STORE])
        expect(context, name, endpoint, "a store id of five bytes", [header(store=b"short"), b""],
               [STATUS_BAD_REQUEST, STATUS_WRONG_STORE])
        expect(context, name, endpoint, "an unknown method", [header(method=b"Nothing"), b""], [STATUS_UNKNOWN_METHOD])
        expect(context, name, endpoint, "fields of the future", [header(extra=field(900, b"new")), field(901, 5)], [0])
        expect(context, name, endpoint, "a body cut short", [header(b"Participant", b"Hold"), b"\x0a\xff\x01\x02"],
               [STATUS_BAD_REQUEST, STATUS_UNKNOWN_METHOD])
        whole = header()
        for end in range(len(whole)):
            ask_only(context, endpoint, [b"", whole[:end], b""])
        for _ in range(300):
            frames = [random.randbytes(random.choice([0, 1, 5, 40, 700])) for _ in range(random.randint(1, 5))]
            ask_only(context, endpoint, frames)
        ask_only(context, endpoint, [b"", header(b"Participant", b"Hold"), random.randbytes(3 << 20)])
        for size in (1, 64, 5000):
            raw_bytes(endpoint, random.randbytes(size))
        expect(context, name, endpoint, "status after all that", [header(), b""], [0])
    context.destroy(linger=0)


def ask_only(context, endpoint, frames):
    dealer = context.socket(zmq.DEALER)
    dealer.linger = 100
    dealer.connect(endpoint)
    dealer.send_multipart(frames)
    dealer.close()


def raw_bytes(endpoint, data):
    if not endpoint.startswith("tcp://127.0.0.1:"):
        return
    with socket.create_connection(("127.0.0.1", int(endpoint.rsplit(":", 1)[1])), timeout=2) as connection:
        try:
            connection.sendall(data)
        except ConnectionError:
            pass  # it hung up on us, as it may


if __name__ == "__main__":
    main()
