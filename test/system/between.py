"""Stands between a service and those who call it, and cuts them off at one message.

    between.py HOST FROM_PORT… --to TO_HOST --word WORD [--answer] --until FILE

Forwards each HOST:PORT to TO_HOST:PORT. While FILE is not there, the first chunk from a caller that has WORD in it (a
method's name travels as it is written) is not passed on: every connection is closed and no new one is taken, until FILE
is there. With --answer that chunk is passed on, and they are cut off when the service answers it: it has done what
it was asked, and nobody hears of it. Says "ready" when it listens, "cut" when it has cut, "joined" when it forwards again.
"""

import argparse
import os
import select
import socket
import sys


def say(word):
    print(word, flush=True)


def listen(host, port):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(64)
    return listener


class Between:
    def __init__(self, options):
        self.options = options
        self.word = options.word.encode()
        self.peer_of = {}  # each socket -> the other end
        self.callers = set()
        self.asked = None  # the service's end on which the answer will come
        self.listeners = {}

    def open(self):
        self.listeners = {listen(self.options.host, port): port for port in self.options.ports}

    def take(self, listener):
        caller, _ = listener.accept()
        try:
            service = socket.create_connection((self.options.to, self.listeners[listener]))
        except OSError:
            caller.close()
            return
        self.peer_of[caller], self.peer_of[service] = service, caller
        self.callers.add(caller)

    def drop(self, one):
        other = self.peer_of.pop(one)
        del self.peer_of[other]
        self.callers -= {one, other}
        if self.asked in (one, other):
            self.asked = None
        one.close()
        other.close()

    def cut(self):
        for listener in self.listeners:
            listener.close()
        self.listeners = {}
        for one in list(self.callers):
            self.drop(one)
        say("cut")

    def is_it(self, one, data):
        return one in self.callers and self.word in data and not os.path.exists(self.options.until)

    def pass_on(self, one):
        try:
            data = one.recv(65536)
        except OSError:
            data = b""
        if not data:
            self.drop(one)
        elif one is self.asked or (self.is_it(one, data) and not self.options.answer):
            self.cut()
        else:
            if self.is_it(one, data):
                self.asked = self.peer_of[one]
            try:
                self.peer_of[one].sendall(data)
            except OSError:
                self.drop(one)

    def run(self):
        self.open()
        say("ready")
        while True:
            if not self.listeners and os.path.exists(self.options.until):
                self.open()
                say("joined")
            ready, _, _ = select.select([*self.listeners, *self.peer_of], [], [], 0.05)
            for one in ready:
                if one in self.listeners:
                    self.take(one)
                elif one in self.peer_of:
                    self.pass_on(one)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("ports", type=int, nargs="+")
    parser.add_argument("--to", required=True)
    parser.add_argument("--word", required=True)
    parser.add_argument("--answer", action="store_true")
    parser.add_argument("--until", required=True)
    Between(parser.parse_args()).run()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(0)
