#!/usr/bin/env bash
# The campaign's judge (campaign/truth.py) by itself. Given two releases of one version it must tell whether the later one only
# completes the first: it does when the first awaited every participant that gave back in the later; otherwise the later is
# a second release.
here=$(cd "$(dirname "$0")" && pwd)
PYTHONPATH=$here/campaign PYTHONDONTWRITEBYTECODE=1 exec python3 - <<'PYTHON'
from types import SimpleNamespace

from truth import Truth

RESERVATION = "0a-1-1"


def command(store, operation, base, parties, awaited=(), request="", repairs=None):
    """A transaction that all of its participants have committed: (txid, {participant: CommandRecord})."""
    identity = {"store": store, "start": 1, "counter": 1}
    plan = {"txid": identity, "operation": operation, "base_version": base, "reservation": RESERVATION,
            "participants": [{"name": party} for party in parties], "awaited": [{"name": party} for party in awaited],
            "actor": "alice" if request else "", "request_id": request, "owner": "alice"}
    if repairs:
        plan["repairs"] = {"store": repairs, "start": 1, "counter": 1}
    return (store, 1, 1), {party: {"state": "COMMITTED", "plan": plan} for party in parties}


def judged(*rest):
    """What is wrong with a reservation at two sites that was released while lis/b was silent, and with what came then."""
    ask = SimpleNamespace(actor="alice", verb="release", told="refused", asked=1)
    commits = dict([command("0a", "RESERVE", 0, ["lis/a", "lis/b", "gis/g"], request="r@g"),
                    command("0b", "RELEASE", 1, ["lis/a", "gis/g"], ["lis/b"], "x@g"), *rest])
    asks = [SimpleNamespace(**{**vars(ask), "request_id": name}) for name in ("r@g", "x@g", "y@g")]
    truth = Truth(SimpleNamespace(commands=commits, parts={}, silent=[]), asks)
    for commit in truth.commits:
        truth.judge_commit(commit)
    truth.judge_versions(RESERVATION, sorted(truth.of_reservation[RESERVATION], key=lambda commit: commit.version))
    return truth.wrong


CASES = [
    (True, "a release that awaits somebody", []),
    (True, "... and its planner drives it on there", [command("0c", "RELEASE", 1, ["lis/b"], repairs="0b")]),
    (True, "... or the owner releases what is left there",
     [command("0c", "RELEASE", 1, ["lis/b", "gis/g"], request="y@g")]),
    (False, "not at one that was not awaited", [command("0c", "RELEASE", 1, ["lis/c", "gis/g"], request="y@g")]),
    (False, "not once more at one that gave back then",
     [command("0c", "RELEASE", 1, ["lis/a", "lis/b", "gis/g"], request="y@g")]),
    (False, "not of another version", [command("0c", "RELEASE", 2, ["lis/b", "gis/g"], request="y@g")]),
    (False, "not by nobody", [command("0c", "RELEASE", 1, ["lis/b"])]),
]
print(f"1..{len(CASES)}")
for number, (good, sentence, rest) in enumerate(CASES, 1):
    wrong = judged(*rest)
    print("ok" if (not wrong) == good else "not ok", number, "-", sentence)
    for line in wrong if good else []:
        print("#", line)
PYTHON
