#!/usr/bin/env python3
"""An independent check of random runs that passed their certificate.

    scripts/random_runs.py [--seed 1] [--runs 300] [--jobs 1] [--time-limit 60] [--linchpin PATH] [--keep FOLDER]
    scripts/random_runs.py --self-test    shows that the checks find planted faults; needs no linchpin

Draws models by seed (random_check/drawing.py; run i has the seed --seed + i), simulates each by `linchpin simulate`,
and computes again, from the model and the CSV files alone, poses, energy, momentum, distances and friction of those
runs that passed (random_check/checks.py has the list of checks). Prints a table of counts and each violation with its
seed; --keep keeps the models of runs with a violation, a crash or a timeout. The same seed gives the same runs.
Exit status 1 if there was a violation or a crash, 2 if nothing could be run.
"""
import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict

sys.dont_write_bytecode = True
from random_check import checks, drawing, planted  # noqa: E402
from random_check.run import Run, Unreadable  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
OUTCOMES = ("passed", "passed loosely", "failed", "refused", "crash", "timeout")
MOST_LINES = 60  # of violations on the screen; all are counted


class Result:
    def __init__(self, seed, drawn):
        self.seed, self.family, self.model = seed, drawn["family"], drawn["model"]
        self.settings = f"--time {drawn['time']!r} --dt {drawn['dt']!r} --stepper {drawn['stepper']}"
        self.outcome, self.reason, self.steps = "", "", 0
        self.violations, self.figures = [], {}


def command_of(drawn, linchpin, folder):
    return [linchpin, "simulate", f"{folder}/model.json", "--time", repr(drawn["time"]), "--dt", repr(drawn["dt"]),
            "--stepper", drawn["stepper"], "--csv", f"{folder}/rows.csv", "--json", f"{folder}/run.json",
            "--every", "1", "--quiet"] + (["--contacts", f"{folder}/contacts.csv"] if has_contacts(drawn) else [])


def has_contacts(drawn):
    return drawn["stepper"] == "time_stepping"


def text_of(file):
    with open(file, encoding="utf-8") as f:
        return f.read()


def simulate(drawn, linchpin, time_limit, folder, result):
    """Fills outcome and reason; returns the certificate if there is one."""
    with open(f"{folder}/model.json", "w", encoding="utf-8") as f:
        json.dump(drawn["model"], f)
    try:
        done = subprocess.run(command_of(drawn, linchpin, folder), capture_output=True, text=True, timeout=time_limit,
                              check=False)
    except subprocess.TimeoutExpired:
        result.outcome, result.reason = "timeout", f"more than {time_limit:g} s"
        return None
    if done.returncode not in (0, 1, 2):
        result.outcome, result.reason = "crash", f"status {done.returncode}: {done.stderr[:200]}"
        return None
    if done.returncode == 2 or not os.path.exists(f"{folder}/run.json"):
        result.outcome, result.reason = "refused", done.stderr[:200].strip()
        return None
    certificate = json.loads(text_of(f"{folder}/run.json"))["certificate"]
    passed = {"passed": "passed", "passed_loosely": "passed loosely"}
    result.outcome = passed.get(certificate["verdict"], "failed")
    result.reason = certificate["reason"] or ""
    if (done.returncode == 0) != (result.outcome != "failed"):
        result.violations.append(checks.Violation("status", 0, done.returncode, 0, "exit status against the verdict"))
    return certificate


def run_one(job):
    seed, linchpin, time_limit = job
    drawn = drawing.draw(seed)
    result = Result(seed, drawn)
    with tempfile.TemporaryDirectory() as folder:
        certificate = simulate(drawn, linchpin, time_limit, folder, result)
        if result.outcome not in ("passed", "passed loosely"):
            return result
        try:
            contacts = text_of(f"{folder}/contacts.csv") if has_contacts(drawn) else ""
            run = Run(drawn["model"], text_of(f"{folder}/rows.csv"), contacts, certificate, drawn["dt"])
        except (Unreadable, ValueError, IndexError) as error:
            result.violations.append(checks.Violation("files", 0, 0, 0, str(error)))
            return result
    result.steps = len(run.rows) - 1
    # Links of a chain without loss may strike each other, without restitution.
    struck = drawn["family"] == "smooth" and any(c.force != (0, 0, 0) for step in run.contacts for c in step)
    judged = checks.check(run, drawn["conservative"] and not struck, has_contacts(drawn))
    result.violations += judged.violations
    result.figures = judged.figures
    return result


