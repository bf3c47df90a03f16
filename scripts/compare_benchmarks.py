#!/usr/bin/env python3
"""scripts/compare_benchmarks.py OLD NEW [--rounds 10] [--suites dynamics compliance contact solvers] [--all]

Runs the benchmark suites of two linchpin programs in turns (OLD, NEW, OLD, NEW, ...) with --quick --no-peers, and
prints for each row the ratio of the medians, NEW / OLD: below 1, NEW is faster. Beside it stands the noise: how far the
medians of OLD's odd and even rounds differ. Rows within the noise, or within 3 %, are left out unless --all is given.
Status 1 if a row is slower by more than that. Only times are compared (rows in us, ms, s or ns/joint).
"""
import argparse
import collections
import json
import statistics
import subprocess
import sys
import tempfile

LEAST = 0.03  # ratios nearer to 1 than this say nothing on a machine that is not idle


def rows_of(program, suite):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, "bench", suite, "--quick", "--no-peers", "--json", file.name], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = json.load(open(file.name))["rows"]
    seen = collections.Counter()
    for row in rows:
        if row["who"] != "linchpin" or not row["value"] or row["unit"] not in ("us", "ms", "s", "ns/joint"):
            continue
        key = (row["suite"], row["case"], row["size"], row["metric"], row.get("scalar", ""))
        seen[key] += 1
        yield key + (seen[key],), row["value"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--suites", nargs="+", default=["dynamics", "compliance", "contact", "solvers"])
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    times = {arguments.old: collections.defaultdict(list), arguments.new: collections.defaultdict(list)}
    for k in range(arguments.rounds):
        for program, found in times.items():
            for suite in arguments.suites:
                for key, value in rows_of(program, suite):
                    found[key].append(value)
        print(f"round {k + 1} of {arguments.rounds}", file=sys.stderr)
    slower = compared = 0
    ratios = []
    for key, old in times[arguments.old].items():
        new = times[arguments.new].get(key)
        if not new or len(old) < 2:
            continue
        compared += 1
        ratio = statistics.median(new) / statistics.median(old)
        noise = abs(statistics.median(old[::2]) / statistics.median(old[1::2]) - 1)
        ratios.append(ratio)
        beyond = abs(ratio - 1) > max(noise, LEAST)
        slower += beyond and ratio > 1
        if beyond or arguments.all:
            suite, case, size, metric, scalar, _ = key
            print(f"{ratio:6.3f}  noise {noise:5.3f}  {statistics.median(old):10.4g} -> "
                  f"{statistics.median(new):10.4g}  {suite}: {case} ({size}), {metric} {scalar}")
    print(f"{compared} rows, {slower} slower beyond the noise; median ratio {statistics.median(ratios):.3f}")
    return slower > 0


if __name__ == "__main__":
    sys.exit(main())
