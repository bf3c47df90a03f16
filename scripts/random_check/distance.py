"""Signed distances of convex shapes.

For a unit direction d, A lies beyond B by
    sep(d) = min over A of d . x  -  max over B of d . x                                                          (1)
and the signed distance, negative where A and B overlap, is
    gap = max over d of sep(d)                                                                                    (2)
so that every single d gives a lower bound, and proves that penetration is not deeper than that. The directions tried
are those of the closed forms: exact for two of sphere, capsule and half-space, and a sphere and a box; for two boxes
the 15 axes of the separating axis test, exact where they overlap. For other pairs they are those that the caller
suggests (normals of reported contacts; (1) judges them), axes of the shapes, those of a search for the nearest points
and, where the shapes overlap, of an ascent by subgradients of (1).
"""
import math
from random import Random

from . import vectors as v

GOOD_ENOUGH = -1e-9  # m: the search for a better direction ends when penetration is shown to be less


class Placed:
    """A shape at a pose. `core` is the shape without its radius where it is a sphere or a capsule."""
    __slots__ = ("kind", "shape", "R", "p", "bound")

    def __init__(self, shape, pose):
        self.kind, self.shape, (self.R, self.p) = shape["kind"], shape, pose
        self.bound = bounding_radius(shape)

    def core(self):
        if self.kind == "sphere":
            return (self.p, self.p)
        arm = v.mul(self.shape["half_length"], v.column(self.R, 2))
        return (v.sub(self.p, arm), v.add(self.p, arm))


def bounding_radius(shape):
    kind = shape["kind"]
    if kind == "sphere":
        return shape["radius"]
    if kind == "capsule":
        return shape["radius"] + shape["half_length"]
    if kind == "box":
        return v.norm(shape["half"])
    if kind == "cylinder":
        return math.hypot(shape["radius"], shape["half_length"])
    if kind == "ellipsoid":
        return max(shape["radii"])
    return math.inf


def half_thickness(shape):
    """Half of the smallest width."""
    kind = shape["kind"]
    if kind in ("sphere", "capsule"):
        return shape["radius"]
    if kind == "box":
        return min(shape["half"])
    if kind == "cylinder":
        return min(shape["radius"], shape["half_length"])
    if kind == "ellipsoid":
        return min(shape["radii"])
    return math.inf


def reach(placed, d):
    """max over the shape of d . (x - p)"""
    shape, kind = placed.shape, placed.kind
    if kind == "sphere":
        return shape["radius"]
    x, y, z = v.turn_back(placed.R, d)
    if kind == "capsule":
        return shape["radius"] + shape["half_length"] * abs(z)
    if kind == "box":
        h = shape["half"]
        return h[0] * abs(x) + h[1] * abs(y) + h[2] * abs(z)
    if kind == "cylinder":
        return shape["radius"] * math.hypot(x, y) + shape["half_length"] * abs(z)
    r = shape["radii"]
    return math.sqrt((r[0] * x) ** 2 + (r[1] * y) ** 2 + (r[2] * z) ** 2)


def farthest(placed, d):
    """A point of the shape with the largest d . x."""
    shape, kind = placed.shape, placed.kind
    x, y, z = v.turn_back(placed.R, d)
    sign = lambda a: (a > 0) - (a < 0)
    if kind == "sphere":
        local = v.mul(shape["radius"], (x, y, z))
    elif kind == "capsule":
        local = v.add(v.mul(shape["radius"], (x, y, z)), (0, 0, sign(z) * shape["half_length"]))
    elif kind == "box":
        local = tuple(sign(a) * h for a, h in zip((x, y, z), shape["half"]))
    elif kind == "cylinder":
        across = math.hypot(x, y)
        s = shape["radius"] / across if across > 1e-12 else 0.0
        local = (s * x, s * y, sign(z) * shape["half_length"])
    else:
        r = shape["radii"]
        scaled = (r[0] * x, r[1] * y, r[2] * z)
        local = tuple(a * s / (v.norm(scaled) or 1) for a, s in zip(r, scaled))
    return v.add(v.turn(placed.R, local), placed.p)


