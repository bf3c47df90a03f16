#include "linchpin/contact/maximal.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "linchpin/base/check.h"

namespace linchpin {
namespace {

using Vector6 = std::array<double, 6>;

Vector6 numbers(const Force<double>& F) { return {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z}; }
Force<double> force_of(const Vector6& x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

Force<double> into(const Mat3<double>& R, const Force<double>& F) {
  return {transpose_times(R, F.n), transpose_times(R, F.f)};
}
Motion<double> into(const Mat3<double>& R, const Motion<double>& m) {
  return {transpose_times(R, m.w), transpose_times(R, m.v)};
}
Motion<double> out_of(const Mat3<double>& R, const Motion<double>& m) { return {R * m.w, R * m.v}; }
Force<double> operator-(const Force<double>& F) { return {-F.n, -F.f}; }

// The same force about a point that lies r before it, in the same axes.
Force<double> shifted(const Vec3<double>& r, const Force<double>& F) { return {F.n + cross(r, F.f), F.f}; }

// The links that carry bodies, by link.
std::vector<char> carriers(const Model& model) {
  std::vector<char> carries(model.links().size(), 0);
  for (const Body& body : model.bodies()) carries[std::size_t(body.link)] = 1;
  carries[0] = 0;
  return carries;
}

// Q of S = Q R by Householder's reflections, columns of Q in order; R above the diagonal of S, by columns.
void orthogonalise(Vector6* S, int columns, std::array<Vector6, 6>& Q) {
  for (std::size_t i = 0; i < 6; ++i) {
    Q[i].fill(0);
    Q[i][i] = 1;
  }
  std::array<Vector6, 6> mirror;
  for (std::size_t k = 0; k < std::size_t(columns); ++k) {
    double length = 0;
    for (std::size_t i = k; i < 6; ++i) length += S[k][i] * S[k][i];
    length = std::sqrt(length);
    Vector6& u = mirror[k];
    u.fill(0);
    for (std::size_t i = k; i < 6; ++i) u[i] = S[k][i];
    u[k] += u[k] < 0 ? -length : length;
    double square = 0;
    for (const double x : u) square += x * x;
    const auto reflect = [&](Vector6& x) {
      double along = 0;
      for (std::size_t i = k; i < 6; ++i) along += u[i] * x[i];
      for (std::size_t i = k; i < 6; ++i) x[i] -= 2 * along / square * u[i];
    };
    for (std::size_t j = k; j < std::size_t(columns); ++j) reflect(S[j]);
    for (double& x : u) x /= std::sqrt(square);
  }
  for (std::size_t k = std::size_t(columns); k-- > 0;)
    for (Vector6& q : Q) {
      double along = 0;
      for (std::size_t i = 0; i < 6; ++i) along += mirror[k][i] * q[i];
      for (std::size_t i = 0; i < 6; ++i) q[i] -= 2 * along * mirror[k][i];
    }
}

}  // namespace

std::optional<Error> MaximalCoordinates::find_fault(const Model& model) {
  const std::vector<char> carries = carriers(model);
  for (std::size_t i = 1; i < carries.size(); ++i) {
    const RigidInertia<double>& inertia = model.links()[i].inertia;
    if (!carries[i] || inverse_of(inertia)) continue;
    const auto body = std::ranges::find(model.bodies(), int(i), &Body::link);
    std::ostringstream message;
    message << "body '" << body->name << "' has mass " << inertia.mass << " kg (with what is welded to it)"
            << (inertia.mass > 0 ? " but no moment of inertia about some axis" : "")
            << ": in maximal coordinates every body moves by itself and needs both; take os, rmc or mc";
    return Error{message.str()};
  }
  return {};
}

MaximalCoordinates::MaximalCoordinates(const Model& model)
    : body_of_link_(model.links().size(), -1),
      armature_(std::size_t(model.nv())),
      drift_(model.links().size()),
      zero_(std::size_t(model.nv()), 0.0) {
  const std::vector<char> carries = carriers(model);
  const std::span<const Link> links = model.links();
  for (std::size_t i = 1; i < links.size(); ++i) {
    for (int k = links[i].v; k < links[i].v + links[i].nv; ++k) armature_[std::size_t(k)] = links[i].armature;
    if (!carries[i]) continue;
    const std::optional<Matrix36> inverse = inverse_of(links[i].inertia);
    check(inverse.has_value(), "link ", i, " has no inverse inertia");
    BodyPart body{.link = int(i),
                  .parent = -1,
                  .dofs = 0,
                  .v = links[i].v,
                  .mass = to_matrix(links[i].inertia),
                  .inverse = *inverse,
                  .inertia = links[i].inertia};
    std::size_t l = i;
    for (;; l = std::size_t(links[l].parent)) {
      body_of_link_[l] = int(bodies_.size());
      body.dofs += links[l].nv;
      body.v = links[l].v;
      if (links[l].parent == 0 || carries[std::size_t(links[l].parent)]) break;
    }
    if (links[l].parent != 0) body.parent = body_of_link_[std::size_t(links[l].parent)];
    hinge_rows_ += 6 - body.dofs;
    bodies_.push_back(body);
  }
  for (const double a : armature_) hinge_rows_ += a > 0;
  joints_.resize(bodies_.size());
  force_.resize(bodies_.size());
  momentum.resize(6 * bodies_.size());
  V_free.resize(bodies_.size() + 1, Motion<double>::zero());
}

void MaximalCoordinates::place_joints(const Motive& motive) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const BodyPart& body = bodies_[b];
    JointPart& joint = joints_[b];
    Vector6 S[6];
    std::size_t link = std::size_t(body.link);
    for (int k = body.dofs - 1; k >= 0; --k) {
      const Link* at = &motive.model.links()[link];
      while (body.v + k < at->v) {
        link = std::size_t(at->parent);
        at = &motive.model.links()[link];
      }
      const Motion<double>& axis = motive.vel.axis[std::size_t(body.v + k)];
      const Vec3<double> lever = motive.kin.X_WL[std::size_t(body.link)].p - motive.kin.X_WL[link].p;
      const Motion<double> m{axis.w, axis.v + cross(axis.w, lever)};
      joint.S[k] = m;
      S[k] = {m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z};
    }
    std::array<Vector6, 6> Q;
    orthogonalise(S, body.dofs, Q);
    for (int k = body.dofs; k < 6; ++k) joint.hinge[k - body.dofs] = force_of(Q[std::size_t(k)]);
    Vector6 D[6];  // R D' = Q1', from the last row of R up
    for (int k = body.dofs - 1; k >= 0; --k) {
      D[k] = Q[std::size_t(k)];
      for (int j = k + 1; j < body.dofs; ++j)
        for (std::size_t i = 0; i < 6; ++i) D[k][i] -= S[j][std::size_t(k)] * D[j][i];
      for (double& x : D[k]) x /= S[k][std::size_t(k)];
      joint.D[k] = force_of(D[k]);
    }
  }
}

