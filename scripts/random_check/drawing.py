"""Random models, from a seed. Each is a dict with
    model    the model in linchpin's JSON format
    time, dt, stepper, family
    conservative: nothing in it takes energy, as long as every touch is an elastic impact
Bodies do not overlap at the start. Only random.Random.random() is used, whose numbers do not depend on the version of
python."""
import math
import random

from . import vectors as v
from .distance import Placed, bounding_radius, farthest, gap
from .mechanism import Mechanism

FAMILIES = (("mix", 0.28), ("spin", 0.16), ("throw", 0.16), ("chain", 0.14), ("loop", 0.06), ("elastic", 0.10),
            ("smooth", 0.04), ("pile", 0.06))


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


def moments(dice, mass, solid):
    """Of the bounding box as a homogeneous solid, or of any three second moments, with the axes turned."""
    if solid["kind"] == "sphere":
        half = [solid["radius"]] * 3
    else:
        half = solid.get("half") or solid.get("radii") or [solid["radius"]] * 2 + [solid["half_length"]]
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
    R = v.rotation_about(v.cross((0, 0, 1), dice.direction()), dice.between(0, 0.7)) if dice.chance(0.35) else v.IDENTITY
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
    size = solid.get("half") or solid.get("radii") or [solid["radius"]] * 2 + [solid.get("half_length", solid["radius"])]
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


# ---- families -------------------------------------------------------------------------------------------------------

def mix(dice):
    scene = Scene(dice, "mix", surroundings(dice))
    extreme = dice.chance(0.4)
    for i in range(dice.whole(1, 4)):
        solid = rod(dice) if dice.chance(0.25) else shape(dice)
        scene.add_free(f"body_{i}", solid, mass(dice, solid, extreme), velocity(dice), dice.between(0.1, 0.6))
    if dice.chance(0.15) and len(scene.model["bodies"]) > 1:
        a, b = (j["child"] for j in scene.model["joints"][:2])
        scene.model["springs"] = [{"name": "spring", "a": {"body": a}, "b": {"body": b}, "length": dice.random(),
                                   "stiffness": dice.log_between(1, 1e3), "damping": dice.of((0.0, dice.random()))}]
    return scene.model


def spin(dice):
    """Rods that turn fast about any axis near posts, walls and the floor."""
    world = [post(dice, f"post_{i}") for i in range(dice.whole(1, 3))] + ([floor(dice)] if dice.chance(0.6) else [])
    scene = Scene(dice, "spin", world)
    for i in range(dice.whole(1, 2)):
        solid = rod(dice) if dice.chance(0.8) else shape(dice, ("box", "cylinder", "ellipsoid"))
        w = v.mul(dice.between(5, 300) if dice.chance(0.6) else dice.between(1, 30), dice.direction())
        u = v.mul(10 * dice.random() ** 2, dice.direction())
        scene.add_free(f"rod_{i}", solid, mass(dice, solid, False), list(w) + list(u), 0.4, 0.05)
    return scene.model


def throw(dice):
    """Small bodies that fly fast at thin walls and posts."""
    target = wall(dice, "wall") if dice.chance(0.5) else post(dice, "post")
    scene = Scene(dice, "throw", [target] + ([floor(dice)] if dice.chance(0.4) else []))
    goal = target["X_BG"]["p"]
    for i in range(dice.whole(1, 3)):
        solid = shape(dice, ("sphere", "sphere", "capsule", "box", "ellipsoid"))
        small = dice.between(0.1, 1)
        solid = {k: ([small * x for x in s] if isinstance(s, list) else s if isinstance(s, str) else small * s)
                 for k, s in solid.items()}
        speed = dice.between(2, 20)
        away = dice.direction()
        aim = v.along(goal, dice.between(0, 0.1), dice.direction())
        p = v.along(aim, speed * dice.between(0.02, 0.1) + bounding_radius(solid), away)
        quaternion = dice.quaternion()
        if scene.is_clear(Placed(solid, (v.rotation(quaternion), p))):
            spin_there = v.mul(100 * dice.random() ** 2, dice.direction())
            scene.put_free(f"body_{i}", solid, mass(dice, solid, dice.chance(0.3)), quaternion, p,
                           list(spin_there) + list(v.mul(-speed, away)))
    return scene.model


