#include "linchpin/control/augmented_object.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "linchpin/base/check.h"
#include "linchpin/control/node_compliance.h"
#include "linchpin/control/priority_stack.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/algebra/symmetric_eigen.h"

namespace linchpin {
namespace {

using Six = std::array<double, 6>;
using SixBySix = std::array<double, 36>;

Six numbers(const Motion<double>& m) { return {m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z}; }
Six numbers(const Force<double>& f) { return {f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z}; }
Motion<double> motion(const double* x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }
Force<double> force(const double* x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }
Motion<double> unit_motion(std::size_t i) {
  double x[6] = {0, 0, 0, 0, 0, 0};
  x[i] = 1;
  return motion(x);
}

// The acceleration at a point r from O of a body with acceleration a at O and no velocity; and a force at that point,
// moved to O.
Motion<double> carried(const Motion<double>& a, const Vec3<double>& r) { return {a.w, a.v + cross(a.w, r)}; }
Force<double> about_O(const Force<double>& f, const Vec3<double>& r) { return {f.n + cross(r, f.f), f.f}; }

void check_object(const Model& model, const HeldObject& object) {
  check(!object.grips.empty(), "an object held by ", object.grips.size(), " hands, needs 1 or more");
  check(object.rows.size() <= 6, object.rows.size(), " rows of one object, at most 6");
  for (std::size_t i = 0; i < object.grips.size(); ++i) {
    check_rows(model, i, object.grips[i].hand, object.rows);
    check_rows(model, i, {object.grips[i].hand.body, object.grips[i].X_OH}, {});
    check(object.grips[i].share > 0 && object.grips[i].share < unlimited, "hand ", i, " has a share of ",
          object.grips[i].share);
  }
  const RigidInertia<double>& I = object.inertia;
  const double sum = I.mass + norm(I.h) + std::abs(I.I.xx) + std::abs(I.I.yy) + std::abs(I.I.zz) + std::abs(I.I.xy) +
                     std::abs(I.I.xz) + std::abs(I.I.yz);
  check(I.mass >= 0 && std::isfinite(sum), "an object with mass ", I.mass, " kg and an inertia of size ", sum);
}

std::vector<Node> checked_nodes(const Model& model, const HeldObject& object) {
  check_object(model, object);
  std::vector<Node> nodes;
  for (const Grip& grip : object.grips) nodes.push_back(grip.hand);
  return nodes;
}

}  // namespace

HeldObject held_body(const Model& model, std::span<const double> q, int body, std::span<const Node> hands) {
  check(body > 0 && std::size_t(body) < model.bodies().size(), "body ", body, " of ", model.bodies().size());
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  kinematics<double>(plan, q, kin);
  const Body& held = model.bodies()[body];
  const Transform<double> X_OW = inverse(body_pose(model, kin, body));
  HeldObject object;
  object.inertia = held.inertia;
  for (const Node& hand : hands) {
    object.grips.push_back({hand, X_OW * node_pose(model, kin, hand)});
    const bool fixed = model.bodies()[hand.body].link == held.link;
    if (fixed) object.inertia = RigidInertia<double>::zero();
  }
  return object;
}

struct AugmentedObject::Parts : NodeCompliance {
  Parts(const Model& model, HeldObject object, double tolerance);

  void place();
  void invert_compliance();
  void augment();
  void fill_stack();
  void fill_demand(const Motion<double>& acceleration);
  Motion<double> expected_acceleration() const;
  Six stack_row(std::size_t i) const;
  void share_load(const Force<double>& load, std::span<const Force<double>> press, std::span<FrameDemand> hands);
  std::size_t hands() const { return object.grips.size(); }

