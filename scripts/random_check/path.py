"""How bodies got from one row to the next, and whether they passed through each other on the way.

time_stepping moves by one of (docs/contact.md (3) and (4))
    q+ = q (+) h v+,   q+ = (q (+) h/2 v) (+) h/2 v+                                                              (1)
If one of them leads from a row to the next, the path between them is known. Where a step was split, by impacts or
turning, neither does. `doubt` is how far (1) misses, for the farthest point of a body.
"""
import math

from . import vectors as v
from .distance import gap, half_thickness

MOST_SAMPLES = 400


class Path:
    def __init__(self, run, k):
        self.run, self.k, self.h = run, k, run.h(k)
        self.before, self.after = run.rows[k], run.rows[k + 1]
        self.jumps, self.misses = {}, {}
        for j in run.mechanism.joints:
            (q, qd), (q_end, qd_end) = ((row.q[j.name], row.v[j.name]) for row in (self.before, self.after))
            half = j.difference(j.moved(j.moved(q, self.h / 2, qd), self.h / 2, qd_end), q_end)
            whole = j.difference(j.moved(q, self.h, qd_end), q_end)
            self.jumps[j.name] = sum(whole) < sum(half)
            self.misses[j.name] = min(half, whole, key=sum)

    def doubt(self, shape):
        """m. Angles missed along the chain of joints, times the distance to the shape's farthest point; and lengths."""
        total, name = 0.0, shape.owner
        far = self.before.placed[shape.name]
        joint_of = self.run.mechanism.joint_of
        while name in joint_of:
            joint = joint_of[name]
            origin = v.compose(self.before.poses[name], joint.X_CM)[1]
            angle, length = self.misses[joint.name]
            total += angle * (v.norm(v.sub(far.p, origin)) + shape.bound) + length
            name = joint.parent
        return total

    def poses(self, s):
        q = {}
        for j in self.run.mechanism.joints:
            if s <= self.h / 2 and not self.jumps[j.name]:
                q[j.name] = j.moved(self.before.q[j.name], s, self.before.v[j.name])
            else:
                q[j.name] = j.moved(self.after.q[j.name], s - self.h, self.after.v[j.name])
        return self.run.mechanism.poses(q)

    def travel(self, a, b):
        """Bound of how far points of the two shapes move relative to each other, m."""
        total = 0.0
        for shape in (a, b):
            fastest = max(v.norm(r.velocities[shape.owner][0]) for r in (self.before, self.after))
            total += self.h * fastest * (shape.bound if math.isfinite(shape.bound) else 0.0)
        fast = [v.norm(v.sub(*(v.along(r.velocities[s.owner][1], 1, v.cross(
            r.velocities[s.owner][0], v.sub(r.placed[s.name].p, r.poses[s.owner][1]))) for s in (a, b))))
                for r in (self.before, self.after)]
        return total + self.h * max(fast)


def passed_through(path, a, b):
    """None if nothing is known, else the deepest overlap on the way, m, as a part of the sum of half thicknesses."""
    thick = half_thickness(a.spec) + half_thickness(b.spec)
    if path.doubt(a) + path.doubt(b) > 0.25 * thick:
        return None
    samples = math.ceil(path.travel(a, b) / (0.25 * thick))
    if samples > MOST_SAMPLES:
        return None
    deepest = 0.0
    for i in range(1, samples):
        poses = path.poses(path.h * i / samples)
        deepest = max(deepest, -gap(a.placed(poses), b.placed(poses), enough=-0.1 * thick))
    return deepest / thick


def changed_sides(path, a, wall):
    """Whether a shape got from one face of a thin fixed box to the other, farther from its edges than it moved."""
    half = wall.spec["half"]
    thin = min(range(3), key=lambda i: half[i])
    ends = [v.turn_back(r.placed[wall.name].R, v.sub(r.placed[a.name].p, r.placed[wall.name].p))
            for r in (path.before, path.after)]
    if ends[0][thin] * ends[1][thin] > 0:
        return False
    margin = path.travel(a, wall) + a.bound
    return all(abs(end[i]) + margin < half[i] for end in ends for i in range(3) if i != thin)