// (5) without impulses.
void MaximalCoordinates::place_momenta(const Motive& motive) {
  const double dt = motive.dt;
  std::ranges::fill(force_, Force<double>::zero());
  if (dt > 0) {
    accelerations(motive.model, motive.kin, motive.vel, motive.v, zero_, drift_);
    for (std::size_t i = 1; i < motive.model.bodies().size() && !motive.f_ext.empty(); ++i) {
      const Body& body = motive.model.bodies()[i];
      if (body.link == 0) continue;
      const double* x = motive.f_ext.data() + 6 * i;
      force_[std::size_t(body_of_link_[std::size_t(body.link)])] +=
          force_to_parent(body.X_LB, Force<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
    }
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const BodyPart& body = bodies_[b];
      const Transform<double>& X = motive.kin.X_WL[std::size_t(body.link)];
      Force<double> F = Force<double>::zero();
      for (int k = 0; k < body.dofs; ++k) {
        const double tau = motive.tau[std::size_t(body.v + k)];
        F += Force<double>{tau * joints_[b].D[k].n, tau * joints_[b].D[k].f};
      }
      force_[b] += into(X.R, F);
      if (body.parent < 0) continue;
      const Transform<double>& X_P = motive.kin.X_WL[std::size_t(bodies_[std::size_t(body.parent)].link)];
      force_[std::size_t(body.parent)] += into(X_P.R, -shifted(X.p - X_P.p, F));
    }
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const BodyPart& body = bodies_[b];
    const Mat3<double>& R = motive.kin.X_WL[std::size_t(body.link)].R;
    const Motion<double> V = into(R, motive.vel.link[std::size_t(body.link)]);
    Force<double> P = body.inertia * V;
    if (dt > 0) {
      const RigidInertia<double>& I = body.inertia;
      const Vec3<double> g = transpose_times(R, motive.model.gravity());
      const Force<double> bias{cross(V.w, I.I * V.w), cross(V.w, cross(V.w, I.h))}, weight{cross(I.h, g), I.mass * g};
      const Force<double> F = force_[b] + weight - bias - I * into(R, drift_[std::size_t(body.link)]);
      P += Force<double>{dt * F.n, dt * F.f};
    }
    std::ranges::copy(numbers(P), momentum.begin() + std::ptrdiff_t(6 * b));
    V_free[b + 1] = body.inverse * P;
  }
}