  HeldObject object;
  double tolerance;
  std::vector<double> v, zeros;
  std::vector<Motion<double>> link_acceleration;
  Transform<double> X_WO = Transform<double>::identity();
  Motion<double> V_WO = Motion<double>::zero();
  RigidInertia<double> own;               // of the object, about O, in the world's axes
  std::vector<Transform<double>> X_WH;    // per hand
  std::vector<Vec3<double>> r;            // per hand, from O
  std::vector<Motion<double>> bias;       // per hand: w x (w x r) - Jdot v
  std::vector<double> eigen, V, unit;     // 6 m x 6 m: W in the world's axes, then its eigenvalues; eigenvectors; units
  std::vector<double> Lambda;             // 6 m x 6 m
  std::vector<double> null;               // 6 m rows of six: n' G', zeros after the last n
  SixBySix aug, inverse;                  // (1); the inverse of (1) with impossible directions made stiff
  PriorityStack six, stack;               // of a 6 x 6 matrix; of the rows of (2), then the demanded ones
  std::vector<double> d, f, a, diagonal;  // per row of the stack
  int impossible_count = 0;
  bool updated = false, regular = false;
};

AugmentedObject::Parts::Parts(const Model& m, HeldObject o, double t)
    : NodeCompliance(m, checked_nodes(m, o)),
      object(std::move(o)),
      tolerance(t),
      six(std::array<int, 1>{6}),
      stack(std::array<int, 2>{6 * int(object.grips.size()), int(object.rows.size())}) {
  check(tolerance > 0 && tolerance < 1, "tolerance ", tolerance, " is not between 0 and 1");
  six.tolerance = 1e-14;  // positive definite by construction, whatever its condition
  stack.tolerance = tolerance;
  const std::size_t n = 6 * hands();
  zeros.assign(model.nv(), 0);
  v = zeros;
  link_acceleration.resize(model.links().size());
  X_WH.resize(hands());
  r.resize(hands());
  bias.resize(hands());
  for (std::vector<double>* matrix : {&V, &eigen, &Lambda}) matrix->assign(n * n, 0);
  unit.assign(n, 0);
  null.assign(6 * n, 0);
  for (std::vector<double>* x : {&d, &f, &a, &diagonal}) x->assign(stack.rows(), 0);
}

void AugmentedObject::Parts::place() {
  for (std::size_t i = 0; i < hands(); ++i) X_WH[i] = node_pose(model, kin, nodes[i]);
  X_WO = X_WH[0] * linchpin::inverse(object.grips[0].X_OH);
  const Motion<double> first = point_velocity(model, kin, vel, nodes[0].body, nodes[0].X_BN.p);
  const Vec3<double>& w = first.w;
  V_WO = {w, first.v + cross(w, X_WO.p - X_WH[0].p)};
  own = inertia_to_parent(Transform<double>{X_WO.R, Vec3<double>::zero()}, object.inertia);
  accelerations(model, kin, vel, v, zeros, link_acceleration);
  for (std::size_t i = 0; i < hands(); ++i) {
    r[i] = X_WH[i].p - X_WO.p;
    const Motion<double> drift = point_acceleration(model, kin, vel, link_acceleration, nodes[i].body, nodes[i].X_BN.p);
    bias[i] = Motion<double>{Vec3<double>::zero(), cross(w, cross(w, r[i]))} - drift;
  }
}

// Lambda, and the forces n that move no joint, from the eigenvectors of the compliance W in its units.
void AugmentedObject::Parts::invert_compliance() {
  const std::size_t n = 6 * hands();
  compliance_matrix<double>(tree, paths, eigen);  // in the hands' axes
  for (std::size_t i = 0; i < hands(); ++i) {
    const NodeUnits units = node_units(eigen.data() + 6 * i * (n + 1), n, reach[i]);
    for (std::size_t k = 0; k < 6; ++k) {
      const double give = k < 3 ? units.turning : units.moving;
      unit[6 * i + k] = give > 0 ? 1 / std::sqrt(give) : 1;
    }
  }
  // from the hands' to the world's axes, on both sides, and scaled
  const auto turn = [&](double* x, std::size_t stride, const Mat3<double>& R) {
    for (std::size_t k = 0; k < 6; k += 3) {
      const Vec3<double> y = R * Vec3<double>{x[k * stride], x[(k + 1) * stride], x[(k + 2) * stride]};
      x[k * stride] = y.x;
      x[(k + 1) * stride] = y.y;
      x[(k + 2) * stride] = y.z;
    }
  };
  for (std::size_t i = 0; i < hands(); ++i)
    for (std::size_t k = 0; k < n; ++k) turn(eigen.data() + 6 * i * n + k, n, X_WH[i].R);
  for (std::size_t i = 0; i < hands(); ++i)
    for (std::size_t k = 0; k < n; ++k) turn(eigen.data() + k * n + 6 * i, 1, X_WH[i].R);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) eigen[i * n + j] *= unit[i] * unit[j];
  jacobi_eigenvectors(int(n), eigen, V);
  std::fill(Lambda.begin(), Lambda.end(), 0);
  std::fill(null.begin(), null.end(), 0);
  impossible_count = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double value = eigen[k * n + k];
    if (value > tolerance) {
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          Lambda[i * n + j] += (unit[i] * V[i * n + k]) * (unit[j] * V[j * n + k]) / value;
    } else {  // n' G'
      double* row = null.data() + 6 * std::size_t(impossible_count++);
      for (std::size_t i = 0; i < hands(); ++i)
        for (std::size_t x = 0; x < 6; ++x) {
          const Six at_hand = numbers(carried(unit_motion(x), r[i]));
          for (std::size_t y = 0; y < 6; ++y) row[x] += unit[6 * i + y] * V[(6 * i + y) * n + k] * at_hand[y];
        }
    }
  }
}

