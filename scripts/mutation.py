#!/usr/bin/env python3
"""./test --mutation [ROOM...] [--seed N] [--edits N] [--deep] [--again] [--jobs N] [--results FILE]

Would the tests notice a mistake? Makes small mistakes in the sources of rooms, each alone, and runs the unit tests as
./test does, first without sanitizers and then with them. An edit is killed if a test fails, crashes, or takes more than
ten times as long as before; otherwise it survives, and is a question to the tests. scripts/mutation_edits.py lists the
kinds of edit. An edit that does not compile does not
count; another one is drawn in its place.

  ROOM...         rooms or folders of rooms; all rooms if none is given
  --seed N        the edits are drawn by this number (1): the same sources and seed give the same edits
  --edits N       edits per room (20)
  --deep          where the room's own tests do not kill an edit, the tests of the rooms that depend on it are run too
                  (slow). Without it, killed means: by the unit tests of the same room.
  --again         only the edits that survived in the results of the last run, after tests have been added; the new
                  results go to FILE with the ending .again.json
  --jobs N        edits that are tried at a time, each in a copy of its own (all processors)
  --results FILE  where the results are kept as JSON (build/mutation/results.json)

A line is drawn out of all lines of a room's sources that can be edited, then one of the kinds of edit that fit it. The
sources are the files of the room's CMakeLists.txt and the private headers that they include, without tests and what
only tests include.

Everything happens in copies of the tree in build/mutation, which have all files as they are now, committed or not. A
copy is compiled file by file and at -O1, since few files are compiled often; sources may be changed while it runs. A
run that was stopped (Ctrl-C) goes on where it was, if no source has changed. scripts/mutation_equivalent.txt lists
edits that change no result, with the reason; they are counted apart.

The status is 0 if all edits were tried, 1 if a room could not be built or its tests fail without any edit.
"""
import argparse
import collections
import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from mutation_edits import edits_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/mutation"
COPY = WORK / "source"  # what edits are drawn from; they are made in further copies
MEMORY = 6 << 30  # bytes of address space of a test program: a wrong size must not take the machine's memory
OUTPUT = 64 << 20  # bytes of a file that it writes
SANITIZERS = {"UBSAN_OPTIONS": "print_stacktrace=1", "ASAN_OPTIONS": "detect_stack_use_after_return=1"}  # as ./test
FATE = ("killed", "survived", "equivalent")


# --- the copy of the tree ---

def source_files():
    """All files of the repository as they are now, without what git ignores."""
    git = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                         capture_output=True)
    if git.returncode == 0:
        names = git.stdout.decode().split("\0")
        return sorted({name for name in names if name and (ROOT / name).is_file()})
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return sorted(str(p) for p in found if not re.match(r"build|\.git/", str(p)) and "node_modules" not in p.parts)


def copy_tree(copy):
    """Brings a copy up to date. Files that are the same keep their time stamps, so that little is compiled."""
    files = source_files()
    there_already = [str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()] if copy.exists() else []
    for name in set(there_already).difference(files):
        if not name.startswith("build/"):
            (copy / name).unlink()
    for name in files:
        there = copy / name
        there.parent.mkdir(parents=True, exist_ok=True)
        if not there.exists() or there.read_bytes() != (ROOT / name).read_bytes():
            shutil.copy(ROOT / name, there)
    return files


def fingerprint(files):
    """Results hold for these sources and tests."""
    digest = hashlib.sha256()
    for name in files:
        if name.startswith(("linchpin/", "cmake/", "CMakeLists.txt")):
            digest.update(name.encode() + b"\0" + (COPY / name).read_bytes())
    return digest.hexdigest()[:16]


# --- rooms ---

