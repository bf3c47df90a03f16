#include "linchpin/dynamics/maximal/multiplier_dynamics.h"

#include <algorithm>
#include <optional>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/maximal/body_inverse.h"
#include "linchpin/spatial/quaternion.h"
#include "linchpin/spatial/sincos.h"

namespace linchpin {
namespace {

constexpr std::size_t width = 8;  // of a row: six numbers and the right-hand side
// If a body is this much heavier than the one it hangs on, one step of refinement is worth its cost. Two inversions
// lose 3e-13 of the largest term at a mass ratio of a hundred and 3e-9 at a million; refinement recovers it.
constexpr double heavier = 100;

// The components of a body's twist that its joint leaves free. Only for joints of one link, except screws; for others
// the free motions are not components.
struct FreeNumbers {
  int first, count;
};
std::optional<FreeNumbers> free_numbers(const Link& link, int dofs) {
  if (link.nv != dofs) return {};
  if (link.kind == LinkKind::ball || link.kind == LinkKind::free) return FreeNumbers{0, dofs};
  if (link.slide == 0) return FreeNumbers{2, 1};
  if (link.turn == 0) return FreeNumbers{5, 1};
  return {};
}

ConstraintForest make_forest(const Model& model, const MaximalBodies& bodies) {
  std::vector<int> sizes(bodies.size(), 6);
  std::vector<ForestConstraint> hinges;
  for (int b = 0; b < bodies.size(); ++b) {
    int rows = 6 - bodies[b].dofs;
    for (int l = bodies[b].link; l != 0 && bodies.of_link(l) == b; l = model.links()[l].parent)
      if (model.links()[l].armature > 0) rows += model.links()[l].nv;
    const std::optional<FreeNumbers> free = free_numbers(model.links()[bodies[b].link], bodies[b].dofs);
    unsigned held = 0;
    if (free) held = rows == 6 ? 63u : 63u & ~(((1u << free->count) - 1) << free->first);
    if (rows > 0) hinges.push_back({b, bodies[b].parent, rows, held});
  }
  Result<ConstraintForest> forest = ConstraintForest::make(sizes, hinges);
  check(forest.ok(), "the tree of links is not a forest: ", forest.ok() ? std::string() : forest.error().message);
  return std::move(forest).value();
}

LINCHPIN_INLINE double& number(Motion<double>& m, int k) { return (&m.w.x)[k]; }
LINCHPIN_INLINE Motion<double> motion_of(const double* x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }
LINCHPIN_INLINE void add_to(double* x, const Force<double>& F) {
  x[0] += F.n.x, x[1] += F.n.y, x[2] += F.n.z, x[3] += F.f.x, x[4] += F.f.y, x[5] += F.f.z;
}
LINCHPIN_INLINE void store_row(double* x, const Force<double>& F) {
  x[0] = F.n.x, x[1] = F.n.y, x[2] = F.n.z, x[3] = F.f.x, x[4] = F.f.y, x[5] = F.f.z;
}

// X_PF Rz(angle) Tz(slide), from sine and cosine.
LINCHPIN_INLINE Transform<double> turned(const Transform<double>& X_PF, double c, double s, double slide) {
  const Mat3<double>& E = X_PF.R;
  return {{fma(s, E.y, c * E.x), fma(-s, E.x, c * E.y), E.z}, fma(slide, E.z, X_PF.p)};
}

// The kinematics of one link on its parent: R_PL, p, and from the parent's angular velocity and c, in its own axes,
// those of the link.
struct OnWay {
  Transform<double> X;
  Mat3<double> R_FM = Mat3<double>::identity();     // of a free link
  Vec3<double> turning{0, 0, 0}, sliding{0, 0, 0};  // relative velocities in the link's axes
};
LINCHPIN_INLINE void carry(const OnWay& way, Vec3<double>& w, Motion<double>& c) {
  const Vec3<double> carried = transpose_times(way.X.R, w);
  const Vec3<double> pull = c.v + cross(c.w, way.X.p) + cross(w, cross(w, way.X.p));
  c = {transpose_times(way.X.R, c.w) + cross(carried, way.turning),
       transpose_times(way.X.R, pull) + 2.0 * cross(carried, way.sliding)};
  w = carried + way.turning;
}

// Ball and free links; v may be null.
OnWay wide_way(const Link& link, const double* q, const double* v) {
  const double* x = q + link.q;
  OnWay way;
  const Mat3<double> R = to_rotation(Quaternion<double>{x[0], x[1], x[2], x[3]});
  Vec3<double> p = Vec3<double>::zero();
  if (link.kind == LinkKind::free) p = {x[4], x[5], x[6]};
  way.X = link.X_PF * Transform<double>{R, p};
  way.R_FM = R;
  if (!v) return way;
  const double* u = v + link.v;
  way.turning = {u[0], u[1], u[2]};
  if (link.kind == LinkKind::free) way.sliding = transpose_times(R, Vec3<double>{u[3], u[4], u[5]});
  return way;
}
OnWay axis_way(const Link& link, const double* q, const double* v) {
  OnWay way;
  double s, c;
  sincos(link.angle0 + link.turn * q[link.q], s, c);
  way.X = turned(link.X_PF, c, s, link.slide0 + link.slide * q[link.q]);
  if (!v) return way;
  way.turning.z = link.turn * v[link.v];
  way.sliding.z = link.slide * v[link.v];
  return way;
}

}  // namespace

Multipliers::Multipliers(const Model& model)
    : links_(model.links().begin(), model.links().end()),
      upward_(-model.gravity()),
      bodies_(model),
      forest_(make_forest(model, bodies_)),
      factors_(forest_),
      plan_(bodies_.size()),
      X_BL_(links_.size(), Transform<double>::identity()),
      joint_(bodies_.size()),
      y_(forest_.total_size()),
      l_(forest_.total_rows()),
      F_(forest_.total_size()),
      r_(forest_.total_rows()) {
  for (const Body& body : model.bodies()) frames_.push_back({bodies_.of_link(body.link), body.X_LB});
  for (int b = 0; b < bodies_.size(); ++b) {
    const MaximalBody& body = bodies_[b];
    const Link& link = links_[body.link];
    const ConstraintForest::Node& node = forest_.nodes()[forest_.node_of_body(b)];
    JointPlan& plan = plan_[b];
    plan.parent = body.parent;
    plan.q = link.q;
    plan.v = body.v;
    plan.dofs = body.dofs;
    plan.rows = node.rows;
    plan.r = node.l;
    plan.Jb = node.Jb;
    plan.Jp = node.Jp;
    plan.X_PF = link.X_PF;
    plan.angle0 = link.angle0;
    plan.slide0 = link.slide0;
    plan.inertia = link.inertia;
    factors_.set_mass(b, to_matrix(link.inertia));

    const std::optional<FreeNumbers> free = free_numbers(link, body.dofs);
    if (free && link.kind == LinkKind::free) {
      plan.kind = Kind::free;
      plan.general = int(turned_.size());
      turned_.emplace_back();
    } else if (free && link.kind == LinkKind::ball)
      plan.kind = Kind::ball;
    else if (free)
      plan.kind = free->first == 2 ? Kind::turning : Kind::sliding;
    if (plan.kind == Kind::turning || plan.kind == Kind::sliding) axes_.push_back(b);

    if (plan.kind != Kind::general) {  // rows in the order of the twist's components, including those with armature
      int row = 0;
      for (int k = 0; k < 6; ++k) {
        const bool is_free = k >= free->first && k < free->first + free->count;
        if (is_free && !(link.armature > 0)) continue;
        if (is_free) factors_.softness()[plan.r + row] = 1 / link.armature;
        plan.row[row++] = k;
      }
      continue;
    }
    plan.general = int(general_.size());
    GeneralJoint& joint = general_.emplace_back();
    for (int l = body.link; l != 0 && bodies_.of_link(l) == b; l = links_[l].parent) joint.links.push_back(l);
    std::ranges::reverse(joint.links);
    int row = 6 - body.dofs;
    for (const int l : joint.links) {
      const Link& on_way = links_[l];
      for (int k = 0; k < on_way.nv && on_way.armature > 0; ++k) {
        joint.armed.push_back(on_way.v + k - body.v);
        factors_.softness()[plan.r + row++] = 1 / on_way.armature;
      }
    }
  }
  for (const JointPlan& plan : plan_)
    if (plan.parent >= 0) refines_ = refines_ || plan.inertia.mass > heavier * plan_[plan.parent].inertia.mass;
  angle_ = AlignedArray<double>((axes_.size() + 7) / 8 * 8);
  sine_ = cosine_ = angle_;
}

// Poses of bodies on one axis, eight at a time.
void Multipliers::place_axes(std::span<const double> q) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const JointPlan& plan = plan_[axes_[i]];
    angle_[i] = plan.angle0 + (plan.kind == Kind::turning ? q[plan.q] : 0.0);
  }
  for (std::size_t i = 0; i < angle_.size(); i += width) {
    Double8 s, c;
    sincos(Double8::load(angle_.data() + i), s, c);
    s.store(sine_.data() + i);
    c.store(cosine_.data() + i);
  }
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const JointPlan& plan = plan_[axes_[i]];
    const double slide = plan.slide0 + (plan.kind == Kind::sliding ? q[plan.q] : 0.0);
    joint_[axes_[i]].X = turned(plan.X_PF, cosine_[i], sine_[i], slide);
  }
}

