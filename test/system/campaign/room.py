"""Where the campaign's services live, and what can be done to them: a network namespace, a clock and a disk each.

In a private room (namespaces of network, mounts and processes, see campaign.t) every member has an address of its own on
a bridge, and can be cut off; two members have their stores on small disks. Elsewhere all are on loopback, nobody is cut
off, and those two have a small store/bytes. Where libfaketime is, every member reads an offset of its wall clock from a
file. Knows nothing of seeds and clients.
"""

import os
import re
import signal
import socket
import subprocess
import threading
import time

FAKETIME = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/faketime/libfaketime.so.1",
]
NET = "10.77.0."
PATIENCE_S = 60  # for what must come: a service that serves, a link that is made

# 64 nodes at six sites in two domains, which meet at two exchange points.
SITES = {"w1": 8, "w2": 8, "w3": 16, "e1": 8, "e2": 8, "e3": 16}
DOMAINS = {"W": ["w1", "w2", "w3"], "E": ["e1", "e2", "e3"]}
DIRECTORIES = ["g1", "g2"]
DISKS = ["lis/w3", "nis/E"]  # whose disks can be filled


def links():
    """Every link by the name users know: (end, end, Mbit/s)."""
    made = {}
    for domain, sites in DOMAINS.items():
        for i, one in enumerate(sites):
            for other in sites[i + 1 :]:
                made[f"{domain}/{one}-{other}"] = (one, other, 5000)
            for point in ("X1", "X2"):
                made[f"{domain}/{one}-{point}"] = (one, point, 3000)
    return made


def description():
    text = f'name = campaign\ndirectories = "{", ".join(DIRECTORIES)}"\nsites\n'
    for site, nodes in SITES.items():
        text += f"    {site}\n        classes\n            node\n                nodes = {nodes}\n"
        text += '        accounts\n            everybody = "*"\n'
    text += "domains\n"
    for domain, sites in DOMAINS.items():
        text += f'    {domain}\n        sites = "{", ".join(sites)}"\n        exchanges = "X1, X2"\n'
        text += '        accounts\n            everybody = "*"\n        links\n'
        for name, (one, other, mbps) in links().items():
            if name.startswith(domain + "/"):
                text += f"            {name.split('/')[1]}\n"
                text += f'                between = "{one}, {other}"\n                mbps = {mbps}\n'
    return text


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def free_ports(count):
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


