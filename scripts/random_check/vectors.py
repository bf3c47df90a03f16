"""Vectors, rotations and quaternions as tuples. A rotation matrix is a tuple of its three rows; a pose is (R, p) with
x_world = R x + p; quaternions are w, x, y, z."""
import math

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO = (0.0, 0.0, 0.0)


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def mul(s, a):
    return (s * a[0], s * a[1], s * a[2])


def along(a, s, b):
    """a + s b"""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a):
    return math.sqrt(dot(a, a))


def unit(a):
    length = norm(a)
    return mul(1 / length, a) if length > 0 else (0.0, 0.0, 1.0)


def turn(R, a):
    """R a"""
    return (dot(R[0], a), dot(R[1], a), dot(R[2], a))


def turn_back(R, a):
    """R' a"""
    return (R[0][0] * a[0] + R[1][0] * a[1] + R[2][0] * a[2], R[0][1] * a[0] + R[1][1] * a[1] + R[2][1] * a[2],
            R[0][2] * a[0] + R[1][2] * a[1] + R[2][2] * a[2])


def column(R, k):
    return (R[0][k], R[1][k], R[2][k])


def product(A, B):
    """A B"""
    columns = (column(B, 0), column(B, 1), column(B, 2))
    return tuple((dot(row, columns[0]), dot(row, columns[1]), dot(row, columns[2])) for row in A)


def transpose(R):
    return (column(R, 0), column(R, 1), column(R, 2))


def compose(X, Y):
    return (product(X[0], Y[0]), add(turn(X[0], Y[1]), X[1]))


def inverse(X):
    R = transpose(X[0])
    return (R, mul(-1, turn(R, X[1])))


def quaternion_product(a, b):
    return (a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0])


def quaternion_exp(u):
    """The quaternion of the rotation vector u."""
    angle = norm(u)
    s = math.sin(angle / 2) / angle if angle > 1e-12 else 0.5
    return (math.cos(angle / 2), s * u[0], s * u[1], s * u[2])


def quaternion_angle(a, b):
    """The angle of the rotation from a to b."""
    w, x, y, z = quaternion_product((a[0], -a[1], -a[2], -a[3]), b)
    return 2 * math.atan2(math.sqrt(x * x + y * y + z * z), abs(w))


def rotation(quaternion):
    w, x, y, z = quaternion
    n = 2 / (w * w + x * x + y * y + z * z)
    return ((1 - n * (y * y + z * z), n * (x * y - w * z), n * (x * z + w * y)),
            (n * (x * y + w * z), 1 - n * (x * x + z * z), n * (y * z - w * x)),
            (n * (x * z - w * y), n * (y * z + w * x), 1 - n * (x * x + y * y)))


def rotation_about(axis, angle):
    return rotation(quaternion_exp(mul(angle, unit(axis))))


def symmetric(m):
    """The matrix of moments given as a dict of xx ... yz."""
    xx, yy, zz, xy, xz, yz = (m.get(k, 0.0) for k in ("xx", "yy", "zz", "xy", "xz", "yz"))
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
