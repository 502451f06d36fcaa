"""Traffic for shaping.t.

    shaping.py sink PORT LOG          takes connections and notes, ten times a second: seconds, bytes so far
    shaping.py source ADDRESS PORT    sends for ever, again after each end
    shaping.py file ADDRESS PORT SIZE  sends so many bytes and prints how many Mbit/s of whole frames that took
    shaping.py circuit DEVICE MBPS FROM UNTIL  waits for the class of that rate there, and prints at how many Mbit/s its bytes from
                                       one number of them to the other have passed
    shaping.py idle MBPS SECONDS      prints how many looks over these seconds found nothing queued for the classes of that rate here, if any
    shaping.py rate LOG SECONDS       prints the Mbit/s of whole frames over the coming seconds

A frame of 1,514 bytes has 1,448 of these bytes.
"""
import os, re, select, socket, struct, subprocess, sys, time

FRAME = 1514 / 1448
RECEIVED_AT = 128  # of tcpi_bytes_received in the kernel's struct tcp_info


def received(one):
    """Bytes that have come, by the kernel: also those that this process had no time to read yet."""
    return struct.unpack_from("=Q", one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192), RECEIVED_AT)[0]


def sink(port, log):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("0.0.0.0", port))
    listener.listen(16)
    taken, ended, told = [listener], 0, 0
    with open(log, "w", buffering=1) as file:
        print("ready", flush=True)
        while True:
            for one in select.select(taken, [], [], 0.1)[0]:
                if one is listener:
                    taken.append(listener.accept()[0])
                    continue
                try:
                    got = len(one.recv(262144))
                except OSError:
                    got = 0
                if got == 0:
                    ended += received(one)
                    taken.remove(one)
                    one.close()
            if time.monotonic() - told >= 0.1:
                told = time.monotonic()
                print(f"{told:.3f} {ended + sum(map(received, taken[1:]))}", file=file)


def source(address, port):
    print("ready", flush=True)
    while True:
        try:
            with socket.create_connection((address, port), timeout=10) as one:
                while True:
                    one.sendall(bytes(65536))
        except OSError:
            time.sleep(0.1)


def send_file(address, port, size):
    """Until the other side has all: it closes only then."""
    began = time.monotonic()
    with socket.create_connection((address, port)) as one:
        one.sendall(bytes(size))
        one.shutdown(socket.SHUT_WR)
        one.recv(1)
    print(f"{size * 8 * FRAME / (time.monotonic() - began) / 1e6:.1f}")


def last(log):
    seconds, total = open(log).read().rsplit("\n", 2)[-2].split()
    return float(seconds), int(total)


def rate(log, seconds):
    from_seconds, from_total = last(log)
    time.sleep(seconds)
    until_seconds, until_total = last(log)
    print(f"{(until_total - from_total) * 8 * FRAME / (until_seconds - from_seconds) / 1e6:.1f}")


def classes(device, mbps):
    """(whole frames that have passed, and what is queued, both in bytes) of each class of that rate."""
    told = subprocess.run(["tc", "-s", "class", "show", "dev", device], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.findall(f" rate {mbps}Mbit ceil {mbps}Mbit .*\n Sent (\\d+) bytes .*\n backlog (\\w+)b ", told)
    return [(int(sent), queued) for sent, queued in found]


def passed(device, mbps):
    return sum(sent for sent, queued in classes(device, mbps))


def idle(mbps, seconds):
    until = time.monotonic() + seconds
    found = 0
    while time.monotonic() < until:
        found += all(queued == "0" for device in os.listdir("/sys/class/net") for sent, queued in classes(device, mbps))
        time.sleep(0.02)
    if found:
        print(found)


def circuit(device, mbps, first, last):
    bound = time.monotonic() + 300
    marks = []
    for wanted in first, last:
        while (got := passed(device, mbps)) < wanted:
            if time.monotonic() > bound:
                sys.exit(f"{got} of {wanted} bytes have passed in 300 s")
            time.sleep(0.02)
        marks.append((time.monotonic(), got))
    (began, from_bytes), (ended, until_bytes) = marks
    print(f"{(until_bytes - from_bytes) * 8 / (ended - began) / 1e6:.1f}")


verb, *rest = sys.argv[1:]
{"sink": lambda: sink(int(rest[0]), rest[1]), "source": lambda: source(rest[0], int(rest[1])),
 "file": lambda: send_file(rest[0], int(rest[1]), int(rest[2])),
 "circuit": lambda: circuit(rest[0], *map(int, rest[1:])), "idle": lambda: idle(int(rest[0]), float(rest[1])),
 "rate": lambda: rate(rest[0], float(rest[1]))}[verb]()
