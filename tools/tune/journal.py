# SPDX-License-Identifier: Apache-2.0
"""The journal of tools/tune.py: what was measured, safe from being killed."""
import fcntl
import json
import os

from toolchain import Refused

JOURNAL_VERSION = 1


class Journal:
    """Lines of JSON: what this is about, then results. A line that a kill cut short does not count."""

    def __init__(self, path, about):
        self.path, self.entries = path, []
        self.file = open(path, "a+b")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused(f"{path}: another tune.py is writing this journal")
        self.file.seek(0)
        data = self.file.read()
        whole = data[:data.rfind(b"\n") + 1]
        start = b'{"journal": '
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
        except ValueError:
            lines = None
        if lines is None or data[:len(start)] != start[:len(data)]:
            raise Refused(f"{path}: is no journal of tune.py; move it away, or name another with --journal")
        if len(whole) < len(data):
            self.file.truncate(len(whole))
        self.head = None
        if not lines:
            self.head = {"journal": JOURNAL_VERSION, **about}  # written with the first fact: a model may yet be refused
            return
        head = lines[0] if isinstance(lines[0], dict) else {}
        if head.get("journal") != JOURNAL_VERSION:
            raise Refused(f"{path}: a journal of version {head.get('journal')}, this is version {JOURNAL_VERSION}")
        for name, value in about.items():
            if head.get(name) != value:
                raise Refused(f"{path}: the journal of another {name}: {head.get(name)!r}, this is {value!r}; "
                              "move it away, or name another with --journal")
        self.entries = lines[1:]

    def add(self, entry):
        new = [self.head, entry] if self.head else [entry]
        self.head = None
        self.file.write(b"".join(json.dumps(e).encode() + b"\n" for e in new))
        self.file.flush()
        os.fsync(self.file.fileno())
        self.entries.append(entry)

    def agree(self, name, value):
        """Notes a fact, or refuses to go on where the journal has another."""
        for entry in self.entries:
            if name in entry:
                if entry[name] != value:
                    raise Refused(f"{self.path}: the {name} was another when it was begun; move it away, or name another "
                                  f"with --journal (then {entry[name]!r}, now {value!r})")
                return
        self.add({name: value})
