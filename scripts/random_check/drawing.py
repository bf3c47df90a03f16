"""Random models, from a seed. Each is a dict with
    model    the model in linchpin's JSON format
    time, dt, stepper, family
    conservative: nothing in it takes energy, as long as every touch is an elastic impact
Bodies do not overlap at the start."""
import math

from . import vectors as v
from .distance import Placed, bounding_radius, gap
from .mechanism import Mechanism
from .parts import (Dice, Scene, body, floor, free_joint, mass, placed_geometry, post, rod, shape, surroundings,
                    velocity, wall)

FAMILIES = (("mix", 0.28), ("spin", 0.16), ("throw", 0.16), ("chain", 0.14), ("loop", 0.06), ("elastic", 0.10),
            ("smooth", 0.04), ("pile", 0.06))


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
