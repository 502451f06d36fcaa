"""A service on a copy of its store in which bytes were changed, or whose end is missing.

    damage.py PROGRAM CONFIGURATION STORE METHOD BODY

Prints TAP lines without a plan. Each trial either serves, or ends with exit code 1 and a word; it is never killed
by what it reads. One that serves ends when it is asked to. Where METHOD is given it answers as the undamaged store
does, or its log has named a damaged record. Bytes in LMDB's two heads are changed, too, but what is answered then
may be the state before the last write.
"""
import os
import random
import re
import selectors
import shutil
import subprocess
import sys
import tempfile

FLIPS, CUTS, WAIT_S = 24, 4, 120  # WAIT_S: a hang, no measure of speed
HEADS = 2 * 4096

program, configuration, store, method, body = sys.argv[1:6]
name = os.path.basename(store.rstrip("/"))
whole = open(os.path.join(store, "store.mdb"), "rb").read()
choice = random.Random(20)
failed = []


def read_line(process):
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        return process.stdout.readline() if ready.select(WAIT_S) else None


def trial(data):
    """(exit code, log, answer): code None where it hung, answer None where it did not serve."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder, \
            tempfile.TemporaryFile("w+", errors="replace") as log:
        with open(os.path.join(folder, "store.mdb"), "wb") as file:
            file.write(data)
        settings = [f"store/folder={folder}", "bind/endpoint=tcp://127.0.0.1:0", "bind/events=tcp://127.0.0.1:0"]
        process = subprocess.Popen([program, "-c", configuration] + [w for s in settings for w in ("--set", s)],
                                   stdout=subprocess.PIPE, stderr=log, text=True)
        line, answer = read_line(process), None
        ready = re.match(r"ready endpoint=(\S+)", line or "")
        if ready:
            answer = ""
            if method:
                asked = subprocess.run(["musubi", "--json", "call", ready[1], method, body], capture_output=True,
                                       text=True, timeout=WAIT_S)
                answer = re.sub(r'"version": *"?\d+"?', "", asked.stdout)
            process.terminate()
        try:
            code = process.wait(WAIT_S) if line is not None else None
        except subprocess.TimeoutExpired:
            code = None
        if code is None:
            process.kill()
            process.wait()
        process.stdout.close()
        log.seek(0)
        return code, log.read(), answer


def judge(what, data, right, may_be_older):
    code, log, answer = trial(data)
    if code is None:
        wrong = "it hangs"
    elif answer is None:
        wrong = None if code == 1 and re.search(r"alarm .*(damaged|store)", log) else f"exit {code} without a word"
    elif code != 0:
        wrong = f"it served and ended with {code}"
    elif method and answer != right and not may_be_older and "record damaged" not in log:
        wrong = f"another answer, silently: {answer[:300]}"
    else:
        wrong = None
    if wrong:
        failed.append(f"{what}: {wrong}\n{log[-2000:]}")
    return "refused" if answer is None else "told" if "record damaged" in log else "unseen"


code, log, right = trial(whole)
print(f"{'ok' if code == 0 and right is not None and 'damaged' not in log else 'not ok'} - {name}: as it was, it serves")
outcomes = {"refused": 0, "told": 0, "unseen": 0}
used = [at for at in range(HEADS, len(whole)) if whole[at]]  # much of a page is empty; some of this is of old records
for i in range(FLIPS):
    at = choice.randrange(HEADS) if i % 6 == 0 else choice.choice(used)
    data = bytearray(whole)
    for k in range(at, min(at + choice.choice([1, 1, 8, 64]), len(whole))):
        data[k] ^= choice.randrange(1, 256)
    outcomes[judge(f"changed at {at}", bytes(data), right, at < HEADS)] += 1
for _ in range(CUTS):
    at = choice.randrange(1, len(whole))
    outcomes[judge(f"cut at {at}", whole[:at], right, False)] += 1
# A byte inside the values of records, as far as they are found by their text, wherever they lie.
data = bytearray(whole)
for found in re.finditer(b"alice|ocean|planner/", whole):
    data[found.start()] ^= 1
words = judge("all names", bytes(data), right, False)
outcomes[words] += 1
if "planner" not in program:  # what a planner keeps of a decision that is settled has no text
    print(f"{'not ok' if words == 'unseen' else 'ok'} - {name}: records whose text was changed are noticed")
print(f"# {name}: " + ", ".join(f"{count} {word}" for word, count in outcomes.items()))
print(f"{'not ok' if failed else 'ok'} - {name}: damaged, it serves and names what is damaged, or ends with a word")
for text in failed:
    print("".join(f"# {line}\n" for line in text.splitlines()), end="")
