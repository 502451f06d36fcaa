"""Holds what clients were told against what sites, domains and homes have on record, and against each other.

Takes the participants' records as they give them (Participant.Commands, Participant.List) and shares no code with
`musubi check`. Each contradiction is one sentence in `wrong`.
"""

import json

from clients import DONE, booked
from room import SITES, links

NOT_OVER = ("CREATED", "RESERVED", "ACTIVATED")


def txid(message):
    return (message["store"], int(message["start"]), int(message["counter"]))


def name_of(identity):
    return f"{identity[0][:8]}-{identity[1]}-{identity[2]}"


class Records:
    """All that the participants have."""

    def __init__(self, asker, participants):
        self.commands = {}  # txid -> {participant: its CommandRecord}
        self.parts = {}  # participant -> {reservation: its PartRecord}
        self.silent = []
        for participant in participants:
            commands = pages(asker, participant, "Participant.Commands", "commands")
            parts = pages(asker, participant, "Participant.List", "records")
            if commands is None or parts is None:
                self.silent.append(participant)
                continue
            for command in commands:
                if command.get("plan"):  # a tombstone of what never came has none
                    self.commands.setdefault(txid(command["plan"]["txid"]), {})[participant] = command
            self.parts[participant] = {part["reservation"]: part for part in parts}

    def save(self, path):
        """For whoever looks into a contradiction."""
        with open(path, "w") as file:
            json.dump({name_of(identity): at for identity, at in self.commands.items()}, file)


def names_of(parties):
    return {party["name"] for party in parties}


def pages(asker, participant, method, key):
    """Everything of a list that comes by pages; None when the participant is silent."""
    found, request = [], {}
    while True:
        code, answer, _ = asker.run("root", "call", participant, method, json.dumps(request), timeout="30s")
        if code != 0 or answer is None:
            return None
        found += answer.get(key, [])
        if not answer.get("more"):
            return found
        request = {"after": answer["next"]}


def parts_of(participant, record):
    """What a record books: {(owner, resource, need, quantity, from, until)}."""
    parts = set()
    for booking in record.get("bookings", []):
        parts.add((participant, booking["class_name"], booking["need"], booking["cpus"], booking["from_ms"],
                   booking["until_ms"]))
    for circuit in record.get("circuits", []):
        for link in circuit["links"]:
            parts.add((participant, link, circuit["need"], circuit["mbps"], circuit["from_ms"], circuit["until_ms"]))
    return parts


class Commit:
    """A transaction that somebody has committed."""

    def __init__(self, identity, at):
        self.identity = identity
        self.at = at  # participant -> its CommandRecord
        self.committed = {p for p, command in at.items() if command["state"] == "COMMITTED"}
        self.plan = at[min(self.committed)]["plan"]
        self.named = names_of(self.plan["participants"])
        self.refused_at_edge = {p for p in self.named if p in at and at[p]["state"] == "EDGE_REFUSED"}
        self.whole = self.named == self.committed
        self.reservation = self.plan["reservation"]
        self.version = int(self.plan.get("base_version", 0)) + 1
        self.request = (self.plan.get("actor", ""), self.plan.get("request_id", "").split("@")[0])
        self.books = set().union(*(parts_of(p, at[p]) for p in self.committed))

    def __str__(self):
        return f"{self.plan['operation'].lower()} {name_of(self.identity)} of {self.reservation}"


