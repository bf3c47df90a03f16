"""Faults planted in good runs, to show that the checks find them. The good runs are written here, from closed forms."""
import copy
import math
from types import SimpleNamespace

from . import vectors as v
from .checks import check
from .distance import Placed, careful_gap, gap
from .run import Run

H, G, RADIUS, MU = 0.01, 9.81, 0.1, 0.3


def rough(mu):
    return {"friction": {"mu_static": mu, "mu_kinetic": mu}}


def model(extra_joint=False):
    out = {"gravity": [0, 0, -G], "world_geometry": [
        {"name": "floor", "shape": {"kind": "half_space"}, "material": rough(MU)}],
        "bodies": [
            {"name": "ball", "inertia": {"mass": 2.0, "moments": {k: 0.008 for k in ("xx", "yy", "zz")}},
             "geometry": [{"name": "sphere", "shape": {"kind": "sphere", "radius": RADIUS}, "material": rough(MU)}]},
            {"name": "wall", "geometry": [{"name": "plate", "shape": {"kind": "box", "half": [0.005, 1, 1]},
                                           "X_BG": {"p": [5, 0, 1]}, "material": rough(MU)}]},
            {"name": "bob", "inertia": {"mass": 1.0, "centre": [0, 0, -1], "moments": {}}}],
        "joints": [{"name": "ball", "type": "free", "child": "ball"}, {"name": "wall", "type": "weld", "child": "wall"},
                   {"name": "bob", "type": "revolute", "child": "bob", "axis": [0, 1, 0], "X_PF": {"p": [0, 9, 5]},
                    "dofs": [{"lower": -0.5, "upper": 0.5}]}]}
    return out


HEADER = (["time"] + [f"q:ball.{k}" for k in range(7)] + ["q:bob"] + [f"v:ball.{k}" for k in range(6)] + ["v:bob"] +
          ["kinetic", "gravity", "springs", "energy", "defect"])
CONTACT_HEADER = ("time,body_a,body_b,x,y,z,normal_x,normal_y,normal_z,gap,force_x,force_y,force_z,normal_force,"
                  "friction,state")


def slide(speed=6.0, steps=40, drop=5):
    """A ball falls for `drop` steps onto the floor without a bounce, and slides along x with friction; the pendulum
    swings with 0.1 rad, to the accuracy that the energy check asks for. Rows of numbers, and contacts."""
    m, inertia = 2.0, 0.008
    x, z, u, w, spin, angle = 0.0, RADIUS + G * (drop * H) ** 2 / 2, speed, 0.0, 0.0, 0.0
    rows, contacts, rate = [], [], math.sqrt(G)
    for k in range(steps + 1):
        t, pendulum = k * H, 0.1 * math.sin(rate * k * H)
        swing = 0.1 * rate * math.cos(rate * k * H)
        kinetic = m * (u * u + w * w) / 2 + inertia * spin**2 / 2 + swing**2 / 2
        gravity = m * G * z + G * (5 - math.cos(pendulum))
        rows.append([t, math.cos(angle / 2), 0, math.sin(angle / 2), 0, x, 0, z, pendulum, 0, spin, 0, u, 0, w, swing,
                     kinetic, gravity, 0, kinetic + gravity, 0])
        if k < drop:
            u_end, w_end, spin_end = u, w - G * H, spin
        else:
            normal = m * (0 - w) / H + m * G
            friction = -MU * normal
            contacts.append([t + H, "ball", "world", x, 0, 0, 0, 0, 1, 0, friction, 0, normal, normal, -friction,
                             "sliding"])
            u_end, w_end, spin_end = u + H * friction / m, 0.0, spin - RADIUS * H * friction / inertia
        x, z, angle = x + H * (u + u_end) / 2, z + H * (w + w_end) / 2 * (k < drop), angle + H * (spin + spin_end) / 2
        u, w, spin = u_end, w_end, spin_end
    return rows, contacts[:steps - drop]


def fly():
    """A ball that flies with 60 m/s through the plate, which is 1 cm thick; no row overlaps it. Without gravity."""
    rows = [[k * H, 1, 0, 0, 0, 4.7 + 0.6 * k, 0, 1, 0, 0, 0, 0, 60, 0, 0, 0, 3600, 0, 0, 3600, 0] for k in range(2)]
    return rows, []


def judged(rows, contacts, spec, certificate=None):
    """The names of the checks that fail."""
    text = "\n".join(",".join(map(str, row)) for row in [HEADER] + [[f"{r[0]:.12g}"] + r[1:] for r in rows])
    more = "\n".join([CONTACT_HEADER] + [",".join(map(str, [f"{c[0]:.12g}"] + c[1:])) for c in contacts])
    certificate = certificate or {"contact": {"penetration": 0.0, "penetration_limit": 1e-4}}
    return sorted({x.check for x in check(Run(spec, text, more, certificate, H)).violations})


Q_X, Q_Z, Q_BOB, V_X, KINETIC = 5, 7, 8, 12, 16
POINT_X, FORCE_X, FORCE_Z = 3, 10, 12


