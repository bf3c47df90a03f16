"""What random models are made of: numbers, shapes, bodies, surroundings, and places where nothing overlaps.

Only random.Random.random() is used, whose numbers do not depend on the version of python."""
import math
import random

from . import vectors as v
from .distance import Placed, bounding_radius, farthest, gap
from .mechanism import Mechanism


class Dice:
    def __init__(self, seed):
        self.random = random.Random(seed).random

    def between(self, a, b):
        return a + (b - a) * self.random()

    def log_between(self, a, b):
        return math.exp(self.between(math.log(a), math.log(b)))

    def whole(self, a, b):
        return min(b, a + int((b - a + 1) * self.random()))

    def chance(self, p):
        return self.random() < p

    def of(self, options):
        return options[self.whole(0, len(options) - 1)]

    def weighted(self, options):
        x = self.random() * sum(w for _, w in options)
        for what, w in options:
            x -= w
            if x < 0:
                return what
        return options[-1][0]

    def direction(self):
        z, a = self.between(-1, 1), self.between(0, 2 * math.pi)
        r = math.sqrt(1 - z * z)
        return (r * math.cos(a), r * math.sin(a), z)

    def quaternion(self):
        return v.quaternion_exp(v.mul(self.between(0, math.pi), self.direction()))


# ---- parts ----------------------------------------------------------------------------------------------------------

def material(dice, elastic=False):
    if elastic:
        return {"friction": {"mu_static": 0.0, "mu_kinetic": 0.0}, "restitution": 1.0}
    mu = 0.0 if dice.chance(0.15) else dice.between(0, 1.5)
    kinetic = mu * dice.between(0.6, 1) if dice.chance(0.4) else mu
    e = dice.weighted(((0.0, 0.45), (1.0, 0.1), (dice.random(), 0.45)))
    return {"friction": {"mu_static": mu, "mu_kinetic": kinetic}, "restitution": e}


def shape(dice, kinds=("sphere", "box", "capsule", "cylinder", "ellipsoid")):
    kind, s = dice.of(kinds), dice.log_between(0.02, 0.3)
    part = lambda: s * dice.between(0.3, 1)
    if kind == "sphere":
        return {"kind": kind, "radius": s}
    if kind == "box":
        return {"kind": kind, "half": [part(), part(), part()]}
    if kind == "ellipsoid":
        return {"kind": kind, "radii": [part(), part(), part()]}
    return {"kind": kind, "radius": part(), "half_length": part()}


def rod(dice):
    kind, length, r = dice.of(("capsule", "cylinder", "box")), dice.between(0.15, 0.7), dice.log_between(0.005, 0.04)
    if kind == "box":
        return {"kind": kind, "half": [r, r * dice.between(1, 4), length]}
    return {"kind": kind, "radius": r, "half_length": length}


def half_size(solid):
    """Of the bounding box; of a capsule without its caps."""
    radius = solid.get("radius")
    return solid.get("half") or solid.get("radii") or [radius, radius, solid.get("half_length", radius)]


def moments(dice, mass, solid):
    """Of the bounding box as a homogeneous solid, or of any three second moments, with the axes turned."""
    half = half_size(solid)
    second = [mass * h * h / 3 for h in half]
    if dice.chance(0.3):
        second = [s * dice.log_between(0.01, 1) for s in second]
    a, b, c = second
    I = ((b + c, 0, 0), (0, c + a, 0), (0, 0, a + b))
    if dice.chance(0.3):
        R = v.rotation(dice.quaternion())
        I = v.product(v.product(R, I), v.transpose(R))
    return {"xx": I[0][0], "yy": I[1][1], "zz": I[2][2], "xy": I[0][1], "xz": I[0][2], "yz": I[1][2]}


def body(dice, name, solid, mass, elastic=False, X_BG=None):
    inertia = {"mass": mass, "moments": moments(dice, mass, solid)}
    if not elastic and dice.chance(0.15):
        inertia["centre"] = list(v.mul(0.3 * min(bounding_radius(solid), 0.2), dice.direction()))
    geometry = {"name": name + "_shape", "shape": solid, "material": material(dice, elastic)}
    if X_BG:
        geometry["X_BG"] = {"R": [list(row) for row in X_BG[0]], "p": list(X_BG[1])}
    return {"name": name, "inertia": inertia, "geometry": [geometry]}


def free_joint(name, q, velocity):
    return {"name": name, "type": "free", "child": name, "start_q": list(q), "start_v": list(velocity)}


def placed_geometry(dice, name, solid, R, p, elastic=False):
    return {"name": name, "shape": solid, "X_BG": {"R": [list(row) for row in R], "p": list(p)},
            "material": material(dice, elastic)}


