"""A campaign: clients at work while everything that can happen to a machine happens, and then the truth.

    python3 test/system/campaign --bin DIR --work DIR [--private] [--seconds N] [--seed S] [--verbose]

campaign.t starts it, in a room of its own where it can; its head says what is done and what must hold. Prints TAP.
"""

import argparse
import os
import random
import sys
import threading
import time

from clients import DONE, REFUSED, UNKNOWN, Asker, Journal, User, ask_rest
from room import Room
from trouble import WEIGHTS, Hand, draw
from truth import Records, Truth

CLIENTS = 16
PLANNERS = 3
REST_S = 90  # for what is still unknown when all is mended
LATER_MS = 9000000  # beyond the reach of a clock that went too far and was kept there by a start (T15)
SAMPLE = 60  # answers that are asked for once more
TOLD_MAX = 25  # contradictions told


class Tap:
    def __init__(self):
        self.number = self.bad = 0

    def check(self, good, sentence, details=()):
        self.number += 1
        self.bad += not good
        print(f"{'ok' if good else 'not ok'} {self.number} - {sentence}", flush=True)
        if not good:
            for detail in list(details)[:TOLD_MAX]:
                self.say(detail)
            if len(details) > TOLD_MAX:
                self.say(f"and {len(details) - TOLD_MAX} more")

    def skip(self, sentence, why):
        self.number += 1
        print(f"ok {self.number} - {sentence} # SKIP {why}", flush=True)

    @staticmethod
    def say(text):
        for line in str(text).splitlines():
            print("# " + line, flush=True)

    def finish(self):
        print(f"1..{self.number}")
        return 1 if self.bad else 0


def kinds_here(room):
    return [kind for kind in WEIGHTS
            if (kind not in ("cut", "fill") or room.private) and (kind != "step" or room.faketime)]


def tell_blows(tap, hand, room):
    dealt = hand.dealt
    for kind, sentence, why in (
        ("kill", "{} times a service was killed and started again", ""),
        ("stop", "{} times a service was stopped and went on", ""),
        ("cut", "{} times links were cut and joined", "no network namespaces here"),
        ("step", "{} times a clock was stepped", "libfaketime is not installed"),
        ("fill", "{} times a disk was filled and freed", "nothing can be mounted here; two stores were small instead"),
    ):
        if kind in kinds_here(room):
            tap.check(dealt[kind] > 0, sentence.format(dealt[kind]))
        else:
            tap.skip(sentence.format("no"), why)
    if hand.ended:
        tap.say("ended by themselves on a full disk, and started again: " +
                ", ".join(f"{name} {count}" for name, count in sorted(hand.ended.items())))


def ask_again(asker, journal, seed):
    """Some of what was answered, once more: the journal takes note of another answer. How many were asked."""
    lot = random.Random(f"{seed} again")
    known = [ask for ask in journal.asks if ask.told]
    chosen = lot.sample(known, min(SAMPLE, len(known)))
    for ask in chosen:
        asker.ask(ask, "15s")
    return len(chosen)


def campaign(options, tap, room):
    seconds = options.seconds
    missing = room.start()
    tap.check(not missing, f"{len(room.members)} services serve", missing)
    journal = Journal(f"{options.work}/journal.jsonl")
    asker = Asker(room, journal)
    hand = Hand(room)
    over = threading.Event()
    users = [User(number, options.seed, asker, over) for number in range(CLIENTS)]
    blows = draw(options.seed, seconds, [member.name for member in room.members], kinds_here(room))
    for user in users:
        user.start()
    try:
        hand.work(blows, seconds, tap.say if options.verbose else lambda text: None)
        over.set()
        for user in users:
            user.join()
        missing = room.wait_serving() or room.wait_listed(asker)
    finally:
        over.set()
        hand.end()

    tell_blows(tap, hand, room)
    tap.check(not missing, "all serve again when it is over, and every directory lists them", missing)
    tap.check(not hand.oddities, "none ended by itself, but on a full disk", hand.oddities)
    counts = dict(journal.answers)
    rest = ask_rest(asker, journal, REST_S)
    code, answer, errors = asker.run("root", "check", "--settle", "90s", timeout="20s")
    again = ask_again(asker, journal, options.seed)
    asks = journal.asks
    tap.say(f"{len(asks)} requests: " + ", ".join(
        f"{verb} {sum(a.verb == verb and a.told == DONE for a in asks)} of {sum(a.verb == verb for a in asks)}"
        for verb in ("reserve", "modify", "release")) + " done")
    tap.say(f"asked {sum(counts.values())} times under trouble: {counts[DONE]} done, {counts[REFUSED]} refused, "
            f"{counts[UNKNOWN]} unknown; {rest} left unknown and asked again, {again} answers asked for once more, "
            f"{sum(user.looks for user in users)} participants looked at at once")
    broken = [f"{user.actor}: {user.broken}" for user in users if user.broken]
    tap.check(not broken, f"{CLIENTS} clients worked to the end", broken)
    idle = [user.actor for user in users if not any(a.actor == user.actor and a.told for a in asks)]
    tap.check(not idle, "each was answered", idle)
    tap.check(code == 0, "musubi check: the records are whole, and settled", [errors, str(answer)])
    tap.check(not journal.oddities, "no answer contradicts another one", journal.oddities)
    records = Records(asker, room.participants())
    records.save(f"{options.work}/records.json")
    truth = Truth(records, asks)
    wrong = truth.judge()
    tap.say(f"on record: {len(truth.commits)} commits, {truth.sums['standing']} standing, {truth.sums['released']} "
            f"released, {truth.sums['repaired']} repaired past an edge")
    tap.check(not wrong, "no answer contradicts what is on record, and nothing is promised twice", wrong)
    wrong = truth.judge_lists(asker, round(1000 * time.time()) + LATER_MS)
    tap.check(not wrong, "each client is told by list what it has", wrong)
    code, answer, errors = asker.run("root", "audit", "--settle", "90s", timeout="20s")
    tap.check(code == 0, "musubi audit: the ledgers prove it sound", [errors, str(answer)])
    begun, ended = room.repairs()
    tap.say(f"repairs (T10): {begun} begun, {ended} ended")
    for sentence, count in sorted(room.alarms().items(), key=lambda item: -item[1])[:12]:
        tap.say(f"alarm, {count} times: {sentence}")
    bad = room.end()
    tap.check(not bad, "all services end when they are told to", bad)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--private", action="store_true")
    parser.add_argument("--seconds", type=float, default=45)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    os.environ.pop("MUSUBI_GIS", None)
    tap = Tap()
    tap.say(f"seed {options.seed}, {options.seconds:.0f} s of trouble, {CLIENTS} clients")
    room = Room(options.bin, options.work, options.private, PLANNERS, 64 + round(options.seconds / 3))
    try:
        campaign(options, tap, room)
    finally:
        room.clear()
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