// (1), and its inverse on the possible accelerations.
void AugmentedObject::Parts::augment() {
  const std::size_t n = 6 * hands();
  for (std::size_t x = 0; x < 6; ++x) {
    const Motion<double> column = unit_motion(x);
    Force<double> sum = own * column;
    for (std::size_t i = 0; i < hands(); ++i) {
      double at_hand[6] = {0, 0, 0, 0, 0, 0};
      for (std::size_t j = 0; j < hands(); ++j) {
        const Six moved = numbers(carried(column, r[j]));
        for (std::size_t y = 0; y < 6; ++y)
          for (std::size_t z = 0; z < 6; ++z) at_hand[y] += Lambda[(6 * i + y) * n + 6 * j + z] * moved[z];
      }
      sum += about_O(force(at_hand), r[i]);
    }
    const Six result = numbers(sum);
    for (std::size_t y = 0; y < 6; ++y) aug[y * 6 + x] = result[y];
  }
  for (std::size_t x = 0; x < 6; ++x)
    for (std::size_t y = 0; y < 6; ++y) {
      double stiff = 0;  // n' G' is in units of the square root of an inertia
      for (std::size_t k = 0; k < std::size_t(impossible_count); ++k) stiff += null[6 * k + x] * null[6 * k + y];
      six.at(int(x), int(y)) = (aug[x * 6 + y] + aug[y * 6 + x]) / 2 + stiff;
    }
  regular = six.factor();
  for (std::size_t x = 0; x < 6; ++x) {
    Six e{}, column{};
    e[x] = 1;
    six.solve(e, column);
    for (std::size_t y = 0; y < 6; ++y) inverse[y * 6 + x] = column[y];
  }
}

// Row i of the stack: n' G', or a demanded row.
Six AugmentedObject::Parts::stack_row(std::size_t i) const {
  const std::size_t n = 6 * hands();
  if (i >= n) return numbers(object.rows[i - n]);
  Six row;
  std::copy_n(null.data() + 6 * i, 6, row.begin());
  return row;
}

void AugmentedObject::Parts::fill_stack() {
  const std::size_t n = 6 * hands();
  const NodeUnits units = node_units(inverse.data(), 6, reach[0]);
  for (std::size_t i = 0; i < n + object.rows.size(); ++i) {
    const Six left = stack_row(i);
    for (std::size_t j = 0; j <= i; ++j) {
      const Six right = stack_row(j);
      double sum = 0;
      for (std::size_t x = 0; x < 6; ++x)
        for (std::size_t y = 0; y < 6; ++y) sum += left[x] * inverse[x * 6 + y] * right[y];
      stack.at(int(i), int(j)) = stack.at(int(j), int(i)) = sum;
    }
    diagonal[i] = i < n ? 1 : units.of(object.rows[i - n]);
  }
  regular = stack.factor(diagonal) && regular;
}

