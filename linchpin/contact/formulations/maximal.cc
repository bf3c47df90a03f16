#include "linchpin/contact/formulations/maximal.h"

#include <algorithm>

#include "linchpin/base/check.h"

namespace linchpin {
namespace {

using Vector6 = std::array<double, 6>;

Vector6 numbers(const Force<double>& F) { return {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z}; }

Force<double> into(const Mat3<double>& R, const Force<double>& F) {
  return {transpose_times(R, F.n), transpose_times(R, F.f)};
}
Motion<double> into(const Mat3<double>& R, const Motion<double>& m) {
  return {transpose_times(R, m.w), transpose_times(R, m.v)};
}
Motion<double> out_of(const Mat3<double>& R, const Motion<double>& m) { return {R * m.w, R * m.v}; }
Force<double> operator-(const Force<double>& F) { return {-F.n, -F.f}; }

// The same force about another point; r leads from this point to the old one.
Force<double> shifted(const Vec3<double>& r, const Force<double>& F) { return {F.n + cross(r, F.f), F.f}; }

}  // namespace

MaximalCoordinates::MaximalCoordinates(const Model& model)
    : bodies_(model),
      armature_(model.nv()),
      joints_(bodies_.size()),
      drift_(model.links().size()),
      force_(bodies_.size()),
      zero_(model.nv(), 0.0),
      products_(model) {
  const std::span<const Link> links = model.links();
  for (const Link& link : links)
    for (int k = link.v; k < link.v + link.nv; ++k) armature_[k] = link.armature;
  for (int b = 0; b < bodies_.size(); ++b) {
    const RigidInertia<double>& inertia = links[bodies_[b].link].inertia;
    const std::optional<Matrix36> inverse = inverse_of(inertia);
    check(inverse.has_value(), "link ", bodies_[b].link, " has a singular inertia");
    mass_.push_back(to_matrix(inertia));
    inverse_.push_back(*inverse);
    inertia_.push_back(inertia);
    hinge_rows_ += 6 - bodies_[b].dofs;
  }
  for (const double a : armature_) hinge_rows_ += a > 0;
  momentum.resize(6 * inertia_.size());
  V_free.resize(inertia_.size() + 1, Motion<double>::zero());
}

void MaximalCoordinates::place_joints(const Motive& motive) {
  for (int b = 0; b < bodies_.size(); ++b) {
    const MaximalBody& body = bodies_[b];
    JointPart& joint = joints_[b];
    std::size_t link = std::size_t(body.link);
    for (int k = body.dofs - 1; k >= 0; --k) {
      const Link* at = &motive.model.links()[link];
      while (body.v + k < at->v) {
        link = std::size_t(at->parent);
        at = &motive.model.links()[link];
      }
      const Motion<double>& axis = motive.vel.axis[body.v + k];
      const Vec3<double> lever = motive.kin.X_WL[body.link].p - motive.kin.X_WL[link].p;
      joint.S[k] = {axis.w, axis.v + cross(axis.w, lever)};
    }
    const std::size_t dofs = std::size_t(body.dofs);
    split_freedom({joint.S, dofs}, {joint.D, dofs}, {joint.hinge, 6 - dofs});
  }
}

// (5) without impulses.
void MaximalCoordinates::place_momenta(const Motive& motive) {
  const double dt = motive.dt;
  const Velocities& turning = motive.v_products.empty() ? motive.vel : products_;
  std::ranges::fill(force_, Force<double>::zero());
  if (dt > 0) {
    if (!motive.v_products.empty()) velocities(motive.model, motive.kin, motive.v_products, products_);
    accelerations(motive.model, motive.kin, turning, motive.products(), zero_, drift_);
    for (std::size_t i = 1; i < motive.model.bodies().size() && !motive.f_ext.empty(); ++i) {
      const Body& body = motive.model.bodies()[i];
      if (body.link == 0) continue;
      const double* x = motive.f_ext.data() + 6 * i;
      force_[bodies_.of_link(body.link)] +=
          force_to_parent(body.X_LB, Force<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
    }
    for (std::size_t b = 0; b < joints_.size(); ++b) {
      const MaximalBody& body = bodies_[int(b)];
      const Transform<double>& X = motive.kin.X_WL[body.link];
      Force<double> F = Force<double>::zero();
      for (int k = 0; k < body.dofs; ++k) {
        const double tau = motive.tau[body.v + k];
        F += Force<double>{tau * joints_[b].D[k].n, tau * joints_[b].D[k].f};
      }
      force_[b] += into(X.R, F);
      if (body.parent < 0) continue;
      const Transform<double>& X_P = motive.kin.X_WL[bodies_[body.parent].link];
      force_[body.parent] += into(X_P.R, -shifted(X.p - X_P.p, F));
    }
  }
  for (std::size_t b = 0; b < joints_.size(); ++b) {
    const MaximalBody& body = bodies_[int(b)];
    const Mat3<double>& R = motive.kin.X_WL[body.link].R;
    const Motion<double> V = into(R, motive.vel.link[body.link]);
    Force<double> P = inertia_[b] * V;
    if (dt > 0) {
      const RigidInertia<double>& I = inertia_[b];
      const Vec3<double> g = transpose_times(R, motive.model.gravity());
      const Vec3<double> w = transpose_times(R, turning.link[body.link].w);
      const Force<double> bias{cross(w, I.I * w), cross(w, cross(w, I.h))}, weight{cross(I.h, g), I.mass * g};
      const Force<double> F = force_[b] + weight - bias - I * into(R, drift_[body.link]);
      P += Force<double>{dt * F.n, dt * F.f};
    }
    std::ranges::copy(numbers(P), momentum.begin() + std::ptrdiff_t(6 * b));
    V_free[b + 1] = inverse_[b] * P;
  }
}

void MaximalCoordinates::add_side(const Motive& motive, int body, const Force<double>& F_W) {
  if (body < 0) return;
  rows.add_side(body + 1, into(motive.kin.X_WL[bodies_[body].link].R, F_W));
}

void MaximalCoordinates::add_across_joint(const Motive& motive, int body, const Force<double>& F_W) {
  add_side(motive, body, F_W);
  const MaximalBody& child = bodies_[body];
  if (child.parent < 0) return;
  const int link = bodies_[child.parent].link;
  const Vec3<double> r = motive.kin.X_WL[child.link].p - motive.kin.X_WL[link].p;
  add_side(motive, child.parent, -shifted(r, F_W));
}

void MaximalCoordinates::add_link_side(const Motive& motive, int link, const Force<double>& F_W) {
  const int b = bodies_.of_link(link);
  const MaximalBody& body = bodies_[b];
  if (body.link == link) return add_side(motive, b, F_W);
  // (7): S_k at the link's origin is S_k at the body's origin, shifted by the distance between them.
  const Vec3<double>&at = motive.kin.X_WL[link].p, &origin = motive.kin.X_WL[body.link].p;
  const Link& own = motive.model.links()[link];
  Force<double> F = Force<double>::zero();
  for (int k = 0; k < own.v + own.nv - body.v; ++k) {
    const Motion<double>& S = joints_[b].S[k];
    const double c = dot(F_W, Motion<double>{S.w, S.v + cross(S.w, at - origin)});
    F += Force<double>{c * joints_[b].D[k].n, c * joints_[b].D[k].f};
  }
  add_across_joint(motive, b, F);
  if (body.parent < 0) return;
  const int parent_link = bodies_[body.parent].link;
  add_side(motive, body.parent, shifted(at - motive.kin.X_WL[parent_link].p, F_W));
}

void MaximalCoordinates::place(const Motive& motive, const Rows& given, const RowOrder& order) {
  check(motive.v.size() == armature_.size() && motive.model.links().size() == drift_.size(),
        "the motive belongs to another model");
  place_joints(motive);
  place_momenta(motive);
  rows.clear();
  if (hinge_rows_ > 0) rows.begin_block(BlockKind::free, hinge_rows_);
  for (int b = 0; b < bodies(); ++b)
    for (int k = 0; k < 6 - bodies_[b].dofs; ++k) {  // (3)
      add_across_joint(motive, b, joints_[b].hinge[k]);
      rows.end_row(0);
    }
  for (int b = 0; b < bodies(); ++b)
    for (int k = 0; k < bodies_[b].dofs; ++k) {  // (6)
      const std::size_t coordinate = std::size_t(bodies_[b].v + k);
      if (!(armature_[coordinate] > 0)) continue;
      add_across_joint(motive, b, joints_[b].D[k]);
      rows.end_row(-motive.v[coordinate], 1 / armature_[coordinate]);
    }
  for (const Block& block : order.blocks) {
    rows.begin_block(block.kind, block.size, block.mu);
    for (int k = 0; k < block.size; ++k) {
      const std::size_t r = std::size_t(order.rows[block.start + k]);
      for (int s = given.first_side[r]; s < given.first_side[r + 1]; ++s)
        add_link_side(motive, given.sides[s].link, given.sides[s].force);
      rows.end_row(given.offset[r], given.softness[r], -1, given.lower[r], given.upper[r]);
    }
  }
}

void MaximalCoordinates::coordinates(const Motive& motive, std::span<const Motion<double>> V,
                                     std::span<double> v) const {
  for (std::size_t b = 0; b < joints_.size(); ++b) {
    const MaximalBody& body = bodies_[int(b)];
    const Transform<double>& X = motive.kin.X_WL[body.link];
    Motion<double> relative = out_of(X.R, V[b + 1]);
    if (body.parent >= 0) {
      const Transform<double>& X_P = motive.kin.X_WL[bodies_[body.parent].link];
      const Motion<double> parent = out_of(X_P.R, V[body.parent + 1]);
      relative = relative - Motion<double>{parent.w, parent.v + cross(parent.w, X.p - X_P.p)};
    }
    for (int k = 0; k < body.dofs; ++k) v[body.v + k] = dot(joints_[b].D[k], relative);
  }
}

}  // namespace linchpin