class Room:
    def __init__(self, name):
        self.name = name
        self.folder = COPY / "linchpin" / name
        self.target = "test_" + name.replace("/", "_")
        text = re.sub(r"#[^\n]*", "", (self.folder / "CMakeLists.txt").read_text())
        self.lists, key = collections.defaultdict(list), None
        for word in re.search(r"linchpin_room\(([^)]*)\)", text)[1].split():
            if re.fullmatch(r"NAME|DEPENDS|HEADERS|SOURCES|KERNELS|LANES|APART|TESTS|LINK|TEST_LINK", word):
                key = word
            else:
                self.lists[key].append(word)
        self.depends = self.lists["DEPENDS"]
        self.checked = [self.target + "_checked"]  # the same tests with sanitizers
        self.has_tests = any(not test.endswith("_long_test.cc") for test in self.lists["TESTS"])

    def sources(self):
        """The files that are edited: those of the library, and headers of the room that they include."""
        found = []
        waiting = [file for key in ("HEADERS", "SOURCES", "KERNELS", "LANES", "APART") for file in self.lists[key]]
        while waiting:
            file = waiting.pop()
            elsewhere = any((self.folder / parent / "CMakeLists.txt").exists()
                            for parent in list(pathlib.PurePath(file).parents)[:-1])  # in a room below this one
            if file in found or elsewhere or not (self.folder / file).is_file():
                continue
            found.append(file)
            text = (self.folder / file).read_text()
            waiting += re.findall(r'^#include "linchpin/%s/([^"]*)"' % self.name, text, re.MULTILINE)
        return sorted(f"linchpin/{self.name}/{file}" for file in found if not file.endswith("testing.h"))


def all_rooms():
    """Rooms by name, each after those that it depends on."""
    order = re.search(r"foreach\(room ([^)]*)\)", (COPY / "CMakeLists.txt").read_text())[1].split()
    return {name: Room(name) for name in order}


def dependents(rooms, name):
    """The rooms that depend on a room, directly or not, nearest first."""
    found = [name]
    for room in rooms.values():
        if any(d in found for d in room.depends):
            found.append(room.name)
    return found[1:]


def named_rooms(rooms, arguments):
    if not arguments:
        return list(rooms)
    chosen = []
    for argument in arguments:
        name = argument.rstrip("/").removeprefix("linchpin/")
        named = [room for room in rooms if room == name] or [room for room in rooms if room.startswith(name + "/")]
        if not named:
            sys.exit(f"./test --mutation: '{argument}' is not a room: {' '.join(rooms)}")
        chosen += [room for room in named if room not in chosen]
    return chosen


# --- building and testing ---

class Stopped(Exception):
    """The run is being stopped."""