void AugmentedObject::Parts::share_load(const Force<double>& load, std::span<const Force<double>> press,
                                        std::span<FrameDemand> out) {
  // In the least squares a moment counts as the force at the mean distance of the hands from their middle.
  Vec3<double> middle = Vec3<double>::zero();
  for (const Vec3<double>& x : r) middle += (1.0 / double(hands())) * x;
  double spread = 0;
  for (const Vec3<double>& x : r) spread += dot(x - middle, x - middle) / double(hands());
  const double arm2 = spread > 1e-6 ? spread : 1e-2;  // hands at one point: 0.1 m
  const auto weight = [&](std::size_t i, std::size_t k) { return object.grips[i].share * (k < 3 ? arm2 : 1); };

  Force<double> missing = load;
  for (std::size_t i = 0; i < hands(); ++i) {
    out[i].exert = press.empty() ? Force<double>::zero() : press[i];
    missing = missing - about_O(out[i].exert, r[i]);
  }
  for (std::size_t x = 0; x < 6; ++x)
    for (std::size_t y = 0; y < 6; ++y) {
      double sum = 0;
      for (std::size_t i = 0; i < hands(); ++i) {
        const Six left = numbers(carried(unit_motion(x), r[i])), right = numbers(carried(unit_motion(y), r[i]));
        for (std::size_t k = 0; k < 6; ++k) sum += left[k] * weight(i, k) * right[k];
      }
      six.at(int(x), int(y)) = sum;
    }
  regular = six.factor() && regular;
  Six shared{};
  six.solve(numbers(missing), shared);
  for (std::size_t i = 0; i < hands(); ++i) {
    Six at_hand = numbers(carried(motion(shared.data()), r[i]));
    for (std::size_t k = 0; k < 6; ++k) at_hand[k] *= weight(i, k);
    out[i].exert = out[i].exert + force(at_hand.data());  // (3)
  }
}

AugmentedObject::AugmentedObject(const Model& model, HeldObject object, double tolerance)
    : parts_(std::make_unique<Parts>(model, std::move(object), tolerance)) {}
AugmentedObject::~AugmentedObject() = default;
AugmentedObject::AugmentedObject(AugmentedObject&&) noexcept = default;
AugmentedObject& AugmentedObject::operator=(AugmentedObject&&) noexcept = default;

void AugmentedObject::update(std::span<const double> q, std::span<const double> v) {
  Parts& p = *parts_;
  check(q.size() == std::size_t(p.model.nq()), "q has ", q.size(), " numbers, the model needs ", p.model.nq());
  check(v.size() == p.v.size(), "v has ", v.size(), " numbers, the model needs ", p.v.size());
  std::copy(v.begin(), v.end(), p.v.begin());
  p.NodeCompliance::update(q, v);
  p.place();
  p.invert_compliance();
  p.augment();
  p.fill_stack();
  p.updated = true;
}

Transform<double> AugmentedObject::pose() const {
  check(parts_->updated, "pose() of an object in ", parts_->hands(), " hands before update()");
  return parts_->X_WO;
}
Motion<double> AugmentedObject::velocity() const {
  check(parts_->updated, "velocity() of an object in ", parts_->hands(), " hands before update()");
  return parts_->V_WO;
}
void AugmentedObject::inertia(std::span<double> Lambda) const {
  check(Lambda.size() == 36, "Lambda has ", Lambda.size(), " numbers, needs ", 36);
  check(parts_->updated, "inertia() of an object in ", parts_->hands(), " hands before update()");
  std::copy(parts_->aug.begin(), parts_->aug.end(), Lambda.begin());
}