void Multipliers::place_general(int body, const double* q, const double* v, const Vec3<double>& w_p) {
  GeneralJoint& joint = general_[plan_[body].general];
  JointState& state = joint_[body];
  state.X = Transform<double>::identity();
  state.w = w_p;
  state.c = Motion<double>::zero();
  Motion<double>* S = joint.S;  // first each in the frame of its own link
  for (const int l : joint.links) {
    const Link& link = links_[l];
    const bool wide = link.kind == LinkKind::ball || link.kind == LinkKind::free;
    const OnWay way = wide ? wide_way(link, q, v) : axis_way(link, q, v);
    carry(way, state.w, state.c);
    state.X = state.X * way.X;
    X_BL_[l] = state.X;  // in the parent for now
    if (wide) {
      for (int k = 0; k < 3; ++k) number(*S++ = Motion<double>::zero(), k) = 1;
      if (link.kind == LinkKind::free) {
        const Mat3<double> R = transpose(way.R_FM);
        for (const Vec3<double>& axis : {R.x, R.y, R.z}) *S++ = {Vec3<double>::zero(), axis};
      }
    } else {
      *S++ = {{0, 0, link.turn}, {0, 0, link.slide}};
    }
  }
  const Transform<double> X_BP = inverse(state.X);
  const int first = plan_[body].v;
  for (const int l : joint.links) {
    Transform<double>& X = X_BL_[l];
    X = X_BP * X;
    const Transform<double> X_LB = inverse(X);
    const Link& link = links_[l];
    for (int k = link.v; k < link.v + link.nv; ++k) joint.S[k - first] = motion_to_child(X_LB, joint.S[k - first]);
  }
  const std::size_t dofs = std::size_t(plan_[body].dofs);
  split_freedom({joint.S, dofs}, {joint.D, dofs}, {joint.Q2, 6 - dofs});
}

