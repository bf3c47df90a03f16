"""The checks of a run that passed its certificate. Each returns its violations and leaves figures for the summary.

| check       | what must hold                                                                                     |
|-------------|----------------------------------------------------------------------------------------------------|
| finite      | every number of both files is finite                                                               |
| columns     | the energies of the CSV are those of its q and v                                                   |
| energy      | stored energy never rises above an earlier value, in conservative scenes it does not fall either   |
| body        | the energy of a free body that touches fixed ones only does not rise in a step                     |
| momentum    | of each free body: m (v+ - v) = h m g + contact impulses                                           |
| spin        | the same for its angular momentum about its centre of mass                                         |
| penetration | signed distances of all pairs of shapes in every row, against the certificate's limit and figure   |
| tunnelling  | no two shapes pass through each other between rows                                                 |
| limits      | of joints                                                                                          |
| loops       | closed                                                                                             |
| cone        | normal forces push, friction is within its cone                                                    |
"""
import math
from collections import namedtuple

from . import vectors as v
from .balance import ENERGY, ROUNDING, Balance, badness
from .distance import careful_gap, gap, half_thickness
from .path import changed_sides, passed_through

Violation = namedtuple("Violation", "check time value limit text")

LIMITS = 1e-6  # rad or m; the stepper removes more than 1e-9 in the next step
ANGLES = 2e-5  # rad, of ball joints: the limit is curved; the stepper corrects more than 1e-5 at the end of an interval
LOOPS = 1e-8   # m or rad; the stepper's loop_tolerance is 1e-10, of each row


