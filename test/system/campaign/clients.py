"""Sixteen users, each a thread that reserves, modifies and releases through `musubi --json`, and a journal of every
single time they asked and what they were told.

A user does not always wait for the truth: it may leave a request unknown and go on, ask one thing twice at the same
moment, or change and release one reservation at once. What it was not told is asked again at the end (ask_rest).
"""

import datetime
import json
import os
import random
import subprocess
import threading
import time

STANDING_MAX = 4  # reservations that a user has in hand at once
KEPT_MAX = 3  # that it keeps for good
LOOK_SHARE = 0.2  # of its new reservations that it looks for at once
THINK_S = 0.2  # between two acts, on average
DONE, REFUSED, UNKNOWN = "done", "refused", "unknown"


def written(seconds):
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Ask:
    """One request id, with what it asks, and every answer to it."""

    def __init__(self, request_id, actor, verb, words, body, reservation):
        self.request_id = request_id
        self.actor = actor
        self.verb = verb
        self.words = words
        self.body = body
        self.reservation = reservation  # that it acts on; None for a reserve
        self.first_asked = None  # steady clock
        self.told_at = None  # when it was first definite
        self.told = None  # DONE or REFUSED
        self.answer = None
        self.asked = 0


class Journal:
    def __init__(self, path):
        self.file = open(path, "w")
        self.lock = threading.Lock()
        self.asks = []
        self.oddities = []  # sentences: what no client should ever see
        self.answers = {DONE: 0, REFUSED: 0, UNKNOWN: 0}

    def begin(self, ask):
        with self.lock:
            if ask.first_asked is None:
                ask.first_asked = time.monotonic()
                self.asks.append(ask)
            ask.asked += 1

    def end(self, ask, begun, code, answer, errors):
        with self.lock:
            line = {"id": ask.request_id, "actor": ask.actor, "verb": ask.verb, "reservation": ask.reservation,
                    "body": ask.body, "begun": begun, "ended": time.time(), "exit": code, "answer": answer,
                    "errors": errors[-600:]}
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()
            status = answer.get("status") if answer else None
            told = {(0, "committed"): DONE, (1, "refused"): REFUSED}.get((code, status))
            if told is None and code != 3:
                self.oddities.append(f"{ask.verb} {ask.request_id}: exit {code}, status {status}: {errors[-300:]}")
            self.answers[told or UNKNOWN] += 1
            if told is None:
                return
            if ask.told is None:
                ask.told, ask.answer, ask.told_at = told, answer, time.monotonic()
            elif (told, meaning(answer)) != (ask.told, meaning(ask.answer)):
                self.oddities.append(
                    f"{ask.verb} {ask.request_id} was told two things: {json.dumps(ask.answer)} and {json.dumps(answer)}")


def milliseconds(text):
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def booked(answer):
    """What an answer says is booked: {(owner, resource, need, quantity, from, until)}."""
    parts = set()
    for part in answer.get("compute", []):
        parts.add(("lis/" + part["site"], part["class"], part["id"], part["cpus"], milliseconds(part["start"]),
                   milliseconds(part["end"])))
    for part in answer.get("network", []):
        for link in part["links"]:
            domain, name = link.split("/")
            parts.add(("nis/" + domain, name, part["need"], part["mbps"], milliseconds(part["start"]),
                       milliseconds(part["end"])))
    return parts


def meaning(answer):
    """What must be the same whenever it is told again. Why something is refused may be said in other words."""
    if answer["status"] != "committed":
        return "refused"
    return (answer.get("reservation"), answer.get("version"), frozenset(booked(answer)))


class Asker:
    """Runs the client program."""

    def __init__(self, room, journal):
        self.program = f"{room.bin}/musubi"
        self.environment = dict(os.environ, MUSUBI_GIS=room.gis())
        self.journal = journal

    def run(self, actor, *words, body="", timeout="10s"):
        done = subprocess.run([self.program, "--json", "--actor", actor, "--timeout", timeout, *words], input=body,
                              env=self.environment, capture_output=True, text=True, check=False)
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            answer = None
        return done.returncode, answer, done.stderr

    def ask(self, ask, timeout):
        self.journal.begin(ask)
        begun = time.time()
        code, answer, errors = self.run(ask.actor, *ask.words, "--request-id", ask.request_id, body=ask.body,
                                        timeout=timeout)
        self.journal.end(ask, begun, code, answer, errors)
        return ask.told