// J_b of general joints, J_p and r.
LINCHPIN_INLINE void Multipliers::place_rows(int body) {
  const JointPlan& plan = plan_[body];
  if (plan.rows == 0) return;
  JointState& state = joint_[body];
  Motion<double> c = state.c;
  if (plan.parent < 0) c.v = c.v + transpose_times(state.X.R, upward_);  // X times the world's acceleration
  double* Jp = factors_.block(plan.Jp);
  double* r = r_.data() + plan.r;
  const Mat3<double>& R = state.X.R;
  const Vec3<double>& p = state.X.p;
  if (plan.kind == Kind::general) {
    const GeneralJoint& joint = general_[plan.general];
    const int hinges = 6 - plan.dofs;
    double* Jb = factors_.block(plan.Jb);
    for (int i = 0; i < plan.rows; ++i) {
      const Force<double>& F = i < hinges ? joint.Q2[i] : joint.D[joint.armed[i - hinges]];
      const double numbers[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
      for (std::size_t k = 0; k < 6; ++k) Jb[width * k + std::size_t(i)] = numbers[k];
      const Force<double> on_parent = force_to_parent(state.X, F);
      if (plan.parent >= 0) store_row(Jp + width * std::size_t(i), {-on_parent.n, -on_parent.f});
      r[i] = dot(F, c);
    }
    return;
  }
  for (int i = 0; i < plan.rows; ++i) r[i] = number(c, plan.row[i]);
  if (plan.parent < 0) return;
  const Vec3<double> column[3] = {-R.x, -R.y, -R.z};
  const Vec3<double> lever[3] = {cross(R.x, p), cross(R.y, p), cross(R.z, p)};  // p x -R_k
  for (int i = 0; i < plan.rows; ++i) {
    const int k = plan.row[i];
    if (k < 3)
      store_row(Jp + width * std::size_t(i), {column[k], Vec3<double>::zero()});
    else
      store_row(Jp + width * std::size_t(i), {lever[k - 3], column[k - 3]});
  }
}

// All terms of (1) to (3) except external forces. If v is null there are no gyroscopic terms, if tau is null no joint
// forces. A body comes after its parent, on which the opposite of its joint force acts.
void Multipliers::place(std::span<const double> q, const double* v, const double* tau) {
  place_axes(q);
  for (int b = 0; b < bodies_.size(); ++b) {
    const JointPlan& plan = plan_[b];
    JointState& state = joint_[b];
    const Vec3<double> w_p = v && plan.parent >= 0 ? joint_[plan.parent].w : Vec3<double>::zero();
    if (plan.kind == Kind::general) {
      place_general(b, q.data(), v, w_p);
    } else {
      OnWay way;
      if (plan.kind == Kind::ball || plan.kind == Kind::free) {
        way = wide_way(links_[bodies_[b].link], q.data(), v);
        state.X = way.X;
        if (plan.kind == Kind::free) turned_[plan.general] = way.R_FM;
      } else {
        way.X = state.X;
        if (v) (plan.kind == Kind::turning ? way.turning : way.sliding).z = v[plan.v];
      }
      state.w = w_p;
      state.c = Motion<double>::zero();
      if (v) carry(way, state.w, state.c);
    }
    place_rows(b);
    const RigidInertia<double>& I = plan.inertia;
    const Vec3<double>& w = state.w;
    const Vec3<double> n = cross(I.I * w, w), f = cross(cross(w, I.h), w);
    double* F = F_.data() + 6 * b;
    F[0] = n.x, F[1] = n.y, F[2] = n.z, F[3] = f.x, F[4] = f.y, F[5] = f.z;
    if (tau) add_joint_force(b, tau, F_.data());
  }
}

LINCHPIN_INLINE void Multipliers::add_joint_force(int body, const double* tau, double* F) const {
  const Force<double> on_body = joint_force(body, tau);
  add_to(F + 6 * body, on_body);
  if (plan_[body].parent < 0) return;
  const Force<double> on_parent = force_to_parent(joint_[body].X, on_body);
  add_to(F + 6 * plan_[body].parent, {-on_parent.n, -on_parent.f});
}

LINCHPIN_INLINE Force<double> Multipliers::joint_force(int body, const double* tau) const {
  const JointPlan& plan = plan_[body];
  const double* t = tau + plan.v;
  switch (plan.kind) {
    case Kind::turning:
      return {{0, 0, t[0]}, {0, 0, 0}};
    case Kind::sliding:
      return {{0, 0, 0}, {0, 0, t[0]}};
    case Kind::ball:
      return {{t[0], t[1], t[2]}, {0, 0, 0}};
    case Kind::free:
      return {{t[0], t[1], t[2]}, transpose_times(turned_[plan.general], Vec3<double>{t[3], t[4], t[5]})};
    case Kind::general:
      break;
  }
  const GeneralJoint& joint = general_[plan.general];
  Force<double> F = Force<double>::zero();
  for (int k = 0; k < plan.dofs; ++k) F += Force<double>{t[k] * joint.D[k].n, t[k] * joint.D[k].f};
  return F;
}

LINCHPIN_INLINE void Multipliers::read_coordinates(int body, const Motion<double>& relative, double* v) const {
  const JointPlan& plan = plan_[body];
  double* out = v + plan.v;
  switch (plan.kind) {
    case Kind::turning:
      out[0] = relative.w.z;
      return;
    case Kind::sliding:
      out[0] = relative.v.z;
      return;
    case Kind::free: {
      const Vec3<double> pdot = turned_[plan.general] * relative.v;
      out[3] = pdot.x, out[4] = pdot.y, out[5] = pdot.z;
      [[fallthrough]];
    }
    case Kind::ball:
      out[0] = relative.w.x, out[1] = relative.w.y, out[2] = relative.w.z;
      return;
    case Kind::general:
      break;
  }
  const GeneralJoint& joint = general_[plan.general];
  for (int k = 0; k < plan.dofs; ++k) out[k] = dot(joint.D[k], relative);
}

void Multipliers::add_external(std::span<const double> f_ext) {
  for (std::size_t i = 1; i < frames_.size() && !f_ext.empty(); ++i) {
    if (frames_[i].body < 0) continue;
    const double* x = f_ext.data() + 6 * i;
    add_to(F_.data() + 6 * frames_[i].body,
           force_to_parent(frames_[i].X, Force<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}));
  }
}