class Processes:
    """What the run has started, so that all of it can be ended."""

    def __init__(self):
        self.lock, self.alive, self.stopping = threading.Lock(), set(), False

    def run(self, command, seconds, log, **more):
        """The status of a command, or None if it took too long. Whatever it started is ended with it."""
        with open(log, "wb") as output:
            with self.lock:
                if self.stopping:
                    raise Stopped
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                           start_new_session=True, **more)
                self.alive.add(process)
            try:
                status = process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                self.end(process)
                process.wait()
                with self.lock:
                    self.alive.remove(process)
            if self.stopping:
                raise Stopped
            return status

    @staticmethod
    def end(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def stop(self):
        with self.lock:
            self.stopping = True
            for process in self.alive:
                self.end(process)


class Bench:
    """A copy of the tree with its build tree: makes edits, builds test programs and runs them."""

    def __init__(self, number, processes):
        self.processes = processes
        self.copy = WORK / f"copy{number}"
        self.tree = self.copy / "build/test"
        self.log = WORK / f"log{number}"
        self.temporary = WORK / f"tmp{number}"
        self.usual = {}  # by target: seconds of the tests without an edit
        copy_tree(self.copy)
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir()
        options = ["-DLINCHPIN_BUILD_TESTS=ON", "-DLINCHPIN_BUILD_APPS=OFF", "-DLINCHPIN_BUILD_VIEWER=OFF",
                   "-DLINCHPIN_CHECK=address,undefined", "-DLINCHPIN_UNITY=OFF",
                   "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG"]
        command = ["cmake", "--preset", "release", "-B", str(self.tree), *options]
        if self.processes.run(command, 600, self.log, cwd=self.copy) != 0:
            sys.exit(f"./test --mutation: cmake failed; the end of {self.log}:\n" + self.end_of_log())

    def end_of_log(self):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-20:])

    def build(self, target, jobs, edited):
        # With relative paths the compiler cache knows what another copy has compiled. It gives back the files that an
        # edit has left, and does not fill up with edited ones.
        environment = dict(os.environ, CCACHE_BASEDIR=str(self.copy), **({"CCACHE_READONLY": "1"} if edited else {}))
        command = ["cmake", "--build", str(self.tree), "--parallel", str(jobs), "--target", target]
        return self.processes.run(command, 3600, self.log, env=environment) == 0

    def test(self, room, target, seconds):
        """None if all tests pass, otherwise what ended them."""
        folder = self.tree / "linchpin" / room.name
        environment = dict(os.environ, TMPDIR=str(self.temporary), **SANITIZERS)
        # Sanitizers map more than any limit of addresses. A file that would be too long is an error like any other, not
        # a signal: a test may ask for one.
        limits = ["env", "--ignore-signal=XFSZ", "prlimit", f"--fsize={OUTPUT}", "--core=0",
                  *([] if target in room.checked else [f"--as={MEMORY}"])]
        status = self.processes.run([*limits, str(folder / target), "--gtest_fail_fast", "--gtest_brief=1"], seconds,
                                    self.log, cwd=folder, env=environment)
        if status == 0:
            return None
        if status is None:
            return f"time limit of {seconds:.0f} s"
        failed = re.findall(r"\[  FAILED  \] ([\w/]+\.[\w/]+)", self.log.read_text(errors="replace"))
        if target in room.checked and not failed:
            return "sanitizers"
        return failed[0] if failed else f"signal {-status}" if status < 0 else f"status {status}"

    def prepare(self, room, jobs):
        """Builds and tests a room without an edit. Returns what is wrong, or None."""
        for target in (room.target, *room.checked):
            if target in self.usual:
                continue
            if not self.build(target, jobs, edited=False):
                return "does not build:\n" + self.end_of_log()
            start = time.monotonic()
            if failed := self.test(room, target, 1800):
                return f"its tests fail without an edit ({failed})"
            self.usual[target] = time.monotonic() - start
        return None

    def judge(self, room, file, edit):
        """(killed, survived or does not compile; what killed it), by the tests of room with the edit in the copy."""
        before = (self.copy / file).read_text()
        try:
            (self.copy / file).write_text(edit.text)
            for target in (room.target, *room.checked):
                if not self.build(target, 1, edited=True):
                    return "does not compile", ""
                if by := self.test(room, target, 20 + 10 * self.usual[target]):
                    return "killed", by
            return "survived", ""
        finally:
            (self.copy / file).write_text(before)


# --- drawing, and the results ---

def drawn(room, seed):
    """The edits of a room in the order of the draw: from each line one, then from each line another, ..."""
    by_line = collections.defaultdict(list)
    for file in room.sources():
        for edit in edits_of((COPY / file).read_text()):
            by_line[file, edit.line].append(edit)
    random_numbers = random.Random(f"{seed} {room.name}")
    while by_line:
        lines = sorted(by_line)
        random_numbers.shuffle(lines)
        for line in lines:
            edits = by_line[line]
            kind = random_numbers.choice(sorted({edit.kind for edit in edits}))
            edit = random_numbers.choice([e for e in edits if e.kind == kind])
            edits.remove(edit)
            if not edits:
                del by_line[line]
            yield line[0], edit


def key_of(file, old, new):
    return "\n".join([file, old, new])


