"""pages.py fill ENDPOINT COUNT: announces so many made-up sites to a directory.

pages.py between ENDPOINT slow|cut: stands between clients and a directory, and says where on its output. Of each client it
hands on the first request at once, and the later ones, which ask for further pages, only a second later, or never."""

import sys
import time

import zmq
from frames import field, header, status_of

LEASE_MS = 600_000


def announcement(number):
    name = b"lis/n%05d" % number
    node_class = field(1, b"thin") + field(2, 4) + field(3, 1)
    site = field(1, node_class) + field(4, 86_400_000)
    entry = (field(1, name) + field(3, b"%016d" % number) + field(4, 1) + field(5, b"tcp://127.0.0.1:1") +
             field(6, b"tcp://127.0.0.1:2") + field(7, site))
    return field(1, entry) + field(2, LEASE_MS) + field(3, int(time.time() * 1000))


def fill(endpoint, count):
    dealer = zmq.Context().socket(zmq.DEALER)
    dealer.connect(endpoint)
    for number in range(count):
        dealer.send_multipart([b"", header(b"Gis", b"Announce"), announcement(number)])
        if not dealer.poll(60_000):
            sys.exit("the directory does not answer")
        status = status_of(reply := dealer.recv_multipart()[1])
        if status:
            sys.exit(f"status {status}: {reply}")


def between(endpoint, later):
    context = zmq.Context()
    router = context.socket(zmq.ROUTER)
    port = router.bind_to_random_port("tcp://127.0.0.1")
    print(f"ready endpoint=tcp://127.0.0.1:{port}", flush=True)
    known = {}  # by client, who asks for it
    while True:
        client, *frames = router.recv_multipart()
        if client in known and later == "cut":
            continue
        if client in known:
            time.sleep(1)
        else:
            known[client] = context.socket(zmq.DEALER)
            known[client].connect(endpoint)
        known[client].send_multipart(frames)
        router.send_multipart([client] + known[client].recv_multipart())


if __name__ == "__main__":
    if sys.argv[1] == "fill":
        fill(sys.argv[2], int(sys.argv[3]))
    else:
        between(sys.argv[2], sys.argv[3])