LINCHPIN_INLINE Motion<double> Multipliers::relative(int body, std::span<const double> y) const {
  const Motion<double> own = motion_of(y.data() + 6 * body);
  const int parent = plan_[body].parent;
  if (parent < 0) return own;
  return own - motion_to_child(joint_[body].X, motion_of(y.data() + 6 * parent));
}

bool Multipliers::accelerations(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                std::span<const double> f_ext, std::span<double> vdot, bool keep) {
  check(tau.size() == v.size() && vdot.size() == v.size(), "vectors of ", v.size(), ", ", tau.size(), " and ",
        vdot.size(), " velocities, forces and accelerations");
  check(f_ext.empty() || f_ext.size() == 6 * frames_.size(), "f_ext has ", f_ext.size(),
        " numbers, the model needs none or ", 6 * frames_.size());
  place(q, v.data(), tau.data());
  add_external(f_ext);
  if (!factors_.factor_and_solve(F_, r_, y_, l_, keep || refines_)) return false;
  if (refines_) factors_.refine(F_, r_, y_, l_);
  for (int b = 0; b < bodies_.size(); ++b) {
    Motion<double> a = relative(b, y_) - joint_[b].c;
    if (plan_[b].parent < 0) a.v = a.v - transpose_times(joint_[b].X.R, upward_);
    read_coordinates(b, a, vdot.data());
  }
  return true;
}

bool Multipliers::factor(std::span<const double> q) {
  place(q, nullptr, nullptr);
  return factors_.factor();
}

void Multipliers::add_joint_forces(std::span<const double> tau, std::span<double> F) const {
  check(F.size() == F_.size(), "forces on ", F.size() / 6, " bodies, there are ", bodies_.size());
  for (int b = 0; b < bodies_.size(); ++b) add_joint_force(b, tau.data(), F.data());
}

void Multipliers::coordinates(std::span<const double> y, std::span<double> v) const {
  check(y.size() == F_.size(), "motions of ", y.size() / 6, " bodies, there are ", bodies_.size());
  for (int b = 0; b < bodies_.size(); ++b) read_coordinates(b, relative(b, y), v.data());
}

}  // namespace linchpin