def known_equivalents():
    """{key: reason}. A record: the file's name, the lines of the edit with - and + as they are printed, why: reason."""
    text = (ROOT / "scripts/mutation_equivalent.txt").read_text()
    found = {}
    for record in re.split(r"\n\s*\n", re.sub(r"^#[^\n]*\n", "", text, flags=re.MULTILINE)):
        lines = [line.strip() for line in record.strip().split("\n")]
        if lines == [""]:
            continue
        part = {mark: [line[1:].strip() for line in lines if line.startswith(mark)] for mark in "-+"}
        reason = [line.removeprefix("why:").strip() for line in lines if line.startswith("why:")]
        if not (ROOT / lines[0]).is_file() or not part["-"] or not part["+"] or not any(reason):
            sys.exit(f"./test --mutation: scripts/mutation_equivalent.txt: not a record:\n{record}")
        found[key_of(lines[0], "\n".join(part["-"]), "\n".join(part["+"]))] = " ".join(reason)
    return found


class Results:
    """The fate of each edit, in a file that is rewritten after each one."""

    def __init__(self, path, head, again):
        self.path, self.head, self.edits = path.with_suffix(".again.json") if again else path, head, []
        self.before = {}  # results of an earlier run of the same sources
        self.survivors = []  # of an earlier run of any sources
        if path.is_file():
            old = json.loads(path.read_text())
            self.survivors = [row for row in old["edits"] if row["result"] == "survived"]
            if not again and all(old.get(key) == head[key] for key in ("sources", "deep")):
                self.before = {key_of(row["file"], row["old"], row["new"]): row for row in old["edits"]}

    def add(self, row):
        self.edits.append(row)
        kept = {key_of(r["file"], r["old"], r["new"]) for r in self.edits}
        later = [row for key, row in self.before.items() if key not in kept]
        text = json.dumps({**self.head, "rooms": self.counts(), "edits": self.edits + later}, indent=1)
        temporary = self.path.with_suffix(".part")
        temporary.write_text(text + "\n")
        temporary.replace(self.path)

    def counts(self):
        table = {}
        for row in (row for row in self.edits if row["result"] in FATE):
            counts = table.setdefault(row["room"], dict.fromkeys(FATE, 0))
            counts[row["result"]] += 1
        return table


def diff_of(row):
    return "\n".join("    - " + line for line in row["old"].split("\n")) + "\n" + "\n".join(
        "    + " + line for line in row["new"].split("\n"))


def report(results):
    survivors = [row for row in results.edits if row["result"] == "survived"]
    if survivors:
        print("\nsurvivors")
    for row in survivors:
        print(f"{row['file']}:{row['line']}: {row['kind']}\n{diff_of(row)}")
    print(f"\n{'room':22} {'edits':>6} {'killed':>7} {'survived':>9} {'equivalent':>11} {'killed %':>9}")
    counts = results.counts()
    total = {fate: sum(c[fate] for c in counts.values()) for fate in FATE}
    for room, c in [*counts.items(), ("all", total)]:
        judged = c["killed"] + c["survived"]
        percent = f"{100 * c['killed'] / judged:.0f}" if judged else "-"
        print(f"{room:22} {sum(c.values()):6} {c['killed']:7} {c['survived']:9} {c['equivalent']:11} {percent:>9}")


# --- one room after the other ---

