"""The checks of a run that passed its certificate. Each returns its violations and leaves figures for the summary.

| check       | what must hold                                                                                     |
|-------------|----------------------------------------------------------------------------------------------------|
| finite      | every number of both files is finite                                                               |
| columns     | the energies of the CSV are those of its q and v                                                   |
| energy      | stored energy never rises above an earlier value, in conservative scenes it does not fall either   |
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
from .distance import careful_gap, gap, half_thickness
from .path import Path, changed_sides, passed_through

Violation = namedtuple("Violation", "check time value limit text")

# Of the energy exchanged: what the certificate allows (CertificateLimits::energy).
ENERGY = 0.1
# Round-off. A mean force is an impulse over h, and velocities of a light body beside a heavy one are differences.
ROUNDING = 1e-9
LIMITS = 1e-4  # rad or m; that of penetration
LOOPS = 1e-8   # m or rad; the stepper's loop_tolerance is 1e-10, of each row


class Checks:
    def __init__(self, run, conservative=False):
        self.run, self.m, self.conservative = run, run.mechanism, conservative
        self.violations, self.figures = [], {}
        self.paths = {}  # the last one asked for

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
        self.penetration()
        self.tunnelling()
        self.limits()
        self.loops()
        self.cone()
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
        lowest, rise, at = total[0], 0.0, 0.0
        for r, e in zip(rows, total):
            lowest = min(lowest, e)
            if e - lowest > rise:
                rise, at = e - lowest, r.time
        limit = ENERGY * max(exchanged, unresolved)
        self.figure("energy rise", rise / max(exchanged, unresolved, 1e-300))
        if not rise <= limit:
            self.fail("energy", at, rise, limit, f"J, a rise; {exchanged:.3g} J exchanged")
        if self.conservative:
            fall = total[0] - min(total)
            self.figure("energy fall", fall / max(exchanged, unresolved, 1e-300))
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
            linear = spin = None
            for k in range(len(self.run.rows) - 1):
                linear = max(filter(None, (linear, self.linear(body, k))), key=badness)
                spin = max(filter(None, (spin, self.spin(body, k))), key=badness)
            self.judge("momentum", linear)
            self.judge("spin", spin)
            if linear:
                self.figure("momentum / limit", linear[0])
                self.figure("spin / limit", spin[0])

    def ends(self, body, k):
        rows = self.run.rows[k:k + 2]
        return [self.m.momentum(body, r.poses[body.name], r.velocities[body.name]) for r in rows]

    def of_body(self, body, k):
        return [c for c in self.run.contacts[k] if body.name in (c.a, c.b)]

    def turning(self, body, k):
        """The angle that the body turns by in step k."""
        return self.run.h(k) * max(v.norm(r.velocities[body.name][0]) for r in self.run.rows[k:k + 2])

    def jump(self, body, k):
        """The change of the body's angular velocity in step k if contacts act on it, else 0."""
        if all(c.force == v.ZERO for c in self.of_body(body, k)):
            return 0.0
        return v.norm(v.sub(*(r.velocities[body.name][0] for r in self.run.rows[k:k + 2])))

    def linear(self, body, k):
        h = self.run.h(k)
        (p, _, _), (p_end, _, _) = self.ends(body, k)
        expected = v.along(p, h * body.mass, self.m.gravity)
        size = v.norm(p) + v.norm(p_end) + h * body.mass * v.norm(self.m.gravity)
        for c in self.of_body(body, k):
            z = self.run.impulse(c, body.name, k)
            expected = v.add(expected, z)
            size += v.norm(z)
        # The velocity of a centre away from the joint's origin turns with the body: third order in its angle.
        # Where the body's spin jumps, first order in its angle: rows and masses are those of one moment of the step.
        turning, arm = min(self.turning(body, k), 1), body.mass * v.norm(body.centre)
        limit = ROUNDING * size + arm * (turning**3 / h + turning * self.jump(body, k)) + 1e-300
        off = v.norm(v.sub(p_end, expected))
        return (off / limit, self.run.rows[k + 1].time, off, limit, f"N s, unexplained change of {body.name}'s momentum")

    def spin(self, body, k):
        h = self.run.h(k)
        (p, L, c), (p_end, L_end, c_end) = self.ends(body, k)
        contacts = self.of_body(body, k)
        size = v.norm(L) + v.norm(L_end)
        turning = self.turning(body, k)
        speed = h * max(v.norm(p), v.norm(p_end)) / body.mass
        slack = 0.0
        for contact in contacts:
            lever = v.norm(v.sub(contact.point, c))
            z = v.norm(self.run.impulse(contact, body.name, k))
            size += lever * z
            # Where within the step the force acted is not known, only that the point moved with the bodies.
            slack += z * (turning * lever + speed + abs(contact.gap) + self.rim(body, contact, k))
        least = math.inf
        for centre in (c, v.mul(0.5, v.add(c, c_end)), c_end, v.along(c, h / (2 * body.mass), p)):
            expected = L
            for contact in contacts:
                z = self.run.impulse(contact, body.name, k)
                expected = v.add(expected, v.cross(v.sub(contact.point, centre), z))
            least = min(least, v.norm(v.sub(L_end, expected)))
        turning = min(turning, 1)
        # The correction of penetration turns bodies, and leaves velocities as they are: in the body's axes.
        path = self.path(k).misses[self.m.joint_of[body.name].name]
        slack += v.norm(L_end) * path[0]
        gyroscopic = self.unlike(body) * (size * turning**3 + largest_moment(body) * turning * self.jump(body, k))
        limit = ROUNDING * size + slack + gyroscopic + 1e-300
        return (least / limit, self.run.rows[k + 1].time, least, limit,
                f"N m s, unexplained change of {body.name}'s angular momentum about its centre")

    def rim(self, body, contact, k):
        """How far a contact point runs along the rim of a cylinder in step k, m: the faster the flatter it lies."""
        farthest = 0.0
        for shape in body.shapes:
            if shape.spec["kind"] == "cylinder":
                axis = v.column(self.run.rows[k].placed[shape.name].R, 2)
                tilt = v.norm(v.cross(axis, contact.normal))
                diameter = 2 * shape.spec["radius"]
                turning = self.turning(body, k) + 1e-6
                farthest = max(farthest, diameter * min(1, turning / max(tilt - turning, 1e-300)) if tilt > turning
                               else diameter)
        return farthest

    def path(self, k):
        if k not in self.paths:
            self.paths = {k: Path(self.run, k)}
        return self.paths[k]

    @staticmethod
    def unlike(body):
        """0 if all moments of inertia are the same, as gyroscopic moments are then; else 1."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.moments
        return 0.0 if max(abs(xx - yy), abs(xx - zz), abs(xy), abs(xz), abs(yz)) <= 1e-12 * xx else 1.0

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
                path = self.path(k)
                travel = path.travel(a, b)
                if travel < thick or v.norm(v.sub(x.p, y.p)) > x.bound + y.bound + travel:
                    continue
                self.figures["fast steps"] = self.figures.get("fast steps", 0) + 1
                part = passed_through(path, a, b)
                if part is None:
                    self.figures["fast steps, path unknown"] = self.figures.get("fast steps, path unknown", 0) + 1
                    if b.owner in self.m.fixed and b.spec["kind"] == "box" and changed_sides(path, a, b):
                        self.fail("tunnelling", self.run.rows[k + 1].time, 1, 0, f"{a.name} is beyond {b.name}")
                elif part > 0.5:
                    self.fail("tunnelling", self.run.rows[k + 1].time, part, 0.5,
                              f"of the half thicknesses, {a.name} through {b.name}")

    # ---- joints -----------------------------------------------------------------------------------------------------

    def limits(self):
        for j in self.m.joints:
            if j.type not in ("revolute", "prismatic", "ball"):
                continue
            lower, upper = j.dofs[0].get("lower", -math.inf), j.dofs[0].get("upper", math.inf)
            worst = (0.0, 0.0)
            for r in self.run.rows:
                q = v.quaternion_angle((1, 0, 0, 0), r.q[j.name]) if j.type == "ball" else r.q[j.name][0]
                worst = max(worst, (max(lower - q, q - upper), r.time))
            self.figure("beyond limits", worst[0])
            if not worst[0] <= LIMITS:
                self.fail("limits", worst[1], worst[0], LIMITS, f"rad or m, {j.name} beyond its limit")

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
                worst = max(filter(None, (worst, self.of_cone(c, k, mu_of[key], largest))), key=badness)
        self.judge("cone", worst)
        if worst:
            self.figure("cone / limit", worst[0])

    def of_cone(self, c, k, mu, largest):
        normal = v.dot(c.force, c.normal)
        friction = v.norm(v.along(c.force, -normal, c.normal))
        size = v.norm(c.force)
        # The force is the sum over the parts of a step, the normal that of the last. It turns unless it is a plane's.
        slack = ROUNDING * (size + 1e-3 * largest) + 1e-6 * size + self.normal_turns(c, k) * size + 1e-300
        excess = max(friction - mu * max(normal, 0.0), -normal)
        return (excess / slack, self.run.rows[k + 1].time, excess, slack,
                f"N beyond the cone between {c.a} and {c.b}, mu {mu:.3g}, normal {normal:.6g}, friction {friction:.6g}")

    def normal_turns(self, c, k):
        """Bound of the angle that the normal turns by in step k."""
        if "world" in (c.a, c.b) and all(s.spec["kind"] == "half_space" for s in self.m.world_shapes):
            return 0.0
        turn, thin = 0.0, math.inf
        for name in (c.a, c.b):
            body = self.m.bodies.get(name)
            shapes = body.shapes if body else self.m.world_shapes
            thin = min([thin] + [half_thickness(s.spec) for s in shapes])
            for r in self.run.rows[k:k + 2]:
                w, u = r.velocities[name]
                turn = max(turn, self.run.h(k) * v.norm(w))
        slide = max(v.norm(v.sub(r.velocities[c.a][1], r.velocities[c.b][1])) for r in self.run.rows[k:k + 2])
        return 2 * (turn + self.run.h(k) * slide / thin)


def largest_moment(body):
    """A bound."""
    return body.moments[0][0] + body.moments[1][1] + body.moments[2][2]


def badness(worst):
    """NaN is the worst."""
    return math.inf if math.isnan(worst[0]) else worst[0]


def check(run, conservative=False):
    return Checks(run, conservative).all()