class Truth:
    def __init__(self, records, asks):
        self.wrong = []
        self.records = records
        self.asks = {(ask.actor, ask.request_id.split("@")[0]): ask for ask in asks}
        self.commits = [Commit(identity, at) for identity, at in sorted(records.commands.items())
                        if any(command["state"] == "COMMITTED" for command in at.values())]
        self.of_request = {}
        self.of_reservation = {}
        for commit in self.commits:
            self.of_request.setdefault(commit.request, []).append(commit)
            self.of_reservation.setdefault(commit.reservation, []).append(commit)
        # A part that was refused past its edge is put right, or the rest released (T10): nobody's request.
        self.repaired = {c.reservation for c in self.commits if c.refused_at_edge}
        self.rests = {c.identity for c in self.commits if self.is_rest(c)}
        self.sums = {"standing": 0, "released": 0, "repaired": len(self.repaired)}

    def is_rest(self, commit):
        """Given back later by those who were silent when the owner released it: the same version, and nobody who gave
        back then. The release's planner drives it on, or the owner releases what is left at those that were awaited."""
        if commit.plan["operation"] != "RELEASE":
            return False
        sites = {p for p in commit.named if not p.startswith("gis/")}
        for first in self.of_reservation[commit.reservation]:
            if first.plan["operation"] != "RELEASE" or first.version != commit.version or \
                    first.request not in self.asks or not sites or sites & first.named:
                continue
            repaired = commit.plan.get("repairs")
            if repaired and first.identity == txid(repaired):
                return True
            if commit.request in self.asks and sites <= names_of(first.plan.get("awaited", [])):
                return True
        return False

    def judge(self):
        for participant in self.records.silent:
            self.wrong.append(f"{participant} does not tell its records")
        for commit in self.commits:
            self.judge_commit(commit)
        for request, ask in self.asks.items():
            self.judge_ask(ask, self.of_request.get(request, []))
        for reservation, commits in self.of_reservation.items():
            self.judge_versions(reservation, sorted(commits, key=lambda commit: commit.version))
        self.judge_parts()
        self.judge_room()
        self.judge_promises()
        return self.wrong

    def judge_commit(self, commit):
        """All or nothing, and nothing that nobody was told."""
        missing = commit.named - commit.committed
        if missing - commit.refused_at_edge:
            states = {p: commit.at.get(p, {"state": "UNKNOWN"})["state"] for p in sorted(missing)}
            self.wrong.append(f"{commit} is committed at {sorted(commit.committed)} but {states}")
        if commit.request[1] == "":
            if commit.reservation not in self.repaired and commit.identity not in self.rests:
                self.wrong.append(f"{commit} was asked for by nobody, and there was nothing to repair")
        elif commit.request not in self.asks:
            self.wrong.append(f"{commit} was asked for by {commit.request}, who is no client")

    def judge_ask(self, ask, commits):
        """Told committed: there, complete, as told. Told refused: nowhere, and never."""
        what = f"{ask.verb} {ask.request_id} of {ask.actor}"
        if ask.told is None:
            self.wrong.append(f"{what} is unknown however often it is asked again ({ask.asked} times)")
        elif ask.told == DONE:
            if len(commits) != 1:
                self.wrong.append(f"{what} was told committed, on record it is committed {len(commits)} times")
                return
            commit = commits[0]
            if commit.refused_at_edge:
                commit = self.in_place_of(commit, ask.answer["version"])
            told = (ask.answer["reservation"], ask.answer["version"], booked(ask.answer))
            if not commit.whole:
                self.wrong.append(f"{what} was told committed, {commit} is not committed everywhere")
            if told != (commit.reservation, commit.version, commit.books):
                self.wrong.append(f"{what} was told {told}, on record is {commit} version {commit.version}"
                                  f" {commit.books}")
            if commit is commits[0] and commit.plan["operation"].lower() != ask.verb:
                self.wrong.append(f"{what} became {commit}")
            if ask.reservation not in (None, commit.reservation):
                self.wrong.append(f"{what} is about {ask.reservation}, and became {commit}")
        else:
            for commit in commits:
                if not commit.refused_at_edge:
                    self.wrong.append(f"{what} was told refused, {commit} is committed")

    def in_place_of(self, commit, version):
        """The plan that was told in the place of one that somebody could not keep: of the same reservation."""
        later = [other for other in self.of_reservation[commit.reservation]
                 if other.version == version and other.version > commit.version]
        return later[0] if later else commit

    def judge_versions(self, reservation, commits):
        """One line of versions, and after a release none but its rest."""
        commits = [commit for commit in commits if commit.identity not in self.rests]
        versions = [commit.version for commit in commits]
        if versions != list(range(1, len(versions) + 1)) and reservation not in self.repaired:
            self.wrong.append(f"reservation {reservation} has the versions {versions}: {[str(c) for c in commits]}")
        for commit in commits[:-1]:
            if commit.plan["operation"] == "RELEASE" and reservation not in self.repaired:
                self.wrong.append(f"{commit} is not the last of its reservation")
        if commits[-1].plan["operation"] == "RELEASE":
            self.sums["released"] += 1
        else:
            self.sums["standing"] += 1

    def judge_parts(self):
        """Each participant has of a reservation what its last version says, and of a released one nothing."""
        last = {reservation: max(commits, key=lambda commit: commit.version)
                for reservation, commits in self.of_reservation.items()}
        for participant, parts in self.records.parts.items():
            for reservation, part in parts.items():
                if part.get("pending"):
                    self.wrong.append(f"{participant} still waits for a decision about {reservation}")
                wanted = set()
                if reservation in last and participant in last[reservation].committed:
                    wanted = parts_of(participant, last[reservation].at[participant])
                if parts_of(participant, part) != wanted and part["state"] in NOT_OVER:
                    self.wrong.append(f"{participant} has {parts_of(participant, part)} of {reservation}, which should"
                                      f" be {wanted} (state {part['state']})")
        for reservation, commit in last.items():
            for participant in commit.committed:
                if parts_of(participant, commit.at[participant]) and \
                        reservation not in self.records.parts.get(participant, {}):
                    self.wrong.append(f"{participant} has forgotten its part of {reservation}")

    def judge_lists(self, asker, later_ms):
        """What `musubi list` tells each client now of what starts after later_ms, and ends there by no clock."""
        wrong = []
        for actor in sorted({ask.actor for ask in self.asks.values()}):
            wanted = {}
            for reservation, commits in self.of_reservation.items():
                commit = max(commits, key=lambda commit: commit.version)
                if commit.plan["owner"] == actor and commit.books and min(part[4] for part in commit.books) > later_ms:
                    wanted[reservation] = (commit.version, frozenset(commit.books))
            code, answer, errors = asker.run(actor, "list", "--mine", timeout="30s")
            if code != 0 or answer["silent"]:
                wrong.append(f"{actor} has no whole list: {errors[-300:]}")
                continue
            told = {view["reservation"]: (view["version"], frozenset(booked(view)))
                    for view in answer["reservations"] if view["status"] == "committed" and booked(view)
                    and min(part[4] for part in booked(view)) > later_ms}
            for reservation in sorted(wanted.keys() | told.keys()):
                if wanted.get(reservation) != told.get(reservation):
                    wrong.append(f"{actor} is told {told.get(reservation)} of {reservation}, on record is "
                                 f"{wanted.get(reservation)}")
        return wrong

    def judge_room(self):
        """At no instant is more booked than there is."""
        taken = {}
        for commits in self.of_reservation.values():
            commit = max(commits, key=lambda commit: commit.version)
            for part in commit.books:
                taken.setdefault(part[:2], []).append((part[3], part[4], part[5]))
        for resource, parts in taken.items():
            most = greatest(parts)
            if most > capacity(resource):
                self.wrong.append(f"{resource} has {most} booked at once and {capacity(resource)} in all")

    def judge_promises(self):
        """At no moment of the campaign had clients been told, together, more than there is: a version counts from the
        answer that tells it to the moment its owner first asks for what became the next one."""
        events = []
        changes = {}
        for ask in self.asks.values():
            if ask.told == DONE:
                changes.setdefault(ask.answer["reservation"], []).append(ask)
        for asks in changes.values():
            asks.sort(key=lambda ask: ask.answer["version"])
            for ask, following in zip(asks, [*asks[1:], None]):
                until = following.first_asked if following else float("inf")
                if ask.told_at < until:
                    parts = booked(ask.answer)
                    events += [(ask.told_at, True, id(ask), parts), (until, False, id(ask), parts)]
        promised = {}  # resource -> {(promise, part)}
        for _, begins, promise, parts in sorted(events, key=lambda event: event[:3]):
            for part in parts:
                now = promised.setdefault(part[:2], set())
                if not begins:
                    now.remove((promise, part))
                    continue
                now.add((promise, part))
                most = greatest([other[3:] for _, other in now])
                if most > capacity(part[:2]):
                    self.wrong.append(f"clients were promised {most} of {part[:2]} at once, which has "
                                      f"{capacity(part[:2])}")


def capacity(resource):
    owner, name = resource
    if owner.startswith("lis/"):
        return SITES[owner[4:]]
    return links()[f"{owner[4:]}/{name}"][2]


def greatest(parts):
    """The most that is taken at one instant, of (quantity, from, until)."""
    edges = sorted([(start, quantity) for quantity, start, _ in parts] + [(end, -quantity) for quantity, _, end in parts])
    most = now = 0
    for _, change in edges:
        now += change
        most = max(most, now)
    return most