class Checks:
    def __init__(self, run, conservative=False, collides=True):
        self.run, self.m, self.conservative, self.collides = run, run.mechanism, conservative, collides
        self.violations, self.figures = [], {}
        self.balance = Balance(run)

    def fail(self, check, time, value, limit, text):
        self.violations.append(Violation(check, time, value, limit, text))

    def figure(self, name, value):
        self.figures[name] = max(self.figures.get(name, 0), value)

    def judge(self, check, worst):
        """worst: (value / limit, time, value, limit, text), of the worst step."""
        if worst and not worst[0] <= 1:
            self.fail(check, *worst[1:])

    def all(self):
        if self.run.not_finite:
            time, column = self.run.not_finite
            self.fail("finite", time, math.nan, 0, f"{column} is not finite")
            return self
        self.energy()
        self.momentum()
        if self.collides:  # smooth steppers let shapes pass through each other, and say so
            self.penetration()
            self.tunnelling()
            self.cone()
        self.limits()
        self.loops()
        return self

    # ---- energy -----------------------------------------------------------------------------------------------------

    def energy(self):
        rows = self.run.rows
        total = [sum(r.energies) for r in rows]
        size = max(abs(x) for r in rows for x in r.energies)
        for r in rows:
            off = max(abs(a - b) for a, b in zip(r.energies, r.reported))
            if not off <= ROUNDING * size:
                self.fail("columns", r.time, off, ROUNDING * size, "J, energy of the CSV from that of its q and v")
                break
        first = rows[0].energies
        exchanged = max(max(r.energies[0], abs(r.energies[1] - first[1]), abs(r.energies[2] - first[2])) for r in rows)
        exchanged = max(exchanged, total[0] - min(total), 1e-9 * size)
        unresolved = self.unresolved()
        scale = max(exchanged, unresolved)
        lowest, worst, rise = total[0], None, 0.0
        for r, e in zip(rows, total):
            lowest, rise = min(lowest, e), max(rise, e - lowest)
            for grown, part, since in ((e - total[0], ENERGY, "the start"), (e - lowest, 2 * ENERGY, "a lower value")):
                limit = part * scale
                here = (grown / limit if grown else 0.0, r.time, grown, limit,
                        f"J, a rise above {since}; {exchanged:.3g} J exchanged")
                worst = max(filter(None, (worst, here)), key=badness)
        limit = ENERGY * scale
        self.figure("energy rise", rise / max(scale, 1e-300))
        self.judge("energy", worst)
        if self.conservative:
            fall = total[0] - min(total)
            self.figure("energy fall", fall / max(scale, 1e-300))
            if not fall <= limit:
                self.fail("energy", rows[-1].time, fall, limit, f"J, a fall in a conservative scene; {exchanged:.3g} J "
                          "exchanged")

    def unresolved(self):
        """Of a fall of ten steps (energy_balance.h (2))."""
        g = v.norm(self.m.gravity)
        return self.m.total_mass() * (10 * g * self.run.dt) ** 2 / 2

    # ---- momentum ---------------------------------------------------------------------------------------------------

    def momentum(self):
        for joint in self.m.joints:
            if not self.m.is_free(joint):
                continue
            body = self.m.bodies[joint.child]
            linear = spin = energy = None
            for k in range(len(self.run.rows) - 1):
                linear = max(filter(None, (linear, self.balance.linear(body, k))), key=badness)
                spin = max(filter(None, (spin, self.balance.spin(body, k))), key=badness)
                energy = max(filter(None, (energy, self.balance.energy(body, k))), key=badness, default=None)
            self.judge("body", energy)
            if energy:
                self.figure("rise of a body / limit", energy[0])
            self.judge("momentum", linear)
            self.judge("spin", spin)
            if linear:
                self.figure("momentum / limit", linear[0])
                self.figure("spin / limit", spin[0])

    # ---- geometry ---------------------------------------------------------------------------------------------------

    def normals(self, k, a, b):
        """Normals of the contacts reported in the steps beside row k: directions to try."""
        owners = {a.owner, b.owner}
        steps = [self.run.contacts[i] for i in (k - 1, k) if 0 <= i < len(self.run.contacts)]
        found = [c.normal for step in steps for c in step if {c.a, c.b} == owners]
        return [d for n in found for d in (n, v.mul(-1, n))]

    def penetration(self):
        limit = self.run.certificate["contact"]["penetration_limit"]
        certified = self.run.certificate["contact"]["penetration"]
        deepest = (0.0, 0.0, "")
        seen = 0.0  # at the starts of steps, which is where the certificate looks
        for k, r in enumerate(self.run.rows):
            for a, b in self.m.pairs:
                x, y = r.placed[a.name], r.placed[b.name]
                if v.norm(v.sub(x.p, y.p)) > x.bound + y.bound:
                    continue
                depth = -gap(x, y)
                if depth > max(certified, 0) + 1e-8:
                    depth = -careful_gap(x, y, self.normals(k, a, b))
                if depth > deepest[0]:
                    deepest = (depth, r.time, f"m, {a.name} in {b.name}")
                if k + 1 < len(self.run.rows):
                    seen = max(seen, depth)
        self.figure("penetration", deepest[0])
        self.figure("penetration beyond the certificate's", max(0.0, seen - certified))
        if not deepest[0] <= limit:
            self.fail("penetration", deepest[1], deepest[0], limit, deepest[2] + f"; certified {certified:.3g}")
        elif not seen <= certified + 1e-6:
            self.fail("penetration", deepest[1], seen, certified + 1e-6, "m, more than certified: " + deepest[2])

    def tunnelling(self):
        for k in range(len(self.run.rows) - 1):
            for a, b in self.m.pairs:
                thick = half_thickness(a.spec) + half_thickness(b.spec)
                if math.isinf(thick):
                    continue  # a half-space has no other side: a body that passed it stays in it
                x, y = (self.run.rows[k].placed[s.name] for s in (a, b))
                path = self.balance.path(k)
                travel = path.travel(a, b)
                if travel < thick or v.norm(v.sub(x.p, y.p)) > x.bound + y.bound + travel:
                    continue
                self.figures["fast steps"] = self.figures.get("fast steps", 0) + 1
                part = passed_through(path, a, b)
                if part is None:
                    self.figures["fast steps, path unknown"] = self.figures.get("fast steps, path unknown", 0) + 1
                    if b.owner in self.m.fixed and b.spec["kind"] == "box" and changed_sides(path, a, b):
                        self.fail("tunnelling", self.run.rows[k + 1].time, 1, 0, f"{a.name} is beyond {b.name}")
                    continue
                # Where a contact acts, the path bends into the shape by second order, and comes out where it was.
                limit = 1.0 if self.pushes(k, a, b) else 0.5
                self.figure("overlap on the way / half thicknesses", part)
                if not part <= limit:
                    self.fail("tunnelling", self.run.rows[k + 1].time, part, limit,
                              f"of the half thicknesses, {a.name} through {b.name}")

    def pushes(self, k, a, b):
        return any({c.a, c.b} == {a.owner, b.owner} and c.force != v.ZERO for c in self.run.contacts[k])

    # ---- joints -----------------------------------------------------------------------------------------------------

    def limits(self):
        for j in self.m.joints:
            if j.type not in ("revolute", "prismatic", "ball"):
                continue
            lower, upper = j.dofs[0].get("lower", -math.inf), j.dofs[0].get("upper", math.inf)
            worst = None
            for r in self.run.rows:
                q, limit = r.q[j.name][0], LIMITS
                if j.type == "ball":
                    q, limit = v.quaternion_angle((1, 0, 0, 0), r.q[j.name]), ANGLES
                off = max(lower - q, q - upper)
                here = (off / limit, r.time, off, limit, f"rad or m, {j.name} beyond its limit")
                worst = max(filter(None, (worst, here)), key=badness)
            self.figure("beyond limits, " + ("ball" if j.type == "ball" else "others"), max(0.0, worst[2]))
            self.judge("limits", worst)

    def loops(self):
        for loop in self.m.loops:
            for r in self.run.rows:
                A, B = (self.m.frame(loop[side], r.poses) for side in "ab")
                off = v.norm(v.sub(A[1], B[1]))
                if loop["type"] == "pin":
                    off = max(off, v.norm(v.cross(v.column(A[0], 2), v.column(B[0], 2))))
                self.figure("loop", off)
                if not off <= LOOPS:
                    self.fail("loops", r.time, off, LOOPS, f"m or rad, {loop['name']} is open")
                    break

    # ---- contact forces ---------------------------------------------------------------------------------------------

    def cone(self):
        mu_of = {}
        for a, b in self.m.pairs:
            key = frozenset((a.owner, b.owner))
            mu_of[key] = max(mu_of.get(key, 0.0), math.sqrt(a.mu * b.mu))
        largest = max((v.norm(c.force) for step in self.run.contacts for c in step), default=0.0)
        worst = None
        for k, step in enumerate(self.run.contacts):
            for c in step:
                key = frozenset((c.a, c.b))
                if key not in mu_of:
                    self.fail("cone", self.run.rows[k + 1].time, 0, 0, f"{c.a} and {c.b} may not touch")
                    return
                worst = max(filter(None, (worst, self.balance.of_cone(c, k, mu_of[key], largest))), key=badness)
        self.judge("cone", worst)
        if worst:
            self.figure("cone / limit", worst[0])


def check(run, conservative=False, collides=True):
    return Checks(run, conservative, collides).all()