class Member:
    """One service, started as often as needed."""

    def __init__(self, room, name, number):
        self.room = room
        self.name = name
        self.host = name.replace("/", "-").lower()
        self.kind = name.split("/")[0]
        self.address = NET + str(number + 2)
        self.veth = f"m{number}"
        self.holder = None  # a process that keeps the network namespace
        self.process = None
        self.wanted = True  # False while it is dead on purpose
        self.starts = 0
        self.lock = threading.RLock()
        self.clock = f"{room.folder}/clock/{self.host}"
        self.ready = f"{room.folder}/log/{self.host}.ready"
        self.log = f"{room.folder}/log/{self.host}.log"
        if room.private:
            self.ports, self.endpoint = (5600, 5601), f"tcp://{self.host}:5600"
        else:
            self.ports = free_ports(2)
            self.endpoint = f"tcp://127.0.0.1:{self.ports[0]}"

    def make_network(self):
        self.holder = subprocess.Popen(["unshare", "--net", "cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        own = os.readlink("/proc/self/ns/net")
        until = time.monotonic() + PATIENCE_S
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == own and time.monotonic() < until:
            time.sleep(0.005)
        run("ip", "link", "add", self.veth, "type", "veth", "peer", "name", "eth0", "netns", str(self.holder.pid))
        run("ip", "link", "set", self.veth, "master", "campaign", "up")
        self.inside("ip", "address", "add", self.address + "/24", "dev", "eth0")
        self.inside("ip", "link", "set", "eth0", "up")
        self.inside("ip", "link", "set", "lo", "up")

    def inside(self, *command):
        return run(*self.entering(), *command)

    def entering(self):
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"] if self.holder else []

    def command(self):
        host = self.host if self.room.private else "127.0.0.1"
        bound = "*" if self.room.private else "127.0.0.1"
        file = "planner" if self.kind == "planner" else self.host
        settings = {
            "gis": ",".join(g.endpoint for g in self.room.directories() if g is not self),
            "bind/host": host,
            "bind/endpoint": f"tcp://{bound}:{self.ports[0]}",
            "bind/events": f"tcp://{bound}:{self.ports[1]}",
        }
        if self.kind == "planner":
            settings["finish/interval"] = "5s"
        if self.name in DISKS and not self.room.private:
            settings["store/bytes"] = str(3 << 20)
        words = [f"{self.room.bin}/svc-{self.kind}", "-c", f"{self.room.folder}/etc/{file}.zpl"]
        for path, value in settings.items():
            words += ["--set", f"{path}={value}"]
        return [*self.entering(), *words]

    def environment(self):
        own = dict(os.environ)
        if self.room.faketime:
            own.update(
                LD_PRELOAD=self.room.faketime,
                FAKETIME_TIMESTAMP_FILE=self.clock,
                FAKETIME_CACHE_DURATION="1",
                FAKETIME_DONT_FAKE_MONOTONIC="1",
                DONT_FAKE_MONOTONIC="1",
                FAKETIME_DISABLE_SHM="1",
                NO_FAKE_STAT="1",
            )
        return own

    def start(self):
        with self.lock, open(self.ready, "w") as ready, open(self.log, "a") as log:
            self.starts += 1
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=ready, stderr=log, env=self.environment()
            )

    def serves(self):
        with open(self.ready) as file:
            return file.read().startswith("ready ")

    def kill(self):
        with self.lock:
            self.wanted = False
            self.process.kill()
            self.process.wait()

    def restart(self):
        with self.lock:
            if not self.wanted:
                self.wanted = True
                self.start()

    def pause(self):
        with self.lock:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        with self.lock:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGCONT)

    def cut(self):
        run("ip", "link", "set", self.veth, "down")

    def join(self):
        run("ip", "link", "set", self.veth, "up")

    def lose(self, other):
        self.inside("ip", "route", "replace", "blackhole", other.address + "/32")

    def find(self, other):
        self.inside("ip", "route", "del", "blackhole", other.address + "/32")

    def step(self, seconds):
        with open(self.clock + ".new", "w") as file:
            file.write(f"{seconds:+d}\n")
        os.replace(self.clock + ".new", self.clock)

    def disk(self):
        return f"{self.room.folder}/store/{self.host}"

    def fill(self):
        with open(f"{self.disk()}/filler", "wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while file.write(b"\0" * size) == size:
                        pass
                except OSError:
                    pass

    def free(self):
        os.unlink(f"{self.disk()}/filler")


class Room:
    def __init__(self, bin_folder, folder, private, planners, disk_mib):
        self.bin = bin_folder
        self.folder = folder
        self.private = private
        self.faketime = next((path for path in FAKETIME if os.path.exists(path)), None)
        for name in ("clock", "log", "store"):
            os.makedirs(f"{folder}/{name}")
        names = [f"gis/{g}" for g in DIRECTORIES] + [f"lis/{site}" for site in SITES]
        names += [f"nis/{domain}" for domain in DOMAINS] + [f"planner/{n + 1}" for n in range(planners)]
        self.members = [Member(self, name, number) for number, name in enumerate(names)]
        with open(f"{folder}/campaign.zpl", "w") as file:
            file.write(description())
        run(f"{bin_folder}/musubi", "federation", "configure", f"{folder}/campaign.zpl", f"{folder}/etc", "--trusted",
            "--actor", "root", "--stores", f"{folder}/store")
        for member in self.members:
            member.step(0)
        if private:
            self.make_network()
            for name in DISKS:
                member = self.member(name)
                os.makedirs(member.disk())
                run("mount", "-t", "tmpfs", "-o", f"size={disk_mib}m,mode=700", "campaign", member.disk())

    def make_network(self):
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "campaign", "type", "bridge")
        run("ip", "address", "add", NET + "1/24", "dev", "campaign")
        run("ip", "link", "set", "campaign", "up")
        with open(f"{self.folder}/hosts", "w") as file:
            file.write("127.0.0.1 localhost\n")
            for member in self.members:
                file.write(f"{member.address} {member.host}\n")
        run("mount", "--bind", f"{self.folder}/hosts", "/etc/hosts")
        for member in self.members:
            member.make_network()

    def member(self, name):
        return next(member for member in self.members if member.name == name)

    def directories(self):
        return [member for member in self.members if member.kind == "gis"]

    def participants(self):
        return [member.name for member in self.members if member.kind != "planner"]

    def gis(self):
        return ",".join(member.endpoint for member in self.directories())

    def wait_serving(self):
        """The names of those that do not serve in time."""
        until = time.monotonic() + PATIENCE_S
        missing = self.members
        while missing and time.monotonic() < until:
            missing = [m for m in missing if not (m.process.poll() is None and m.serves())]
            time.sleep(0.05)
        return [member.name for member in missing]

    def wait_listed(self, asker):
        """What a directory does not list in time: a member tries one again, that was silent, after up to half a minute."""
        until = time.monotonic() + PATIENCE_S
        missing = self.members
        while missing and time.monotonic() < until:
            missing = []
            for directory in (member for member in self.members if member.kind == "gis"):
                _, answer, _ = asker.run("root", "call", directory.endpoint, "Gis.Snapshot")
                known = {entry["endpoint"] for entry in answer.get("entries", [])} if answer else set()
                missing += [f"{directory.name}: {member.name}" for member in self.members if member.endpoint not in known]
            time.sleep(0.05)
        return missing

    def start(self):
        for member in self.members:
            member.start()
        return self.wait_serving()

    def end(self):
        """The names of those that do not end cleanly, each with its exit code."""
        for member in self.members:
            if member.process and member.process.poll() is None:
                member.process.terminate()
        bad = []
        for member in self.members:
            try:
                code = member.process.wait(timeout=PATIENCE_S) if member.process else 0
            except subprocess.TimeoutExpired:
                member.kill()
                code = "none"
            if code != 0:
                bad.append(f"{member.name}: {code}")
        return bad

    def clear(self):
        """Leaves no process behind, however it came to this."""
        for member in self.members:
            if member.process and member.process.poll() is None:
                member.kill()
            if member.holder:
                member.holder.stdin.close()
                member.holder.wait()

    def repairs(self):
        """How many decisions had to be repaired, and how many of these repairs have ended, as planners' logs have it."""
        moves = {"repairing": set(), "repaired": set()}
        for member in self.members:
            if member.kind == "planner":
                with open(member.log, errors="replace") as file:
                    for line in file:
                        found = re.search(r"\btxn (\S+) \w+->(repairing|repaired)\b", line)
                        if found:
                            moves[found.group(2)].add(found.group(1))
        return len(moves["repairing"]), len(moves["repairing"] & moves["repaired"])

    def alarms(self):
        """What services called an alarm, by sentence without its figures, and how often."""
        counts = {}
        for member in self.members:
            with open(member.log, errors="replace") as file:
                for line in file:
                    found = re.search(r"\balarm\b(.*)", line, re.IGNORECASE)
                    if found:
                        sentence = member.kind + re.sub(r"[0-9a-f]{6,}|\d+", "#", found.group(1)).rstrip()[:140]
                        counts[sentence] = counts.get(sentence, 0) + 1
        return counts