def planted():
    """(name, checks that must fail, rows, contacts, model)"""
    rows, contacts = slide()

    def case(name, expected, edit, spec=None):
        s = SimpleNamespace(rows=copy.deepcopy(rows), contacts=copy.deepcopy(contacts))
        edit(s)
        return name, expected, s.rows, s.contacts, spec or model()

    def set_row(k, column, value):
        return lambda s: s.rows[k].__setitem__(column, value)

    def grow(s):
        for row in s.rows[20:]:
            row[KINETIC] += 2.0 * ((row[V_X] + 2) ** 2 - row[V_X] ** 2) / 2
            row[V_X] += 2

    def scale_contact(k, column, factor):
        return lambda s: s.contacts[k].__setitem__(column, factor * s.contacts[k][column])

    def pull(s):
        for column in (FORCE_X, FORCE_Z, 13):
            s.contacts[3][column] *= -1

    def sink(s):
        for row in s.rows[30:]:
            row[Q_Z] -= 2e-3

    weightless = model()
    weightless["gravity"] = [0, 0, 0]
    return [
        case("nothing", [], lambda s: None),
        case("NaN in a position", ["finite"], set_row(7, Q_X, "nan")),
        case("infinity in a velocity", ["finite"], set_row(7, V_X, "inf")),
        case("kinetic energy of another motion", ["columns"], set_row(7, KINETIC, 3.0)),
        case("energy that grows", ["body", "energy", "momentum"], grow),
        case("an impulse that is missing", ["momentum"], lambda s: s.contacts.pop(0)),
        case("a force beyond its cone", ["cone", "momentum"], scale_contact(4, FORCE_X, 1.5)),
        case("a force that pulls", ["cone", "momentum"], pull),
        case("a force at another point", ["spin"], lambda s: s.contacts[9].__setitem__(POINT_X, s.rows[9][Q_X] - 0.1)),
        case("a ball in the floor", ["penetration"], sink),
        case("a limit passed", ["limits"], set_row(7, Q_BOB, 0.6)),
        ("a ball through a wall", ["tunnelling"], *fly(), weightless),
    ]


def distances():
    """Closed forms, and pairs turned about each other."""
    box = {"kind": "box", "half": [1, 2, 3]}
    ball = {"kind": "sphere", "radius": 0.5}
    rod = {"kind": "capsule", "radius": 0.1, "half_length": 1}
    can = {"kind": "cylinder", "radius": 1, "half_length": 2}
    egg = {"kind": "ellipsoid", "radii": [1, 2, 3]}
    plane = {"kind": "half_space"}
    on_edge = v.rotation_about((1, 0, 0), math.pi / 4)
    lying = v.rotation_about((1, 0, 0), math.pi / 2)
    cases = [(ball, v.IDENTITY, (0, 0, 0.4), plane, v.IDENTITY, -0.1),
             (box, on_edge, (0, 0, 4), plane, v.IDENTITY, 4 - 5 / math.sqrt(2)),
             (can, on_edge, (0, 0, 2), plane, v.IDENTITY, 2 - 3 / math.sqrt(2)),
             (egg, v.IDENTITY, (0, 0, 3.5), plane, v.IDENTITY, 0.5),
             (ball, v.IDENTITY, (0, 0, 0.9), ball, v.IDENTITY, -0.1),
             (ball, v.IDENTITY, (1.3, 2.4, 0), box, v.IDENTITY, 0.0),
             (ball, v.IDENTITY, (1.2, 0, 0), box, v.IDENTITY, -0.3),
             (rod, v.IDENTITY, (0.15, 0, 0.5), rod, lying, -0.05),
             (rod, v.IDENTITY, (0, 0, 2.3), rod, v.IDENTITY, 0.1),
             (rod, lying, (0, 0, 3.05), box, v.IDENTITY, -0.05),
             (box, v.IDENTITY, (1.9, 0, 0), box, v.IDENTITY, -0.1),
             (box, v.IDENTITY, (0, 0, 3 + 5 / math.sqrt(2) - 0.1), box, on_edge, -0.1),
             (can, v.IDENTITY, (1.99, 0, 0), can, v.IDENTITY, -0.01),
             (egg, v.IDENTITY, (0, 3.99, 0), egg, v.IDENTITY, -0.01)]
    turned = v.rotation_about((1, 2, 3), 1)
    faults = 0
    for i, (a, R_a, p, b, R_b, expected) in enumerate(cases):
        for R in (v.IDENTITY, turned):
            x = Placed(a, (v.product(R, R_a), v.turn(R, p)))
            y = Placed(b, (v.product(R, R_b), v.ZERO))
            for found in (gap(x, y, enough=math.inf), careful_gap(x, y)):
                # gap() may give a lower bound where shapes are apart by more than their spheres.
                good = abs(found - expected) < 1e-6 or (expected > 0 and -1e-9 < found < expected)
                if not good:
                    print(f"distance {i}: {a['kind']} and {b['kind']}: {found:.9g}, not {expected:.9g}")
                    faults += 1
    return faults


def self_test():
    faults, cases = distances(), planted()
    for name, expected, rows, contacts, spec in cases:
        found = judged(rows, contacts, spec)
        missing = [c for c in expected if c not in found]
        wrong = missing or (found and not expected)
        print(f"{name:<34} {'NOT FOUND' if wrong else 'ok':<10} {', '.join(found) or 'no violation'}")
        faults += bool(wrong)
    print(f"{len(cases) - 1} planted faults; {faults} wrong")
    return 1 if faults else 0
