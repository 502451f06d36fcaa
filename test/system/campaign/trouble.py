"""Trouble: a list of blows, drawn from the seed before anything happens, and the hand that deals and mends them.

    kill    a service is killed (-9) and started again
    stop    a service is stopped and goes on (SIGSTOP, SIGCONT)
    cut     a service loses everybody, or two services lose each other
    step    the wall clock of one service, the same in the whole campaign, jumps
    fill    the disk of a service is filled to the last byte and freed

A blow whose victim is struck already by one of the same kind is passed over. Blows of different kinds may meet.
"""

import random
import threading
import time

from room import DISKS

GAP_S = 0.9  # between blows, on average
WEIGHTS = {"kill": 34, "stop": 24, "cut": 22, "step": 8, "fill": 10}
STEPS_S = [30, 30, 45, 45, 300, 300, 1800, 7200]
LONG_SHARE = 0.12
FOLLOWED_SHARE = 0.3  # of those that leave a planner waiting for somebody: it is killed while it waits
LONG_S = 30
REST_S = 0.05


class Blow:
    def __init__(self, at, kind, victim, length, other=None, seconds=0):
        self.at = at
        self.kind = kind
        self.victim = victim
        self.length = length
        self.other = other  # of a cut between two
        self.seconds = seconds  # of a step

    def __str__(self):
        more = f" from {self.other}" if self.other else f" {self.seconds:+d} s" if self.seconds else ""
        return f"{self.at:.1f} s: {self.kind} {self.victim}{more}, mended after {self.length:.1f} s"


def draw(seed, seconds, names, kinds):
    """The campaign's blows, in order; at least one of each kind."""
    lot = random.Random(f"{seed} trouble")
    stepped = lot.choice(names)
    kinds = [kind for kind in WEIGHTS if kind in kinds]
    blows = []
    for kind in kinds:
        blows += draw_one(lot, lot.uniform(0.1, 0.9) * seconds, kind, names, stepped)
    at = lot.expovariate(1 / GAP_S)
    while at < seconds:
        kind = lot.choices(kinds, [WEIGHTS[kind] for kind in kinds])[0]
        blows += draw_one(lot, at, kind, names, stepped)
        at += lot.expovariate(1 / GAP_S)
    return sorted(blows, key=lambda blow: blow.at)


def draw_one(lot, at, kind, names, stepped):
    """A blow, and perhaps another one that follows from it."""
    victim, length = lot.choice(names), lot.uniform(0.1, 8)
    if kind in ("kill", "cut") and lot.random() < LONG_SHARE:
        length = lot.uniform(8, LONG_S)  # past the edge of what is to start soon
    if kind == "kill":
        return [Blow(at, kind, victim, length if length > 8 else lot.choice([0, 0, length / 8, length]))]
    if kind == "step":
        return [Blow(at, kind, stepped, length, seconds=lot.choice(STEPS_S) * lot.choice([1, -1]))]
    if kind == "fill":
        return [Blow(at, kind, lot.choice(DISKS), length)]
    other = lot.choice([name for name in names if name != victim]) if kind == "cut" and lot.random() < 0.5 else None
    blows = [Blow(at, kind, victim, length, other=other)]
    if not victim.startswith("planner/") and lot.random() < FOLLOWED_SHARE:
        planner = lot.choice([name for name in names if name.startswith("planner/")])
        blows.append(Blow(at + lot.uniform(0.05, length), "kill", planner, 0))
    return blows


class Hand:
    def __init__(self, room):
        self.room = room
        self.struck = {}  # what is struck now -> (when it is mended, Blow)
        self.dealt = dict.fromkeys(WEIGHTS, 0)
        self.ended = {}  # name -> how often it ended by itself, because its disk was full
        self.oddities = []
        self.full = {}  # name -> until when its end is no surprise
        self.watching = threading.Event()
        self.watcher = threading.Thread(target=self.watch, daemon=True)

    @staticmethod
    def place(blow):
        return (blow.kind, blow.victim, blow.other)

    def deal(self, blow):
        member = self.room.member(blow.victim)
        if self.place(blow) in self.struck:
            return False
        if blow.kind == "kill":
            member.kill()
        elif blow.kind == "stop":
            member.pause()
        elif blow.kind == "cut" and blow.other:
            member.lose(self.room.member(blow.other))
        elif blow.kind == "cut":
            member.cut()
        elif blow.kind == "step":
            member.step(blow.seconds)
        else:
            self.full[blow.victim] = float("inf")
            member.fill()
        self.struck[self.place(blow)] = (time.monotonic() + blow.length, blow)
        self.dealt[blow.kind] += 1
        return True

    def mend(self, blow):
        member = self.room.member(blow.victim)
        if blow.kind == "kill":
            member.restart()
        elif blow.kind == "stop":
            member.go_on()
        elif blow.kind == "cut" and blow.other:
            member.find(self.room.member(blow.other))
        elif blow.kind == "cut":
            member.join()
        elif blow.kind == "step":
            member.step(0)
        else:
            member.free()
            self.full[blow.victim] = time.monotonic() + 10
        del self.struck[self.place(blow)]

    def mend_due(self, now):
        for due, blow in list(self.struck.values()):
            if due <= now:
                self.mend(blow)

    def work(self, blows, seconds, say):
        """Deals all blows, each in its time, and mends what is due; at the end everything."""
        begun = time.monotonic()
        self.watcher.start()
        waiting = list(blows)
        while time.monotonic() - begun < seconds:
            now = time.monotonic()
            self.mend_due(now)
            while waiting and begun + waiting[0].at <= now:
                blow = waiting.pop(0)
                if self.deal(blow):
                    say(str(blow))
            time.sleep(REST_S)
        self.mend_due(float("inf"))

    def end(self):
        self.watching.set()
        if self.watcher.is_alive():
            self.watcher.join()

    def watch(self):
        """Starts again whoever ends by itself, which only a full disk may bring about."""
        while not self.watching.wait(0.2):
            for member in self.room.members:
                with member.lock:
                    if not member.wanted or member.process.poll() is None:
                        continue
                    if self.full.get(member.name, 0) >= time.monotonic():
                        self.ended[member.name] = self.ended.get(member.name, 0) + 1
                    else:
                        self.oddities.append(f"{member.name} ended by itself: {member.process.returncode}")
                    member.start()