class Trial:
    def __init__(self, options, rooms, benches, results):
        self.options, self.rooms, self.benches, self.results = options, rooms, benches, results
        self.equivalents = known_equivalents()
        self.failed = False

    def fate(self, bench, room, file, edit):
        """What becomes of an edit, and why. In a thread of its own."""
        key = key_of(file, edit.old, edit.new)
        if key in self.equivalents:
            return "equivalent", self.equivalents[key]
        if key in self.results.before:
            return tuple(self.results.before[key][name] for name in ("result", "by"))
        result, by = bench.judge(room, file, edit)
        if self.options.deep and result == "survived":
            for other in (self.rooms[name] for name in dependents(self.rooms, room.name)):
                if other.has_tests and bench.prepare(other, 1) is None:
                    deeper, by = bench.judge(other, file, edit)
                    if deeper == "killed":
                        return deeper, by
        return result, by

    def note(self, room, file, edit, fate, number, seconds):
        """Keeps and prints the fate of an edit. False if the edit does not compile."""
        result, by = fate
        row = {"room": room.name, "file": file, "line": edit.line, "kind": edit.kind, "old": edit.old, "new": edit.new,
               "result": result, "by": by}
        self.results.add(row)
        if result == "does not compile":
            return False
        by = f" by {by}" if result == "killed" else ""
        print(f"{room.name} {number}: {result}{by}: {file}:{edit.line} {edit.kind} ({seconds:.0f} s)", flush=True)
        if result == "survived":
            print(diff_of(row), flush=True)
        return True

    def prepare(self, room):
        """The first copy compiles the room; the others then have it from the compiler cache."""
        for bench in self.benches:
            wrong = bench.prepare(room, len(self.benches))
            if wrong:
                return wrong
        return None

    def room(self, room, edits, wanted):
        """Tries edits of a room, several at a time, until there are as many as wanted: the first that compile."""
        if not room.has_tests:
            print(f"{room.name}: has no unit tests")
            return
        wrong = self.prepare(room)
        if wrong:
            print(f"{room.name}: {wrong}", flush=True)
            self.failed = True
            return
        print(f"{room.name}: the tests take {self.benches[0].usual[room.target]:.1f} s", flush=True)
        edits, done, free, running = iter(edits), 0, queue.SimpleQueue(), {}
        for bench in self.benches:
            free.put(bench)
        with concurrent.futures.ThreadPoolExecutor(len(self.benches)) as pool:
            while True:
                while not free.empty() and done + len(running) < wanted and (drawn_edit := next(edits, None)):
                    bench = free.get()
                    running[pool.submit(self.fate, bench, room, *drawn_edit)] = bench, drawn_edit, time.monotonic()
                if not running:
                    return
                finished, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for one in finished:
                    bench, (file, edit), start = running.pop(one)
                    free.put(bench)
                    done += self.note(room, file, edit, one.result(), f"{done + 1}/{wanted}", time.monotonic() - start)


def survivors_again(results, room):
    """The edits of the room that survived before and still can be made."""
    wanted = {key_of(row["file"], row["old"], row["new"]) for row in results.survivors if row["room"] == room.name}
    for file in room.sources():
        for edit in edits_of((COPY / file).read_text()):
            if key_of(file, edit.old, edit.new) in wanted:
                yield file, edit


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[0], add_help=False)
    parser.add_argument("rooms", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--deep", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--results", type=pathlib.Path, default=WORK / "results.json")
    parser.add_argument("-h", "--help", action="store_true")
    options = parser.parse_args()
    if options.help:
        print(__doc__.strip())
        return 0
    if options.edits < 1 or options.jobs < 1:
        parser.error("--edits and --jobs must be at least 1")

    WORK.mkdir(parents=True, exist_ok=True)
    lock = open(WORK / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit("./test --mutation: another run is using build/mutation")

    files = copy_tree(COPY)
    rooms = all_rooms()
    chosen = named_rooms(rooms, options.rooms)
    head = {"sources": fingerprint(files), "seed": options.seed, "edits_per_room": options.edits,
            "deep": options.deep}
    results = Results(options.results, head, options.again)
    processes = Processes()
    trial = Trial(options, rooms, [Bench(k + 1, processes) for k in range(options.jobs)], results)
    interrupted = False

    def stop(*_):
        processes.stop()
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    try:
        for name in chosen:
            if options.again:
                edits = list(survivors_again(results, rooms[name]))
                if edits:
                    trial.room(rooms[name], edits, len(edits))
            else:
                trial.room(rooms[name], drawn(rooms[name], options.seed), options.edits)
    except (KeyboardInterrupt, Stopped):
        interrupted = True
    report(results)
    if interrupted:
        print("stopped; the same command goes on from here")
        return 130
    return 1 if trial.failed else 0


if __name__ == "__main__":
    sys.exit(main())