def joint_properties(dice, kind, q, smooth):
    dof = {}
    if smooth:
        return dof
    if dice.chance(0.4):
        dof["damping"] = dice.log_between(1e-3, 10)
    if dice.chance(0.2) and kind != "ball":
        dof["dry_friction"] = dice.log_between(1e-2, 5)
    if dice.chance(0.2):
        dof["stiffness"] = dice.log_between(0.1, 1e3)
    if dice.chance(0.2):
        dof["armature"] = dice.log_between(1e-4, 1e-1)
    if dice.chance(0.5):
        size = 0.2 if kind == "prismatic" else 1.2
        if kind == "ball":
            dof["upper"] = q + dice.random() * size
        else:
            dof["lower"], dof["upper"] = q - dice.random() * size, q + dice.random() * size
    return dof


def chain(dice, smooth=False):
    """Links hung up in the world, or free, with limits, damping, springs and dry friction."""
    family = "smooth" if smooth else "chain"
    world = [] if smooth else surroundings(dice) if dice.chance(0.7) else []
    scene = Scene(dice, family, world)
    model, parent, height = scene.model, "world", dice.between(0.5, 1.6)
    X_PF, extreme = {"p": [0.0, 0.0, height]}, dice.chance(0.2)
    for i in range(dice.whole(1, 4)):
        name, length = f"link_{i}", dice.between(0.1, 0.3)
        kind = dice.weighted((("revolute", 0.6), ("ball", 0.25), ("prismatic", 0.15)))
        solid = dice.of(({"kind": "capsule", "radius": dice.between(0.01, 0.04), "half_length": length},
                         {"kind": "box", "half": [dice.between(0.01, 0.05), dice.between(0.01, 0.05), length]}))
        link = body(dice, name, solid, mass(dice, solid, extreme), X_BG=(v.IDENTITY, (0, 0, -length)))
        link["inertia"]["centre"] = [0.0, 0.0, -length]
        angle = dice.between(-1.5, 1.5) if kind != "prismatic" else dice.between(-0.2, 0.2)
        joint = {"name": name, "type": kind, "parent": parent, "child": name, "X_PF": X_PF}
        if kind == "ball":
            joint["start_q"] = list(v.quaternion_exp(v.mul(abs(angle), dice.direction())))
            joint["start_v"] = list(v.mul(8 * dice.random() ** 2, dice.direction()))
            dof = joint_properties(dice, kind, abs(angle), smooth)
            joint["dofs"] = [dict(dof) for _ in range(3)]
        else:
            joint["axis"] = list(dice.direction() if dice.chance(0.5) else (0.0, 1.0, 0.0))
            joint["start_q"] = [angle]
            joint["start_v"] = [dice.between(-1, 1) * (2 if kind == "prismatic" else 10)]
            joint["dofs"] = [joint_properties(dice, kind, angle, smooth)]
        if i == 0 and dice.chance(0.15):
            joint = free_joint(name, list(dice.quaternion()) + [0.0, 0.0, height], velocity(dice, 20, 5))
        model["bodies"].append(link)
        model["joints"].append(joint)
        parent, X_PF = name, {"p": [0.0, 0.0, -2 * length]}
    if not smooth and dice.chance(0.4):
        if not overlaps(model):
            mechanism = Mechanism(model)
            poses = mechanism.poses({j["name"]: tuple(j["start_q"]) for j in model["joints"]})
            scene.there += [s.placed(poses) for b in mechanism.bodies.values() for s in b.shapes]
            solid = shape(dice)
            scene.add_free("ball", solid, mass(dice, solid, extreme), velocity(dice, 50), 0.5)
    return model


