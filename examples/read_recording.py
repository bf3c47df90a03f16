#!/usr/bin/env python3
"""Reads a recording of `linchpin simulate --record` with h5py, and nothing of linchpin's.

    linchpin simulate @stack --time 2 --record run.h5
    python3 read_recording.py run.h5

docs/recordings.md has the layout.
"""
import json
import sys

import h5py
import numpy as np


def main(name):
    # swmr: also where the run was killed, or still goes on.
    with h5py.File(name, "r", swmr=True) as file:
        if file.attrs.get("format") not in ("linchpin recording", b"linchpin recording"):
            sys.exit(f"{name}: no recording of linchpin")
        model = json.loads(file["model"][0])
        settings = json.loads(file["settings"][0])
        block = file["blocks"][-1]  # what is whole
        n = block["frames"]
        time = file["frames/time"][:n]
        energy = file["frames/energy"][:n]
        certificate = file["frames/certificate"][n - 1]

        print(f"{settings['source']}: {len(model['bodies'])} bodies, {n} frames, {time[0]:g} to {time[-1]:g} s, "
              f"{('unfinished', 'done', 'failed', 'stopped')[block['end']]}")
        total = energy["kinetic"] + energy["gravity"] + energy["springs"]
        print(f"energy {total[0]:.6g} J at the start, {total[-1]:.6g} J at the end, "
              f"unaccounted for {np.abs(energy['defect']).max():.1e} J")
        if "verdict" in certificate.dtype.names:  # not in files of older versions
            print(f"certificate: {('passed', 'passed loosely', 'failed')[certificate['verdict']]}")
        print(f"residual {certificate['residual']:.1e}, penetration {certificate['penetration']:.1e} m, "
              f"{certificate['impacts']} impacts")

        if "q" in file["frames"]:
            q = file["frames/q"][:n]
            names = [text.decode() for text in file["names/q"][:]]
            widest = np.argsort(np.ptp(q, axis=0))[::-1][:3]
            for i in widest:
                print(f"  {names[i]:<24} {q[:, i].min(): .4f} .. {q[:, i].max(): .4f}")

        # The contacts of frame i are rows ends[i - 1] to ends[i].
        ends = file["frames/ends"]["contacts"][:n]
        count = np.diff(ends, prepend=0)
        print(f"contacts: at most {count.max()}")
        contacts = file["contacts"][ends[n - 2] if n > 1 else 0:ends[n - 1]]
        if len(contacts):
            shapes = [text.decode() for text in file["names/shapes"][:]]
            hardest = contacts[np.argmax(contacts["normal_force"])]
            print(f"hardest at the end: {hardest['normal_force']:.4g} N from {shapes[hardest['shape_b']]} "
                  f"on {shapes[hardest['shape_a']]} at {np.round(hardest['point'], 4)}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