def keep(result, folder):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{result.seed}.json", "w", encoding="utf-8") as f:
        json.dump(result.model, f)
    with open(f"{folder}/{result.seed}.txt", "w", encoding="utf-8") as f:
        f.write(f"linchpin simulate {result.seed}.json {result.settings}\n{result.outcome}: {result.reason}\n")
        f.writelines(f"{v.check}: t = {v.time:.6g}, {v.value:.6g} beyond {v.limit:.3g} {v.text}\n"
                     for v in result.violations)


def tell(result):
    """The lines of one result that is worth some."""
    name = f"seed {result.seed} ({result.family}, {result.settings})"
    if result.outcome in ("crash", "timeout"):
        print(f"{result.outcome.upper()}  {name}: {result.reason}")
    for v in result.violations:
        print(f"VIOLATION  {name}\n  {v.check}: t = {v.time:.6g}, {v.value:.6g} beyond {v.limit:.3g} {v.text}")
    sys.stdout.flush()


def quantile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def summary(results, seconds):
    print(f"\n{len(results)} runs in {seconds:.0f} s, {sum(r.steps for r in results)} steps checked\n")
    counts = defaultdict(Counter)
    for r in results:
        for row in (r.family, "all"):
            counts[row][r.outcome] += 1
            counts[row]["violations"] += bool(r.violations)
    columns = OUTCOMES + ("violations",)
    print(f"{'family':<10}" + "".join(f"{c:>16}" for c in columns))
    for family in [f for f, _ in drawing.FAMILIES] + ["all"]:
        print(f"{family:<10}" + "".join(f"{counts[family][c]:>16}" for c in columns))
    kinds = Counter(v.check for r in results for v in r.violations)
    print("\nviolations by check: " + (", ".join(f"{k} {n}" for k, n in sorted(kinds.items())) or "none"))
    figures = defaultdict(list)
    for r in results:
        for name, value in r.figures.items():
            figures[name].append(value)
    print(f"\n{'largest of a run':<40}{'runs':>8}{'median':>12}{'99 %':>12}{'largest':>12}")
    for name, values in sorted(figures.items()):
        print(f"{name:<40}{len(values):>8}" + "".join(f"{quantile(values, p):>12.2e}" for p in (0.5, 0.99, 1)))


def reasons(results):
    """Why runs failed or were refused, the most frequent first."""
    found = Counter(f"{r.outcome}: {''.join(c for c in r.reason if not c.isdigit())[:90]}"
                    for r in results if r.outcome in ("failed", "refused"))
    for reason, n in found.most_common(10):
        print(f"{n:>6}  {reason}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="of the first run; the others follow")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time, at most 2")
    parser.add_argument("--time-limit", type=float, default=60, help="of a run, s")
    parser.add_argument("--linchpin", default=f"{ROOT}/build/release/apps/linchpin", help="the program")
    parser.add_argument("--keep", help="folder for the models of runs with a violation, a crash or a timeout")
    parser.add_argument("--print-model", action="store_true", help="print the model of --seed and its settings")
    parser.add_argument("--self-test", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    if options.self_test:
        return planted.self_test()
    if options.print_model:
        drawn = drawing.draw(options.seed)
        print(json.dumps(drawn["model"]))
        print(Result(options.seed, drawn).settings, file=sys.stderr)
        return 0
    if not os.access(options.linchpin, os.X_OK):
        print(f"{options.linchpin} cannot be run; say --linchpin PATH", file=sys.stderr)
        return 2
    began, results = time.time(), []
    jobs = [(options.seed + i, options.linchpin, options.time_limit) for i in range(options.runs)]
    with multiprocessing.Pool(max(1, min(2, options.jobs))) as pool:
        for result in pool.imap(run_one, jobs, chunksize=4):
            bad = result.violations or result.outcome in ("crash", "timeout")
            if bad and sum(1 for r in results if r.violations) < MOST_LINES:
                tell(result)
            if bad and options.keep:
                keep(result, options.keep)
            result.model = None
            results.append(result)
    summary(results, time.time() - began)
    reasons(results)
    return 1 if any(r.violations or r.outcome == "crash" for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
