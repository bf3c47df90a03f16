"""Poses, velocities and energy of a mechanism, from its model JSON and the coordinates of a row.

Per joint from parent P to child C, with F on P and M on C (docs/architecture.md has the coordinates of each type):
    X_WM = X_WP X_PF X_FM(q),   X_WC = X_WM X_CM^-1                                                               (1)
    w_C = w_P + R_WF w_FM,   v_Mo = v_P + w_P x (Mo - Po) + R_WF v_FM,   v_Co = v_Mo + w_C x (Co - Mo)            (2)
"""
import math

from . import vectors as v
from .distance import Placed, bounding_radius

VELOCITIES = {"weld": 0, "revolute": 1, "prismatic": 1, "ball": 3, "free": 6}
POSITIONS = {"weld": 0, "revolute": 1, "prismatic": 1, "ball": 4, "free": 7}


def pose_of(json_pose):
    if not json_pose:
        return (v.IDENTITY, v.ZERO)
    R = json_pose.get("R", v.IDENTITY)
    return (tuple(tuple(row) for row in R), tuple(json_pose.get("p", v.ZERO)))


class Shape:
    def __init__(self, owner, spec):
        self.owner, self.spec = owner, spec["shape"]
        self.name = spec["name"]
        self.pose = pose_of(spec.get("X_BG"))
        material = spec.get("material", {})
        friction = material.get("friction", {})
        self.mu = friction.get("mu_static", 0.0)
        self.restitution = material.get("restitution", 0.0)
        self.bound = bounding_radius(self.spec)

    def placed(self, poses):
        return Placed(self.spec, v.compose(poses[self.owner], self.pose))


class Joint:
    def __init__(self, spec):
        self.name, self.type = spec["name"], spec["type"]
        self.parent, self.child = spec.get("parent", "world"), spec["child"]
        self.X_PF, self.X_CM = pose_of(spec.get("X_PF")), pose_of(spec.get("X_CM"))
        self.X_MC = v.inverse(self.X_CM)
        self.axis = v.unit(tuple(spec.get("axis", (0, 0, 1))))
        self.nq, self.nv = POSITIONS[self.type], VELOCITIES[self.type]
        self.dofs = spec.get("dofs") or [{} for _ in range(self.nv)]

    def columns(self, n):
        return [self.name] if n == 1 else [f"{self.name}.{k}" for k in range(n)]

    def motion(self, q):
        """X_FM"""
        if self.type == "revolute":
            return (v.rotation(v.quaternion_exp(v.mul(q[0], self.axis))), v.ZERO)
        if self.type == "prismatic":
            return (v.IDENTITY, v.mul(q[0], self.axis))
        if self.type == "ball":
            return (v.rotation(q), v.ZERO)
        if self.type == "free":
            return (v.rotation(q[:4]), tuple(q[4:]))
        return (v.IDENTITY, v.ZERO)

    def rate(self, R_FM, qd):
        """The velocities of M in F, in F's axes."""
        if self.type == "revolute":
            return v.mul(qd[0], self.axis), v.ZERO
        if self.type == "prismatic":
            return v.ZERO, v.mul(qd[0], self.axis)
        if self.type == "ball":
            return v.turn(R_FM, qd), v.ZERO
        if self.type == "free":
            return v.turn(R_FM, qd[:3]), tuple(qd[3:])
        return v.ZERO, v.ZERO

    def moved(self, q, h, qd):
        """q (+) h qd"""
        if self.type == "ball":
            return v.quaternion_product(q, v.quaternion_exp(v.mul(h, qd)))
        if self.type == "free":
            return v.quaternion_product(q[:4], v.quaternion_exp(v.mul(h, qd[:3]))) + v.along(q[4:], h, qd[3:])
        return tuple(a + h * b for a, b in zip(q, qd))

    def difference(self, a, b):
        """How far apart two positions are: an angle and a length."""
        if self.type == "revolute":
            return abs(a[0] - b[0]), 0.0
        if self.type == "prismatic":
            return 0.0, abs(a[0] - b[0])
        if self.type == "ball":
            return v.quaternion_angle(a, b), 0.0
        if self.type == "free":
            return v.quaternion_angle(a[:4], b[:4]), v.norm(v.sub(a[4:], b[4:]))
        return 0.0, 0.0


class Body:
    def __init__(self, spec):
        self.name = spec["name"]
        inertia = spec.get("inertia", {})
        self.mass = inertia.get("mass", 0.0)
        self.centre = tuple(inertia.get("centre", v.ZERO))
        self.moments = v.symmetric(inertia.get("moments", {}))
        self.shapes = [Shape(self.name, g) for g in spec.get("geometry", [])]