def floor(dice, elastic=False):
    R = v.IDENTITY
    if dice.chance(0.35):
        axis = v.cross((0, 0, 1), dice.direction())
        R = v.rotation_about(axis, dice.between(0, 0.7))
    return placed_geometry(dice, "floor", {"kind": "half_space"}, R, v.ZERO, elastic)


def wall(dice, name, elastic=False):
    """A thin upright plate."""
    R = v.rotation_about((0, 0, 1), dice.between(0, 2 * math.pi))
    half = [dice.log_between(0.002, 0.05), dice.between(0.2, 1), dice.between(0.2, 1)]
    p = (dice.between(-0.8, 0.8), dice.between(-0.8, 0.8), half[2])
    return placed_geometry(dice, name, {"kind": "box", "half": half}, R, p, elastic)


def post(dice, name, elastic=False):
    r, length = dice.log_between(0.005, 0.08), dice.between(0.2, 0.8)
    kind = dice.of(("capsule", "cylinder", "box", "sphere"))
    solid = {"capsule": {"kind": kind, "radius": r, "half_length": length},
             "cylinder": {"kind": kind, "radius": r, "half_length": length},
             "box": {"kind": kind, "half": [r, r * dice.between(0.5, 2), length]},
             "sphere": {"kind": kind, "radius": r}}[kind]
    R = v.rotation(dice.quaternion()) if dice.chance(0.4) else v.IDENTITY
    p = (dice.between(-0.6, 0.6), dice.between(-0.6, 0.6), dice.between(0, 0.8))
    return placed_geometry(dice, name, solid, R, p, elastic)


def surroundings(dice, elastic=False):
    out = [floor(dice, elastic)] if dice.chance(0.85) else []
    out += [wall(dice, f"wall_{i}", elastic) for i in range(dice.weighted(((0, 0.6), (1, 0.25), (2, 0.15))))]
    out += [post(dice, f"post_{i}", elastic) for i in range(dice.weighted(((0, 0.5), (1, 0.3), (2, 0.2))))]
    return out


def mass(dice, solid, extreme):
    if extreme:
        return dice.log_between(1e-3, 1e3)
    size = half_size(solid)
    return 4000 * size[0] * size[1] * size[2]


# ---- placing --------------------------------------------------------------------------------------------------------

class Scene:
    """A model that grows by bodies that do not overlap what is there."""

    def __init__(self, dice, family, world, elastic=False):
        self.dice, self.elastic = dice, elastic
        gravity = [0.0, 0.0, 0.0] if dice.chance(0.08) else [0.0, 0.0, -9.81]
        self.model = {"format": "linchpin model", "version": 1, "name": family, "gravity": gravity,
                      "world_geometry": world, "bodies": [], "joints": []}
        self.there = [s.placed({"world": (v.IDENTITY, v.ZERO)}) for s in
                      Mechanism({"bodies": [], "joints": [], "world_geometry": world}).world_shapes]

    def is_clear(self, placed):
        return all(gap(placed, other, enough=1e-5) > 0 for other in self.there)

    def lay(self, solid, quaternion, p):
        """The height at which the solid rests on the first half-space, above p."""
        plane = next((s for s in self.there if s.kind == "half_space"), None)
        if not plane:
            return p
        n = v.column(plane.R, 2)
        low = farthest(Placed(solid, (v.rotation(quaternion), p)), v.mul(-1, n))
        return v.along(p, -v.dot(n, v.sub(low, plane.p)) / n[2], (0, 0, 1))

    def add_free(self, name, solid, weight, velocity, region=0.6, rests=0.2):
        dice = self.dice
        for attempt in range(60):
            side = region * (1 + attempt / 15)
            quaternion = dice.quaternion()
            p = (dice.between(-side, side), dice.between(-side, side), dice.between(0, 2 * side))
            if dice.chance(rests):
                if solid["kind"] == "box" or dice.chance(0.5):  # flat on a level floor
                    quaternion = v.quaternion_exp((0, 0, dice.between(0, math.pi)))
                p = self.lay(solid, quaternion, p)
                p = v.along(p, dice.of((1e-9, 1e-6, 1e-4)), (0, 0, 1))
            placed = Placed(solid, (v.rotation(quaternion), p))
            if self.is_clear(placed):
                self.put_free(name, solid, weight, quaternion, p, velocity)
                return True
        return False

    def put_free(self, name, solid, weight, quaternion, p, velocity):
        self.there.append(Placed(solid, (v.rotation(quaternion), p)))
        self.model["bodies"].append(body(self.dice, name, solid, weight, self.elastic))
        self.model["joints"].append(free_joint(name, list(quaternion) + list(p), velocity))


def velocity(dice, most_spin=300.0, most_speed=20.0):
    spin = v.mul(most_spin * dice.random() ** 4, dice.direction())
    return list(spin) + list(v.mul(most_speed * dice.random() ** 3, dice.direction()))