void AugmentedObject::squeeze(double force, std::span<Force<double>> press) const {
  const Parts& p = *parts_;
  check(press.size() == p.hands(), "room for ", press.size(), " forces, there are ", p.hands(), " hands");
  check(p.updated, "squeeze() by ", force, " N before update()");
  Vec3<double> middle = Vec3<double>::zero();
  for (const Vec3<double>& x : p.r) middle += (1.0 / double(p.hands())) * x;
  for (std::size_t i = 0; i < p.hands(); ++i) {
    const Vec3<double> way = middle - p.r[i];
    const double length = norm(way);
    press[i] = {Vec3<double>::zero(), length > 0 ? (force / length) * way : Vec3<double>::zero()};
  }
}

// d: the right sides of (2), - n' (w x (w x r) - Jdot v), and the demanded rows.
void AugmentedObject::Parts::fill_demand(const Motion<double>& acceleration) {
  const std::size_t n = 6 * hands();
  std::size_t k = 0;
  for (std::size_t e = 0; e < n; ++e) {
    if (eigen[e * n + e] > tolerance) continue;
    double sum = 0;
    for (std::size_t i = 0; i < hands(); ++i) {
      const Six b = numbers(bias[i]);
      for (std::size_t y = 0; y < 6; ++y) sum -= unit[6 * i + y] * V[(6 * i + y) * n + e] * b[y];
    }
    d[k++] = sum;
  }
  std::fill(d.begin() + std::ptrdiff_t(k), d.begin() + std::ptrdiff_t(n), 0);
  for (std::size_t i = 0; i < object.rows.size(); ++i) d[n + i] = dot(object.rows[i], acceleration);
}

// The acceleration of the object under the forces f of the stack's rows.
Motion<double> AugmentedObject::Parts::expected_acceleration() const {
  Six pushed{}, moved{};
  for (std::size_t i = 0; i < f.size(); ++i) {
    const Six row = stack_row(i);
    for (std::size_t x = 0; x < 6; ++x) pushed[x] += row[x] * f[i];
  }
  for (std::size_t x = 0; x < 6; ++x)
    for (std::size_t y = 0; y < 6; ++y) moved[x] += inverse[x * 6 + y] * pushed[y];
  return motion(moved.data());
}

ObjectReport AugmentedObject::share(const ObjectDemand& demand, std::span<FrameDemand> hands) {
  Parts& p = *parts_;
  check(p.updated, "share() among ", p.hands(), " hands before update()");
  check(hands.size() == p.hands(), "room for ", hands.size(), " demands, there are ", p.hands(), " hands");
  check(demand.press.empty() || demand.press.size() == p.hands(), demand.press.size(),
        " forces to press with, there are ", p.hands(), " hands");
  const std::size_t n = 6 * p.hands();
  p.fill_demand(demand.acceleration);
  p.stack.solve(p.d, p.f);
  p.stack.multiply(p.f, p.a);

  ObjectReport report;
  report.acceleration = p.expected_acceleration();
  report.mobility = 6 - p.stack.rank(0);
  report.rows = int(p.object.rows.size());
  report.rank = p.stack.rank(1);
  for (std::size_t i = 0; i < p.object.rows.size(); ++i)
    report.error = std::max(report.error, std::abs(p.d[n + i] - p.a[n + i]));
  const Vec3<double>& w = p.V_WO.w;
  report.load = p.own * (report.acceleration - Motion<double>{Vec3<double>::zero(), p.model.gravity()}) +
                Force<double>{cross(w, p.own.I * w), cross(w, cross(w, p.own.h))};
  p.share_load(report.load, demand.press, hands);
  bool finite = p.regular;
  for (std::size_t i = 0; i < p.hands(); ++i) {
    const Vec3<double> turning = cross(w, cross(w, p.r[i]));
    hands[i].acceleration = carried(report.acceleration, p.r[i]) + Motion<double>{Vec3<double>::zero(), turning};
    for (const Six& x : {numbers(hands[i].acceleration), numbers(hands[i].exert)})
      for (const double y : x) finite = finite && std::isfinite(y);
  }
  for (const double x : numbers(demand.acceleration)) finite = finite && std::isfinite(x);
  if (!finite) report.status = ControlStatus::not_finite;
  return report;
}

}  // namespace linchpin