void MaximalCoordinates::add_side(const Motive& motive, int body, const Force<double>& F_W) {
  if (body < 0) return;
  rows.add_side(body + 1, into(motive.kin.X_WL[std::size_t(bodies_[std::size_t(body)].link)].R, F_W));
}

void MaximalCoordinates::add_across_joint(const Motive& motive, int body, const Force<double>& F_W) {
  add_side(motive, body, F_W);
  const BodyPart& child = bodies_[std::size_t(body)];
  if (child.parent < 0) return;
  const int link = bodies_[std::size_t(child.parent)].link;
  const Vec3<double> r = motive.kin.X_WL[std::size_t(child.link)].p - motive.kin.X_WL[std::size_t(link)].p;
  add_side(motive, child.parent, -shifted(r, F_W));
}

void MaximalCoordinates::add_link_side(const Motive& motive, int link, const Force<double>& F_W) {
  const int b = body_of_link_[std::size_t(link)];
  const BodyPart& body = bodies_[std::size_t(b)];
  if (body.link == link) return add_side(motive, b, F_W);
  // (7): S_k at the link is S_k at the body's origin, taken back along the way between them.
  const Vec3<double>&at = motive.kin.X_WL[std::size_t(link)].p, &origin = motive.kin.X_WL[std::size_t(body.link)].p;
  const Link& own = motive.model.links()[std::size_t(link)];
  Force<double> F = Force<double>::zero();
  for (int k = 0; k < own.v + own.nv - body.v; ++k) {
    const Motion<double>& S = joints_[std::size_t(b)].S[k];
    const double c = dot(F_W, Motion<double>{S.w, S.v + cross(S.w, at - origin)});
    F += Force<double>{c * joints_[std::size_t(b)].D[k].n, c * joints_[std::size_t(b)].D[k].f};
  }
  add_across_joint(motive, b, F);
  if (body.parent < 0) return;
  const int parent_link = bodies_[std::size_t(body.parent)].link;
  add_side(motive, body.parent, shifted(at - motive.kin.X_WL[std::size_t(parent_link)].p, F_W));
}

void MaximalCoordinates::place(const Motive& motive, const Rows& given, const RowOrder& order) {
  check(motive.v.size() == armature_.size() && motive.model.links().size() == body_of_link_.size(),
        "a motive of another model");
  place_joints(motive);
  place_momenta(motive);
  rows.clear();
  if (hinge_rows_ > 0) rows.begin_block(BlockKind::free, hinge_rows_);
  for (int b = 0; b < bodies(); ++b)
    for (int k = 0; k < 6 - bodies_[std::size_t(b)].dofs; ++k) {  // (3)
      add_across_joint(motive, b, joints_[std::size_t(b)].hinge[k]);
      rows.end_row(0);
    }
  for (int b = 0; b < bodies(); ++b)
    for (int k = 0; k < bodies_[std::size_t(b)].dofs; ++k) {  // (6)
      const std::size_t coordinate = std::size_t(bodies_[std::size_t(b)].v + k);
      if (!(armature_[coordinate] > 0)) continue;
      add_across_joint(motive, b, joints_[std::size_t(b)].D[k]);
      rows.end_row(-motive.v[coordinate], 1 / armature_[coordinate]);
    }
  for (const Block& block : order.blocks) {
    rows.begin_block(block.kind, block.size, block.mu);
    for (int k = 0; k < block.size; ++k) {
      const std::size_t r = std::size_t(order.rows[std::size_t(block.start + k)]);
      for (int s = given.first_side[r]; s < given.first_side[r + 1]; ++s)
        add_link_side(motive, given.sides[std::size_t(s)].link, given.sides[std::size_t(s)].force);
      rows.end_row(given.offset[r], given.softness[r], -1, given.lower[r], given.upper[r]);
    }
  }
}

void MaximalCoordinates::coordinates(const Motive& motive, std::span<const Motion<double>> V,
                                     std::span<double> v) const {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const BodyPart& body = bodies_[b];
    const Transform<double>& X = motive.kin.X_WL[std::size_t(body.link)];
    Motion<double> relative = out_of(X.R, V[b + 1]);
    if (body.parent >= 0) {
      const Transform<double>& X_P = motive.kin.X_WL[std::size_t(bodies_[std::size_t(body.parent)].link)];
      const Motion<double> parent = out_of(X_P.R, V[std::size_t(body.parent) + 1]);
      relative = relative - Motion<double>{parent.w, parent.v + cross(parent.w, X.p - X_P.p)};
    }
    for (int k = 0; k < body.dofs; ++k) v[std::size_t(body.v + k)] = dot(joints_[b].D[k], relative);
  }
}

}  // namespace linchpin
