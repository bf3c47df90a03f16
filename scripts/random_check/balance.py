"""Momentum and friction of single bodies and contacts in one step, with the errors that the stepper may have there.

Each result is (value / limit, time, value, limit, text).
"""
import math

from . import vectors as v
from .distance import half_thickness
from .path import Path

# Round-off. A mean force is an impulse over h, and velocities of a light body beside a heavy one are differences.
ROUNDING = 1e-9
# Of the energy exchanged: what the certificate allows for the defect, in either direction (CertificateLimits::energy).
ENERGY = 0.1
# Part of the largest velocity of all bodies up to which the stepper finds velocity products (worth_a_round, forces.cc).
ROUNDS = 1e-5
RESOLVED = 0.3  # rad: a body that turns farther in a step may have any energy in between


class Balance:
    def __init__(self, run):
        self.run, self.m = run, run.mechanism
        self.paths = {}  # the last one asked for

    def fastest(self, k):
        return max(abs(x) for r in self.run.rows[k:k + 2] for v_joint in r.v.values() for x in v_joint)

    def rounding(self, k):
        """Relative. The last step may be short, and its length is known to 1e-12 s only."""
        return ROUNDING + 1e-12 / self.run.h(k)

    def ends(self, body, k):
        rows = self.run.rows[k:k + 2]
        return [self.m.momentum(body, r.poses[body.name], r.velocities[body.name]) for r in rows]

    def of_body(self, body, k):
        return [c for c in self.run.contacts[k] if body.name in (c.a, c.b)]

    def turned(self, body, k):
        """The angle between the rows of step k, at most a half turn."""
        A, B = (r.poses[body.name][0] for r in self.run.rows[k:k + 2])
        C = v.product(v.transpose(A), B)
        return 0.5 * v.norm((C[2][1] - C[1][2], C[0][2] - C[2][0], C[1][0] - C[0][1]))

    def turning(self, body, k):
        """The angle that the body turns by in step k, by the velocities at its ends, or as it is seen."""
        by_rate = self.run.h(k) * max(v.norm(r.velocities[body.name][0]) for r in self.run.rows[k:k + 2])
        return max(by_rate, self.turned(body, k))

    def jump(self, body, k):
        """The change of the body's angular velocity in step k if contacts act on it, else 0. Between the rows it may
        have had another one."""
        if all(c.force == v.ZERO for c in self.of_body(body, k)):
            return 0.0
        change = v.norm(v.sub(*(r.velocities[body.name][0] for r in self.run.rows[k:k + 2])))
        return max(change, 2 * self.turned(body, k) / self.run.h(k))

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
        # 8 per contact: before and after, and a body that rattles on several contacts has jumped many times.
        # 4 + turning: the acceleration w^2 c has one direction for the whole step, the true one turns with the body.
        turning, arm = self.turning(body, k), body.mass * v.norm(body.centre)
        order = 1 if self.of_body(body, k) else 2  # of the velocity products, as in spin()
        jumps = 8 * sum(c.force != v.ZERO for c in self.of_body(body, k))
        products = turning**order if turning < 1 else 4 + turning
        bent = products * turning / h + jumps * min(turning, 1) * self.jump(body, k)
        limit = self.rounding(k) * size + arm * (bent + ROUNDS * self.fastest(k)) + 1e-300
        off = v.norm(v.sub(p_end, expected))
        return (off / limit, self.run.rows[k + 1].time, off, limit,
                f"N s, unexplained change of {body.name}'s momentum")

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
            slack += z * ((turning + self.normal_turns(contact, k)) * lever + 0.25 * speed + abs(contact.gap) +
                          self.rim(contact, k))
        least = math.inf
        # Between one of these and the true place is at most a quarter of the way.
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
        # Second order where a contact has a row, even if that carries nothing: the gyroscopic moment is then that of
        # the start.
        order = 2 if contacts else 3
        # Velocities are predicted from those of whole steps, also for a last one that is short.
        whole = min(turning * self.run.dt / h, 1)
        unknown = self.jump(body, k) + ROUNDS * self.fastest(k)  # of the velocity in between
        gyroscopic = size * whole ** (order - 1) + largest_moment(body) * unknown
        gyroscopic *= self.unlike(body) * turning
        limit = self.rounding(k) * size + slack + gyroscopic + 1e-300
        return (least / limit, self.run.rows[k + 1].time, least, limit,
                f"N m s, unexplained change of {body.name}'s angular momentum about its centre")

    def energy(self, body, k):
        """The rise of the body's own energy in a step in which it touches fixed bodies only. None where it touches
        others, or turns too fast to tell. The scale is its kinetic energy before, not after: what explodes must not
        be the measure of itself."""
        before, after = self.run.rows[k:k + 2]
        h = self.run.h(k)
        if h * v.norm(before.velocities[body.name][0]) > RESOLVED:
            return None
        if any({c.a, c.b} - {body.name} - self.m.fixed for c in self.of_body(body, k) if c.force != v.ZERO):
            return None
        energies = []
        for row, (p, L, c) in zip((before, after), self.ends(body, k)):
            kinetic = 0.5 * v.dot(p, p) / body.mass + 0.5 * v.dot(row.velocities[body.name][0], L)
            energies.append((kinetic, kinetic - body.mass * v.dot(self.m.gravity, c)))
        rise = energies[1][1] - energies[0][1]
        limit = ENERGY * (energies[0][0] + body.mass * (10 * h * v.norm(self.m.gravity)) ** 2 / 2) + 1e-300
        return (rise / limit, after.time, rise, limit,
                f"J, a rise of {body.name}'s energy in one step, by fixed bodies")

    def rim(self, contact, k):
        """How far a contact point runs along the rim of a cylinder in step k, m: the faster the flatter it lies."""
        farthest = 0.0
        for body in filter(None, (self.m.bodies.get(name) for name in (contact.a, contact.b))):
            for shape in (s for s in body.shapes if s.spec["kind"] == "cylinder"):
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

    def of_cone(self, c, k, mu, largest):
        normal = v.dot(c.force, c.normal)
        friction = v.norm(v.along(c.force, -normal, c.normal))
        size = v.norm(c.force)
        # The force is the sum over the parts of a step, the normal that of the last. It turns unless it is a plane's.
        slack = ROUNDING * (size + largest) + 1e-6 * size + self.normal_turns(c, k) * size + 1e-300
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