def separation(a, b, d):
    """(1); d points from B towards A."""
    return v.dot(d, v.sub(a.p, b.p)) - reach(a, (-d[0], -d[1], -d[2])) - reach(b, d)


def segment_points(a, b):
    """The nearest points of two segments (pairs of ends). [Ericson 2005, 5.1.9]"""
    p, d1 = a[0], v.sub(a[1], a[0])
    q, d2 = b[0], v.sub(b[1], b[0])
    r, aa, ee = v.sub(p, q), v.dot(d1, d1), v.dot(d2, d2)
    f, c, b12 = v.dot(d2, r), v.dot(d1, r), v.dot(d1, d2)
    clamp = lambda x: min(1.0, max(0.0, x))
    denominator = aa * ee - b12 * b12
    s = clamp((b12 * f - c * ee) / denominator) if denominator > 1e-12 * aa * ee and aa > 0 and ee > 0 else 0.0
    t = (b12 * s + f) / ee if ee > 0 else 0.0
    if not 0 <= t <= 1 or ee == 0:
        t = clamp(t)
        s = clamp((b12 * t - c) / aa) if aa > 0 else 0.0
    return v.along(p, s, d1), v.along(q, t, d2)


def nearest_of_box(box, point):
    """The point of the box nearest to `point`."""
    local = v.turn_back(box.R, v.sub(point, box.p))
    inside = tuple(min(h, max(-h, x)) for x, h in zip(local, box.shape["half"]))
    return v.add(v.turn(box.R, inside), box.p)


ROUND = ("sphere", "capsule")


def directions(a, b):
    """Directions for (2), in order of promise; their sign does not matter where both are tried."""
    between = v.sub(a.p, b.p)
    out = []
    if a.kind in ROUND and b.kind in ROUND:
        x, y = segment_points(a.core(), b.core())
        if v.norm(v.sub(x, y)) > 1e-12:
            return [v.unit(v.sub(x, y))], True
    for one, other, sense in ((a, b, 1), (b, a, -1)):
        if one.kind in ROUND and other.kind == "box":
            for point in one.core():
                difference = v.sub(point, nearest_of_box(other, point))
                if v.norm(difference) > 1e-12:
                    out.append(v.mul(sense, v.unit(difference)))
            if one.kind == "sphere" and out:
                return out, True
    axes_a = [v.column(a.R, k) for k in range(3)] if a.kind in ("box", "cylinder", "capsule") else []
    axes_b = [v.column(b.R, k) for k in range(3)] if b.kind in ("box", "cylinder", "capsule") else []
    axes = axes_a + axes_b + [v.cross(x, y) for x in axes_a for y in axes_b]
    out += [d if v.dot(d, between) >= 0 else v.mul(-1, d) for d in (v.unit(x) for x in axes if v.norm(x) > 1e-9)]
    out.append(v.unit(between))
    return out, False


def nearest_in_simplex(points):
    """The point of the hull of up to four points nearest to the origin, and those of them that it needs: of all
    subsets whose affine hull is nearest at positive weights, the best."""
    best, needed = math.inf, None
    n = len(points)
    for mask in range(1, 1 << n):
        some = [points[i] for i in range(n) if mask >> i & 1]
        base, edges = some[0], [v.sub(p, some[0]) for p in some[1:]]
        weights = solve([[v.dot(e, f) for f in edges] for e in edges], [-v.dot(e, base) for e in edges])
        if weights is None or min(weights, default=0) < 0 or sum(weights) > 1:
            continue
        x = base
        for w, e in zip(weights, edges):
            x = v.along(x, w, e)
        if v.dot(x, x) < best:
            best, needed, nearest = v.dot(x, x), some, x
    return nearest, needed


def solve(A, b):
    """At most three unknowns, with pivots of the diagonal; None if singular. Destroys A and b."""
    n = len(b)
    for k in range(n):
        if A[k][k] <= 1e-13 * max(1e-300, max(abs(x) for row in A for x in row)):
            return None
        for i in range(k + 1, n):
            f = A[i][k] / A[k][k]
            for j in range(k, n):
                A[i][j] -= f * A[k][j]
            b[i] -= f * b[k]
    for k in reversed(range(n)):
        b[k] = (b[k] - sum(A[k][j] * b[j] for j in range(k + 1, n))) / A[k][k]
    return b


