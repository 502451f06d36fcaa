"""idle.py PORT COUNT: dials so often, a hundred at once, and hears each one's greeting; says nothing. Prints "dialled" and
holds on to all until its input ends; a minute bounds a failure."""

import socket
import sys

AT_ONCE = 100  # as many as may wait to be accepted
port, count = map(int, sys.argv[1:])
held = []
while len(held) < count:
    burst = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(min(AT_ONCE, count - len(held)))]
    for one in burst:
        try:
            one.recv(1)
        except ConnectionResetError:
            pass  # it was accepted, and has had to go already
    held += burst
print("dialled", flush=True)
sys.stdin.read()