class Mechanism:
    def __init__(self, model):
        self.gravity = tuple(model.get("gravity", (0, 0, -9.81)))
        self.bodies = {b["name"]: Body(b) for b in model["bodies"]}
        self.joints = self.in_order([Joint(j) for j in model["joints"]])
        self.joint_of = {j.child: j for j in self.joints}
        self.loops = [c for c in model.get("constraints", []) if c["kind"] == "loop"]
        self.springs = model.get("springs", [])
        self.world_shapes = [Shape("world", g) for g in model.get("world_geometry", [])]
        self.fixed = self.fixed_bodies()
        self.pairs = self.touching_pairs()

    @staticmethod
    def in_order(joints):
        known, out = {"world"}, []
        while joints:
            ready = [j for j in joints if j.parent in known]
            if not ready:
                raise ValueError("the joints do not form a tree")
            out += ready
            known.update(j.child for j in ready)
            joints = [j for j in joints if j.child not in known]
        return out

    def fixed_bodies(self):
        fixed = {"world"}
        fixed.update(j.child for j in self.joints if j.type == "weld" and j.parent in fixed)
        return fixed

    def touching_pairs(self):
        """All pairs of shapes that may touch, the second one fixed or not: not two of one body, nor of bodies that a
        joint or a loop connects, unless one of them is fixed."""
        connected = {frozenset((j.parent, j.child)) for j in self.joints if j.parent not in self.fixed}
        connected |= {frozenset((c["a"]["body"], c["b"]["body"])) for c in self.loops}
        shapes = [s for body in self.bodies.values() for s in body.shapes]
        fixed = self.world_shapes + [s for s in shapes if s.owner in self.fixed]
        moving = [s for s in shapes if s.owner not in self.fixed]
        pairs = [(a, b) for a in moving for b in fixed]
        for i, a in enumerate(moving):
            pairs += [(a, b) for b in moving[:i]
                      if a.owner != b.owner and frozenset((a.owner, b.owner)) not in connected]
        return pairs

    def total_mass(self):
        return sum(b.mass for b in self.bodies.values())

    def is_free(self, joint):
        """Whether nothing but gravity and contacts acts on the joint's body."""
        if joint.type != "free" or joint.parent != "world" or joint.X_CM != (v.IDENTITY, v.ZERO):
            return False
        if any(d.get(k) for d in joint.dofs for k in ("damping", "dry_friction", "armature", "stiffness")):
            return False
        tied = {j.parent for j in self.joints} | {c[s]["body"] for c in self.loops + self.springs for s in "ab"}
        return joint.child not in tied

    def poses(self, q):
        """X_WB of all bodies by name; q: by joint."""
        out = {"world": (v.IDENTITY, v.ZERO)}
        for j in self.joints:
            X_WF = v.compose(out[j.parent], j.X_PF)
            out[j.child] = v.compose(v.compose(X_WF, j.motion(q[j.name])), j.X_MC)  # (1)
        return out

    def velocities(self, poses, qd):
        """(w, v of the body's origin) of all bodies, in the world's axes."""
        out = {"world": (v.ZERO, v.ZERO)}
        for j in self.joints:
            X_WP, (w, u) = poses[j.parent], out[j.parent]
            X_WC = poses[j.child]
            X_WM = v.compose(X_WC, j.X_CM)
            R_WF = v.product(X_WP[0], j.X_PF[0])
            w_FM, v_FM = j.rate(v.product(v.transpose(R_WF), X_WM[0]), qd[j.name])
            w_C = v.add(w, v.turn(R_WF, w_FM))
            v_Mo = v.add(v.add(u, v.cross(w, v.sub(X_WM[1], X_WP[1]))), v.turn(R_WF, v_FM))
            out[j.child] = (w_C, v.add(v_Mo, v.cross(w_C, v.sub(X_WC[1], X_WM[1]))))  # (2)
        return out

    def centre(self, body, pose):
        return v.add(v.turn(pose[0], body.centre), pose[1])

    def momentum(self, body, pose, velocity):
        """(p, L about the centre of mass, centre) in the world's axes."""
        c = self.centre(body, pose)
        w, u = velocity
        p = v.mul(body.mass, v.add(u, v.cross(w, v.sub(c, pose[1]))))
        return p, v.turn(pose[0], v.turn(body.moments, v.turn_back(pose[0], w))), c

    def energies(self, q, qd, poses, velocities):
        """(kinetic, gravity, springs)"""
        kinetic = gravity = springs = 0.0
        for body in self.bodies.values():
            w, _ = velocities[body.name]
            p, spin, c = self.momentum(body, poses[body.name], velocities[body.name])
            if body.mass:
                kinetic += 0.5 * v.dot(p, p) / body.mass
            kinetic += 0.5 * v.dot(w, spin)
            gravity -= body.mass * v.dot(self.gravity, c)
        for j in self.joints:
            for k, dof in enumerate(j.dofs):
                kinetic += 0.5 * dof.get("armature", 0.0) * qd[j.name][k] ** 2
            if j.type in ("revolute", "prismatic"):
                dof = j.dofs[0]
                springs += 0.5 * dof.get("stiffness", 0.0) * (q[j.name][0] - dof.get("rest", 0.0)) ** 2
            elif j.type == "ball":
                springs += 0.5 * j.dofs[0].get("stiffness", 0.0) * v.quaternion_angle((1, 0, 0, 0), q[j.name]) ** 2
        for s in self.springs:
            length = v.norm(v.sub(self.point(s["a"], poses), self.point(s["b"], poses)))
            springs += 0.5 * s["stiffness"] * (length - s["length"]) ** 2
        return kinetic, gravity, springs

    @staticmethod
    def frame(on_body, poses):
        return v.compose(poses[on_body["body"]], pose_of(on_body.get("X_BF")))

    def point(self, on_body, poses):
        return self.frame(on_body, poses)[1]