def loop(dice):
    """A four-bar linkage in the x-z plane, with a body that may hit it."""
    scene = Scene(dice, "loop", [floor(dice)] if dice.chance(0.6) else [])
    model, base, crank = scene.model, dice.between(0.2, 0.5), dice.between(0.1, 0.3)
    angle, rate, height = dice.between(-1.2, 1.2), dice.between(-8, 8), dice.between(0.4, 1.2)
    smooth = dice.chance(0.3)

    def link(name, parent, at, q, qd, length, solid):
        bar = {"name": name, "inertia": {"mass": dice.log_between(0.1, 10), "centre": list(v.mul(0.5, length)),
                                         "moments": {"xx": 0.01, "yy": 0.01, "zz": 0.01}}}
        if solid:
            bar["geometry"] = [placed_geometry(dice, name + "_shape", solid, v.rotation_about((0, 1, 0), math.pi / 2),
                                               v.mul(0.5, length))]
        model["bodies"].append(bar)
        model["joints"].append({"name": name, "type": "revolute", "parent": parent, "child": name, "axis": [0, 1, 0],
                                "X_PF": {"p": list(at)}, "start_q": [q], "start_v": [qd],
                                "dofs": [joint_properties(dice, "loop", q, True) if smooth else
                                         {"damping": dice.of((0.0, dice.random())),
                                          "dry_friction": dice.of((0.0, 0.0, dice.random()))}]})

    bar = {"kind": "capsule", "radius": 0.02, "half_length": base / 2}
    link("crank", "world", (0, 0, height), angle, rate, (0, 0, -crank), None)
    link("coupler", "crank", (0, 0, -crank), -angle, -rate, (base, 0, 0), bar)
    link("rocker", "world", (base, 0, height), angle, rate, (0, 0, -crank), None)
    R = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]  # its z axis is y
    model["constraints"] = [{"name": "closing", "kind": "loop", "type": dice.of(("pin", "ball")),
                             "a": {"body": "coupler", "X_BF": {"R": R, "p": [base, 0, 0]}},
                             "b": {"body": "rocker", "X_BF": {"R": R, "p": [0, 0, -crank]}}}]
    if dice.chance(0.6) and not overlaps(model):
        mechanism = Mechanism(model)
        poses = mechanism.poses({j["name"]: tuple(j["start_q"]) for j in model["joints"]})
        scene.there += [s.placed(poses) for b in mechanism.bodies.values() for s in b.shapes]
        solid = shape(dice)
        scene.add_free("ball", solid, mass(dice, solid, False), velocity(dice, 50), 0.5)
    return model


def elastic(dice):
    """Without friction, all impacts elastic."""
    scene = Scene(dice, "elastic", surroundings(dice, True), True)
    for i in range(dice.whole(1, 4)):
        solid = shape(dice)
        scene.add_free(f"body_{i}", solid, mass(dice, solid, dice.chance(0.3)), velocity(dice, 50), 0.4, 0)
    return scene.model


def pile(dice):
    """Bodies close to each other above the floor."""
    scene = Scene(dice, "pile", [floor(dice)])
    extreme, solid = dice.chance(0.5), shape(dice)
    for i in range(dice.whole(4, 8)):
        if dice.chance(0.5):
            solid = shape(dice)
        scene.add_free(f"body_{i}", solid, mass(dice, solid, extreme), velocity(dice, 30, 4), 0.12)
    return scene.model


def overlaps(model):
    mechanism = Mechanism(model)
    poses = mechanism.poses({j["name"]: tuple(j["start_q"]) for j in model["joints"]})
    return any(gap(a.placed(poses), b.placed(poses), enough=1e-5) <= 0 for a, b in mechanism.pairs)


def fix(model):
    """Posts and walls become bodies that are welded to the world, so that reports of contacts name them."""
    kept = []
    for geometry in model["world_geometry"]:
        if geometry["name"] == "floor":
            kept.append(geometry)
            continue
        model["bodies"].append({"name": geometry["name"], "geometry": [geometry]})
        model["joints"].append({"name": geometry["name"], "type": "weld", "child": geometry["name"]})
    model["world_geometry"] = kept


def draw(seed):
    dice = Dice(seed)
    family = dice.weighted(FAMILIES)
    build = {"mix": mix, "spin": spin, "throw": throw, "chain": chain, "loop": loop, "elastic": elastic,
             "smooth": lambda d: chain(d, True), "pile": pile}[family]
    for _ in range(100):
        model = build(dice)
        if model["bodies"] and not overlaps(model):
            break
    fix(model)
    dt = dice.log_between(1e-3, 1e-2) if dice.chance(0.88) else dice.log_between(1e-4, 1e-3)
    model["name"] = f"{family} {seed}"
    return {"model": model, "time": dice.between(0.1, 0.5), "dt": dt, "family": family,
            "conservative": family in ("elastic", "smooth"),
            # Models without contact have no contacts to report, and another default stepper.
            "stepper": "rk4" if family == "smooth" and dice.chance(0.5) else "time_stepping"}