def approach(a, b, d, enough):
    """The algorithm of Gilbert, Johnson and Keerthi [1988]: walks to the point of A - B nearest to the origin. Every
    direction on the way is tried in (1). Returns the best one."""
    best, best_direction, simplex = -math.inf, d, []
    for _ in range(40):
        found = separation(a, b, d)
        if found > best:
            best, best_direction = found, d
            if best >= enough:
                break
        simplex.append(v.sub(farthest(a, v.mul(-1, d)), farthest(b, d)))
        x, simplex = nearest_in_simplex(simplex)
        size = v.norm(x)
        if size < 1e-12 or len(simplex) == 4 or size - best < 1e-12:
            break
        d = v.mul(1 / size, x)
    return best, best_direction


def improve(a, b, d, best):
    """Subgradient ascent of (1) from d: the subgradient is the difference of the farthest points."""
    step = 0.1
    for _ in range(80):
        g = v.sub(farthest(a, v.mul(-1, d)), farthest(b, d))
        g = v.along(g, -v.dot(g, d), d)
        size = v.norm(g)
        if size < 1e-14:
            break
        there = v.unit(v.along(d, step / size, g))
        found = separation(a, b, there)
        if found > best:
            best, d = found, there
            step *= 1.3
        else:
            step *= 0.6
    return d, best


def gap(a, b, hints=(), enough=GOOD_ENOUGH):
    """(2), or a lower bound of it that is at least `enough` or that the search did not improve. One of the two may be
    a half-space."""
    if b.kind == "half_space":
        return separation_from_plane(a, b)
    if a.kind == "half_space":
        return separation_from_plane(b, a)
    if v.norm(v.sub(a.p, b.p)) > a.bound + b.bound:
        return v.norm(v.sub(a.p, b.p)) - a.bound - b.bound
    best, best_direction = -math.inf, None
    tried, exact = directions(a, b)
    for group in (hints, tried):
        for d in group:
            found = separation(a, b, d)
            if found > best:
                best, best_direction = found, d
                if best >= enough and not exact:
                    return best
    if exact or best >= enough:
        return best
    found, direction = approach(a, b, best_direction, enough)
    if found > best:
        best, best_direction = found, direction
    return best if best >= enough else improve(a, b, best_direction, best)[1]


def careful_gap(a, b, hints=()):
    """(2) by ascents from many directions (some 10 ms), for pairs that gap() takes to overlap more than they should."""
    if a.kind == "half_space" or b.kind == "half_space":
        return gap(a, b)
    best = gap(a, b, hints)
    starts = [w for d in list(hints) + directions(a, b)[0] for w in (d, v.mul(-1, d))] + SPREAD
    for d in sorted(starts, key=lambda d: -separation(a, b, d))[:8]:
        if best < GOOD_ENOUGH:
            best = max(best, polish(a, b, *improve(a, b, d, separation(a, b, d))))
    return best


# Of a spiral on the sphere.
SPREAD = [(math.sqrt(1 - z * z) * math.cos(2.4 * i), math.sqrt(1 - z * z) * math.sin(2.4 * i), z)
          for i, z in ((i, (2 * i + 1) / 150 - 1) for i in range(150))]


def polish(a, b, d, best):
    """Random steps from d, which get along the kinks of (1) where subgradients do not."""
    random, step = Random(1).random, 0.03
    for _ in range(400):
        there = v.unit(tuple(x + step * (2 * random() - 1) for x in d))
        found = separation(a, b, there)
        if found > best:
            best, d = found, there
            step *= 1.5
        else:
            step = max(0.97 * step, 1e-9)
    return best


def separation_from_plane(a, plane):
    n = v.column(plane.R, 2)
    return v.dot(n, v.sub(a.p, plane.p)) - reach(a, v.mul(-1, n))
