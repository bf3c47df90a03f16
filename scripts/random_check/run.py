"""A run as its files tell it: the model, the rows of the CSV, the contacts, the certificate."""
import csv
import io
import math

from . import vectors as v
from .mechanism import Mechanism


class Unreadable(Exception):
    """A file does not hold what the model says; a violation as well."""


class Row:
    """q, v: per joint. Poses, velocities and energies are computed here, from q and v alone."""
    __slots__ = ("time", "q", "v", "poses", "velocities", "energies", "reported", "placed")


class Contact:
    __slots__ = ("a", "b", "point", "normal", "gap", "force", "normal_force", "friction")


class Run:
    def __init__(self, model, rows_text, contacts_text, certificate, dt):
        self.mechanism = Mechanism(model)
        self.certificate, self.dt = certificate, dt
        self.not_finite = None  # (time, column) of the first number that is NaN or infinite
        self.rows = list(self.read_rows(rows_text))
        self.contacts = self.read_contacts(contacts_text)  # by step: [k] leads from row k to row k + 1
        if self.not_finite:
            return
        for row in self.rows:
            self.place(row)

    def h(self, k):
        """The length of step k. Times have 12 digits, too few to take differences, and only the last step is short."""
        h = self.rows[k + 1].time - self.rows[k].time
        return self.dt if abs(h - self.dt) < 1e-9 else h

    def finite(self, text, time, column):
        x = float(text)
        if not math.isfinite(x) and not self.not_finite:
            self.not_finite = (time, column)
        return x

    def read_rows(self, text):
        lines = csv.reader(io.StringIO(text))
        header = next(lines)
        places = {name: i for i, name in enumerate(header)}
        try:
            q_at = {j.name: [places["q:" + c] for c in j.columns(j.nq)] for j in self.mechanism.joints}
            v_at = {j.name: [places["v:" + c] for c in j.columns(j.nv)] for j in self.mechanism.joints}
            energy_at = [places[c] for c in ("kinetic", "gravity", "springs")]
        except KeyError as missing:
            raise Unreadable(f"the CSV has no column {missing}") from None
        for line in lines:
            row = Row()
            row.time = float(line[0])
            numbers = [self.finite(x, row.time, header[i]) for i, x in enumerate(line)]
            row.q = {name: tuple(numbers[i] for i in at) for name, at in q_at.items()}
            row.v = {name: tuple(numbers[i] for i in at) for name, at in v_at.items()}
            row.reported = tuple(numbers[i] for i in energy_at)
            yield row

    def place(self, row):
        m = self.mechanism
        row.poses = m.poses(row.q)
        row.velocities = m.velocities(row.poses, row.v)
        row.energies = m.energies(row.q, row.v, row.poses, row.velocities)
        shapes = m.world_shapes + [s for body in m.bodies.values() for s in body.shapes]
        row.placed = {s.name: s.placed(row.poses) for s in shapes}

    def read_contacts(self, text):
        steps = [[] for _ in self.rows[1:]]
        step_at = {f"{row.time:.12g}": k for k, row in enumerate(self.rows[1:])}
        lines = csv.reader(io.StringIO(text))
        next(lines, None)
        for line in lines:
            if line[0] not in step_at:
                raise Unreadable(f"a contact at t = {line[0]}, where there is no row")
            x = [self.finite(n, float(line[0]), "contacts") for n in line[3:15]]
            c = Contact()
            c.a, c.b = line[1], line[2]
            c.point, c.normal, c.gap = tuple(x[0:3]), tuple(x[3:6]), x[6]
            c.force, c.normal_force, c.friction = tuple(x[7:10]), x[10], x[11]
            steps[step_at[line[0]]].append(c)
        return steps

    def impulse(self, contact, name, k):
        """N s, on the named body in step k."""
        return v.mul(self.h(k) if contact.a == name else -self.h(k), contact.force)