class User(threading.Thread):
    def __init__(self, number, seed, asker, over):
        super().__init__()
        self.number = number
        self.actor = f"user{number}"
        self.random = random.Random(f"{seed} user {number}")
        self.asker = asker
        self.over = over
        self.count = 0
        self.standing = []  # reservations: ids
        self.kept = 0
        self.looks = 0  # answers of participants that were looked at at once
        self.open = []  # left unknown
        self.broken = None

    def new_id(self):
        self.count += 1
        home = self.random.choice(["", "", "@g1", "@g2"])
        return f"c{self.number}-{self.count}{home}"

    def request(self):
        draw = self.random
        needs = draw.choice([2, 2, 3])
        if draw.random() < 0.12:  # soon over: edges come while decisions wait
            window = {"earliest": written(time.time() + draw.randint(8, 40)), "deadline": written(time.time() + 400)}
            duration = f"{draw.randint(10, 60)}s"
        else:
            hours = draw.randint(3, 6)
            now = time.time()
            window = {"earliest": written(now + 3600 * hours), "deadline": written(now + 3600 * (hours + 6))}
            duration = draw.choice(["30m", "1h", "2h"])
        names = ["a", "b", "c"][:needs]
        wanted = {
            "window": window,
            "duration": duration,
            "compute": [{"id": name, "cpus": draw.choice([1, 2, 4, 6])} for name in names],
            "network": [{"between": [one, other], "mbps": draw.choice([500, 1000, 2000])}
                        for one, other in zip(names, names[1:])],
            "distinct_sites": True,
        }
        if draw.random() < 0.2:
            wanted["policy"] = draw.choice(["load", "cost", "random"])
        return Ask(self.new_id(), self.actor, "reserve", ["reserve", "-"], json.dumps(wanted), None)

    def patch(self, reservation):
        draw = self.random
        change = draw.choice([
            {"duration": draw.choice(["20m", "90m", "150m"])},
            {"compute": [{"id": "a", "cpus": draw.randint(1, 6)}]},
            {"network": [{"id": "a-b", "mbps": draw.choice([300, 1500])}]},
        ])
        return Ask(self.new_id(), self.actor, "modify", ["modify", reservation, "-"], json.dumps(change), reservation)

    def giving_back(self, reservation):
        return Ask(self.new_id(), self.actor, "release", ["release", reservation], "", reservation)

    def settle(self, ask):
        """Asks, perhaps several times; perhaps gives up and leaves it open."""
        patience = f"{self.random.choice([1, 3, 3, 6])}s"
        for _ in range(self.random.choice([1, 2, 5, 12])):
            if self.random.random() < 0.1:
                twin = threading.Thread(target=self.asker.ask, args=(ask, patience))
                twin.start()
                self.asker.ask(ask, patience)
                twin.join()
            else:
                self.asker.ask(ask, patience)
            if ask.told or self.over.is_set():
                break
        if not ask.told:
            self.open.append(ask)
        elif ask.told == DONE:
            if ask.verb == "reserve" and self.random.random() < LOOK_SHARE:
                self.look(ask.answer)
            self.learn(ask)

    def look(self, answer):
        """Committed was told: then each participant has it now. Who is silent is not judged."""
        for owner in sorted({part[0] for part in booked(answer)}):
            code, shown, _ = self.asker.run(self.actor, "call", owner, "Participant.Show",
                                            json.dumps({"reservation": answer["reservation"]}), timeout="1s")
            if code == 0:
                self.looks += 1
                if int((shown.get("record") or {}).get("version", 0)) < answer["version"]:
                    self.asker.journal.oddities.append(
                        f"{answer['reservation']} was told committed, {owner} has {json.dumps(shown)}")

    def learn(self, ask):
        if ask.verb == "reserve":
            self.standing.append(ask.answer["reservation"])
        elif ask.verb == "release" and ask.reservation in self.standing:
            self.standing.remove(ask.reservation)

    def act(self):
        draw = self.random
        if self.open and draw.random() < 0.3:
            self.settle(self.open.pop(draw.randrange(len(self.open))))
        elif self.standing and (len(self.standing) >= STANDING_MAX or draw.random() < 0.5):
            reservation = draw.choice(self.standing)
            change, end = self.patch(reservation), self.giving_back(reservation)
            kind = draw.random()
            if kind < 0.08:  # both at once: one of the serial orders
                both = threading.Thread(target=self.asker.ask, args=(change, "3s"))
                both.start()
                self.settle(end)
                both.join()
                if not change.told:
                    self.open.append(change)
            else:
                self.settle(change if kind < 0.5 else end)
            if self.kept < KEPT_MAX and draw.random() < 0.1 and reservation in self.standing:
                self.standing.remove(reservation)
                self.kept += 1
        else:
            self.settle(self.request())

    def run(self):
        try:
            while not self.over.is_set():
                self.act()
                self.over.wait(self.random.expovariate(1 / THINK_S))
        except Exception as error:  # the thread's end must not pass for peace
            self.broken = repr(error)


def ask_rest(asker, journal, patience_s):
    """Asks again, side by side, whatever is not known yet, for so long; how much that was."""
    rest = [ask for ask in journal.asks if not ask.told]
    until = time.monotonic() + patience_s
    threads = [threading.Thread(target=ask_out, args=(asker, rest[n::8], until)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(rest)


def ask_out(asker, asks, until):
    while asks and time.monotonic() < until:
        asks = [ask for ask in asks if not asker.ask(ask, "10s")]
