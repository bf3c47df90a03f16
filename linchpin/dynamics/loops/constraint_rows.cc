#include "linchpin/dynamics/loops/constraint_rows.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

using Vector = Vec3<double>;

// ---- what rows are made of ------------------------------------------------------------------------------------------

// A frame fixed in a link, in the world's axes.
struct Placed {
  int link;
  Mat3<double> axes;
  Vector p, r;    // its origin, and the vector from the link's origin to it
  Vector w, v;    // angular velocity, velocity of its origin
  Vector inward;  // w x (w x r): the acceleration of its origin if the link has none
};

Vector axis_of(const Mat3<double>& R, std::size_t k) { return k == 0 ? R.x : k == 1 ? R.y : R.z; }

// A row between two frames: forces on both links at their origins, and the other terms of (1).
struct PairRow {
  double error, drift, bias;
  Force<double> on_a, on_b;
  double moment_a, moment_b;  // moment_size
};

// Appends rows to the arrays.
class Writer {
 public:
  Writer(const ConstraintPlan& plan, ConstraintRows& rows) : plan_(plan), rows_(rows) {}

  void add(const PairRow& row, const Placed& a, const Placed& b) {
    begin(row.error, row.drift, row.bias);
    if (a.link != 0) side(row.on_a, row.moment_a);
    if (b.link != 0) side(row.on_b, row.moment_b);
  }
  void begin(double error, double drift, double bias) {
    rows_.error[row_] = plan_.holonomic(int(row_)) ? error : 0;
    rows_.drift[row_] = drift;
    rows_.bias[row_] = bias;
    ++row_;
  }
  void side(const Force<double>& force, double moment_size) {
    rows_.moment_size[side_] = moment_size;
    rows_.force[side_++] = force;
  }

 private:
  const ConstraintPlan& plan_;
  ConstraintRows& rows_;
  std::size_t row_ = 0, side_ = 0;
};

// The force e at a point p = origin + r of a link, about the link's origin.
Force<double> force_at(const Vector& r, const Vector& e) { return {cross(r, e), e}; }
Force<double> minus(const Force<double>& F) { return {-F.n, -F.f}; }

// (3)
PairRow along(const Placed& a, const Placed& b, const Vector& e, const TimeLaw& displacement, double time) {
  const TimeLaw::Value u = displacement.at(time);
  const Vector d = b.p - a.p, rate = b.v - a.v, edot = cross(a.w, e);
  return {.error = dot(e, d) - u.value,
          .drift = -u.rate,
          .bias = dot(e, b.inward - a.inward) + 2 * dot(edot, rate) + dot(cross(a.w, edot), d) - u.acceleration,
          .on_a = minus(force_at(a.r + d, e)),  // the force on A acts at B's origin
          .on_b = force_at(b.r, e),
          .moment_a = norm(a.r) + norm(d),
          .moment_b = norm(b.r)};
}

// e . u of an axis of A and one of B, with its first and second derivatives: gdot = m . (w_B - w_A),
// gddot = m . (...) + bias.
struct AxisProduct {
  double value, rate, bias;
  Vector m;
};
AxisProduct axis_product(const Placed& a, const Placed& b, const Vector& e, const Vector& u) {
  const Vector m = cross(u, e), edot = cross(a.w, e), udot = cross(b.w, u), w = b.w - a.w;
  return {dot(e, u), dot(m, w), dot(w, cross(udot, e) + cross(u, edot)), m};
}
PairRow moment_row(double value, double bias, const Vector& m) {
  return {.error = value,
          .drift = 0,
          .bias = bias,
          .on_a = {-m, Vector::zero()},
          .on_b = {m, Vector::zero()},
          .moment_a = 1,
          .moment_b = 1};
}
// Beyond a right angle: the angle about `axis` of A; `by` is the rotation vector.
PairRow far_turn(const Vector& by, const Vector& axis) { return moment_row(dot(by, axis), 0, axis); }
// The rotation from A's z to B's, if they are more than a right angle apart.
Vector far_tilt(const Placed& a, const Placed& b) {
  const Vector n = cross(a.axes.z, b.axes.z);
  const double sine = norm(n), angle = std::atan2(sine, dot(a.axes.z, b.axes.z));
  return sine > 0 ? (angle / sine) * n : angle * a.axes.x;
}
// (4)
PairRow turn(const Placed& a, const Placed& b, const Vector& e, const Vector& u) {
  const AxisProduct x = axis_product(a, b, e, u);
  return moment_row(x.value, x.bias, x.m);
}
// (5), about axis k of A.
PairRow turn_about(const Placed& a, const Placed& b, std::size_t k) {
  const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
  const AxisProduct x = axis_product(a, b, axis_of(a.axes, j), axis_of(b.axes, i)),
                    y = axis_product(a, b, axis_of(a.axes, i), axis_of(b.axes, j));
  return moment_row(0.5 * (x.value - y.value), 0.5 * (x.bias - y.bias), 0.5 * (x.m - y.m));
}

// (6)
PairRow screw(const Placed& a, const Placed& b, double pitch) {
  const AxisProduct c = axis_product(a, b, a.axes.x, b.axes.x), s = axis_product(a, b, a.axes.y, b.axes.x);
  const double square = c.value * c.value + s.value * s.value, angle = std::atan2(s.value, c.value);
  const Vector m = (1 / square) * (c.value * s.m - s.value * c.m);
  const double turning = c.value * s.rate - s.value * c.rate, growing = c.value * c.rate + s.value * s.rate;
  const double angle_bias = (c.value * s.bias - s.value * c.bias) / square - 2 * turning * growing / (square * square);
  PairRow row = along(a, b, a.axes.z, {}, 0);
  row.error -= pitch * angle;
  const double lead = 2 * std::numbers::pi * pitch;  // the angle is known up to whole turns; the nearest one is used
  if (lead != 0) row.error = std::remainder(row.error, lead);
  row.bias -= pitch * angle_bias;
  row.on_a.n = row.on_a.n + pitch * m;
  row.on_b.n = row.on_b.n - pitch * m;
  row.moment_a += std::abs(pitch);
  row.moment_b += std::abs(pitch);
  return row;
}

// (7)
PairRow rod_row(const Placed& a, const Placed& b, const Rod& rod, double time) {
  TimeLaw::Value u = rod.extension.at(time);
  u.value += rod.length;
  const Vector d = b.p - a.p, rate = b.v - a.v, e = (1 / rod.length) * d;
  return {
      .error = (dot(d, d) - u.value * u.value) / (2 * rod.length),
      .drift = -u.value * u.rate / rod.length,
      .bias = dot(e, b.inward - a.inward) + (dot(rate, rate) - u.rate * u.rate - u.value * u.acceleration) / rod.length,
      .on_a = minus(force_at(a.r, e)),
      .on_b = force_at(b.r, e),
      .moment_a = norm(a.r) * norm(e),
      .moment_b = norm(b.r) * norm(e)};
}

// (8), (9). With m = B' n, n = e_z, the lowest point of the ellipsoid is c = -B S^2 m / h from its centre.
void add_rolling(const Placed& a, const Placed& b, const Rolling& rolling, Writer& out) {
  const Vector n = a.axes.z, m = transpose_times(b.axes, n);
  const Vector& s = rolling.half_axes;
  const auto squared = [&](const Vector& x) { return Vector{s.x * s.x * x.x, s.y * s.y * x.y, s.z * s.z * x.z}; };
  const double h = std::sqrt(dot(m, squared(m)));
  const Vector c = (-1 / h) * (b.axes * squared(m));
  const Vector mdot = transpose_times(b.axes, cross(a.w - b.w, n));
  const double hdot = dot(squared(m), mdot) / h;
  const Vector cdot = cross(b.w, c) - (1 / h) * (b.axes * squared(mdot)) - (hdot / h) * c;
  const Vector d = b.p - a.p, ddot = b.v - a.v;
  const Vector slip = b.v + cross(b.w, c) - a.v - cross(a.w, d + c);
  // The derivative of the slip without angular and linear accelerations.
  const Vector slipping = b.inward + cross(b.w, cdot) - a.inward - cross(a.w, ddot + cdot);
  for (const std::size_t k : {std::size_t(2), std::size_t(0), std::size_t(1)}) {
    const Vector e = axis_of(a.axes, k);
    out.add({.error = dot(n, d) - h,
             .drift = 0,
             .bias = dot(cross(a.w, e), slip) + dot(e, slipping),
             .on_a = minus(force_at(a.r + d + c, e)),
             .on_b = force_at(b.r + c, e),
             .moment_a = norm(a.r) + norm(d + c),
             .moment_b = norm(b.r) + norm(c)},
            a, b);
    if (rolling.sliding) return;
  }
}

// (10)
PairRow velocity_row(const Placed& a, const Placed& b, const VelocityCondition& condition, double time) {
  const TimeLaw::Value u = condition.speed.at(time);
  const Vector turning = b.axes * condition.angular, e = b.axes * condition.linear;
  const Vector d = b.p - a.p, w = b.w - a.w, rate = b.v - a.v - cross(a.w, d);
  Force<double> on_a = minus(force_at(a.r + d, e)), on_b = force_at(b.r, e);
  on_a.n = on_a.n - turning;
  on_b.n = on_b.n + turning;
  return {.error = 0,
          .drift = -u.value,
          .bias = dot(cross(b.w, turning), w) + dot(cross(b.w, e), rate) +
                  dot(e, b.inward - a.inward - cross(a.w, b.v - a.v)) - u.rate,
          .on_a = on_a,
          .on_b = on_b,
          .moment_a = norm(turning) + (norm(a.r) + norm(d)) * norm(e),
          .moment_b = norm(turning) + norm(b.r) * norm(e)};
}

// A polynomial and its first two derivatives.
TimeLaw::Value evaluate(std::span<const double> polynomial, double x) {
  TimeLaw::Value p{0, 0, 0};
  add_polynomial(polynomial, x, p);
  return p;
}

// The rows of a constraint between two frames.
class PairRows {
 public:
  PairRows(double time, Writer& out) : time_(time), out_(out) {}
  Placed a, b;

  void operator()(const Loop& loop) {
    const LoopHold hold = hold_of(loop.type);
    for (std::size_t k = 0; k < 3; ++k)
      if (hold.along[k]) add(along(a, b, axis_of(a.axes, k), loop.displacement[k], time_));
    switch (hold.turn) {
      case LoopHold::Turn::none:
        break;
      case LoopHold::Turn::all:
        if (dot(a.axes.x, b.axes.x) + dot(a.axes.y, b.axes.y) + dot(a.axes.z, b.axes.z) < 1) {
          const Vector by = a.axes * log_rotation(from_rotation(transpose(a.axes) * b.axes));
          for (std::size_t k = 0; k < 3; ++k) add(far_turn(by, axis_of(a.axes, k)));
          break;
        }
        for (std::size_t k = 0; k < 3; ++k) add(turn_about(a, b, k));
        break;
      case LoopHold::Turn::but_z:
        if (dot(a.axes.z, b.axes.z) < 0) {
          const Vector by = far_tilt(a, b);
          add(far_turn(by, a.axes.y));
          add(far_turn(by, -a.axes.x));
          break;
        }
        add(turn(a, b, a.axes.x, b.axes.z));
        add(turn(a, b, a.axes.y, b.axes.z));
        break;
      case LoopHold::Turn::cross:
        add(turn(a, b, a.axes.x, b.axes.y));
        break;
    }
    if (hold.screw) add(screw(a, b, loop.pitch));
  }
  void operator()(const Rod& rod) { add(rod_row(a, b, rod, time_)); }
  void operator()(const Rolling& rolling) { add_rolling(a, b, rolling, out_); }
  void operator()(const VelocityCondition& condition) { add(velocity_row(a, b, condition, time_)); }

 private:
  void add(const PairRow& row) { out_.add(row, a, b); }
  double time_;
  Writer& out_;
};

Placed place(const Model& model, const Kinematics<double>& kin, const Velocities& vel, const Attachment& end) {
  const Body& body = model.bodies()[end.body];
  const Transform<double>& X_WL = kin.X_WL[body.link];
  const Transform<double> X_LF = body.X_LB * end.X_BF;
  const Motion<double>& motion = vel.link[body.link];
  Placed placed;
  placed.link = body.link;
  placed.axes = X_WL.R * X_LF.R;
  placed.r = X_WL.R * X_LF.p;
  placed.p = X_WL.p + placed.r;
  placed.w = motion.w;
  const Vector around = cross(motion.w, placed.r);
  placed.v = motion.v + around;
  placed.inward = cross(motion.w, around);
  return placed;
}

// The forces of one term of a coupling, on the link and on its parent: they do unit work on its coordinate and none on
// any other. For a joint that turns it is a moment about the axis, for one that only slides a force.
void add_term(const Model& model, const Kinematics<double>& kin, const Velocities& vel, const Coupling::Term& term,
              double slope_of_term, Writer& out) {
  const Link& link = model.links()[term.link];
  const Motion<double>& axis = vel.axis[term.v];
  const bool turns = link.turn != 0;
  const Vector along_axis = slope_of_term * (turns ? axis.w : axis.v);  // both have length 1 for all kinds of joints
  if (turns) {
    const double size = std::abs(slope_of_term);
    out.side({along_axis, Vector::zero()}, size);
    if (link.parent != 0) out.side({-along_axis, Vector::zero()}, size);
  } else {
    out.side({Vector::zero(), along_axis}, 0);
    const Vector r = kin.X_WL[term.link].p - kin.X_WL[link.parent].p;
    if (link.parent != 0) out.side(minus(force_at(r, along_axis)), norm(r) * std::abs(slope_of_term));
  }
}

bool is_holonomic(const Constraint& constraint, int row) {
  if (std::holds_alternative<VelocityCondition>(constraint.what)) return false;
  return !std::holds_alternative<Rolling>(constraint.what) || row == 0;
}

struct Ends {
  const Attachment *a = nullptr, *b = nullptr;
};
Ends ends_of(const Constraint& constraint) {
  return std::visit(
      [](const auto& what) -> Ends {
        if constexpr (requires { what.a; })
          return {&what.a, &what.b};
        else
          return {};
      },
      constraint.what);
}

}  // namespace

bool is_driven(const Constraint& constraint) {
  const auto moves = [](const TimeLaw& law) { return law.polynomial.size() > 1 || law.amplitude != 0; };
  if (const auto* loop = std::get_if<Loop>(&constraint.what)) return std::ranges::any_of(loop->displacement, moves);
  if (const auto* rod = std::get_if<Rod>(&constraint.what)) return moves(rod->extension);
  if (const auto* coupling = std::get_if<Coupling>(&constraint.what)) return moves(coupling->value);
  if (const auto* condition = std::get_if<VelocityCondition>(&constraint.what))
    return !condition->speed.polynomial.empty() || moves(condition->speed);
  return false;
}

ConstraintPlan::ConstraintPlan(const Model& model, std::span<const Constraint> constraints)
    : constraints_(constraints.begin(), constraints.end()) {
  std::vector<int> node_of_link(model.links().size(), -1);
  const auto add_side = [&](int link) {
    if (link == 0) return;
    int& node = node_of_link[link];
    if (node < 0) {
      node = int(nodes_.size());
      nodes_.push_back({link, Transform<double>::identity()});
    }
    sides_.push_back({node, link});
  };
  first_side_.push_back(0);
  for (const Constraint& constraint : constraints_) {
    first_row_.push_back(int(constraint_of_.size()));
    const int rows = row_count(constraint);
    for (int r = 0; r < rows; ++r) {
      constraint_of_.push_back(int(first_row_.size()) - 1);
      holonomic_.push_back(is_holonomic(constraint, r) ? 1 : 0);
      if (const Ends ends = ends_of(constraint); ends.a != nullptr) {
        for (const Attachment* end : {ends.a, ends.b}) add_side(model.bodies()[end->body].link);
      } else {
        for (const Coupling::Term& term : std::get<Coupling>(constraint.what).terms) {
          add_side(term.link);
          add_side(model.links()[term.link].parent);
        }
      }
      first_side_.push_back(int(sides_.size()));
    }
  }
  first_row_.push_back(int(constraint_of_.size()));
}

ConstraintRows::ConstraintRows(const ConstraintPlan& plan)
    : error(plan.rows()),
      drift(plan.rows()),
      bias(plan.rows()),
      force(plan.sides().size()),
      moment_size(plan.sides().size()) {}

void evaluate_rows(const Model& model, const ConstraintPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   std::span<const double> q, std::span<const double> v, double time, ConstraintRows& rows) {
  check(rows.error.size() == std::size_t(plan.rows()), "room for ", rows.error.size(), " rows, there are ",
        plan.rows());
  Writer out(plan, rows);
  PairRows pair(time, out);
  for (const Constraint& constraint : plan.constraints()) {
    if (const auto* coupling = std::get_if<Coupling>(&constraint.what)) {  // (11)
      const TimeLaw::Value u = coupling->value.at(time);
      double error = -u.value, bias = -u.acceleration;
      for (const Coupling::Term& term : coupling->terms) {
        const TimeLaw::Value p = evaluate(term.polynomial, q[term.q]);
        const double rate = v[term.v];
        error += p.value;
        bias += p.acceleration * rate * rate;
      }
      out.begin(error, -u.rate, bias);
      for (const Coupling::Term& term : coupling->terms)
        add_term(model, kin, vel, term, evaluate(term.polynomial, q[term.q]).rate, out);
    } else {
      const Ends ends = ends_of(constraint);
      pair.a = place(model, kin, vel, *ends.a);
      pair.b = place(model, kin, vel, *ends.b);
      std::visit(
          [&](const auto& what) {
            if constexpr (requires { what.a; }) pair(what);
          },
          constraint.what);
    }
  }
}

namespace {

// Sum over sides of F . motion of the link, or over terms of slope . rate.
void multiply_rows(const ConstraintPlan& plan, const ConstraintRows& rows, std::span<const Motion<double>> link,
                   std::span<const double> q, std::span<const double> rate, std::span<const double> rest,
                   std::span<double> out) {
  check(out.size() == std::size_t(plan.rows()), "room for ", out.size(), " rows, there are ", plan.rows());
  for (int r = 0; r < plan.rows(); ++r) {
    double sum = rest[r];
    if (const auto* coupling = std::get_if<Coupling>(&plan.constraints()[plan.constraint_of(r)].what)) {
      for (const Coupling::Term& term : coupling->terms)
        sum += evaluate(term.polynomial, q[term.q]).rate * rate[term.v];
    } else {
      for (int s = plan.first_side(r); s < plan.first_side(r + 1); ++s)
        sum += dot(rows.force[s], link[plan.sides()[s].link]);
    }
    out[r] = sum;
  }
}

}  // namespace

void row_velocities(const ConstraintPlan& plan, const ConstraintRows& rows, const Velocities& vel,
                    std::span<const double> q, std::span<const double> v, std::span<double> gdot) {
  multiply_rows(plan, rows, vel.link, q, v, rows.drift, gdot);
}

void row_accelerations(const ConstraintPlan& plan, const ConstraintRows& rows,
                       std::span<const Motion<double>> link_acceleration, std::span<const double> q,
                       std::span<const double> vdot, std::span<double> gddot) {
  multiply_rows(plan, rows, link_acceleration, q, vdot, rows.bias, gddot);
}

void add_reactions(const Model& model, const ConstraintPlan& plan, const ConstraintRows& rows,
                   const Kinematics<double>& kin, std::span<const double> q, std::span<const double> lambda,
                   std::span<double> tau, std::span<double> f) {
  const std::size_t forces = 6 * model.bodies().size();
  check(lambda.size() == std::size_t(plan.rows()), lambda.size(), " multipliers for ", plan.rows(), " rows");
  check(tau.size() == std::size_t(model.nv()), "tau has ", tau.size(), " numbers, the model needs ", model.nv());
  check(f.size() == forces, "f has ", f.size(), " numbers, the model needs ", forces);
  for (int r = 0; r < plan.rows(); ++r) {
    const Constraint& constraint = plan.constraints()[plan.constraint_of(r)];
    const double x = lambda[r];
    if (const auto* coupling = std::get_if<Coupling>(&constraint.what)) {
      for (const Coupling::Term& term : coupling->terms) tau[term.v] += x * evaluate(term.polynomial, q[term.q]).rate;
      continue;
    }
    const Ends ends = ends_of(constraint);
    int s = plan.first_side(r);
    for (const Attachment* end : {ends.a, ends.b}) {
      const Body& body = model.bodies()[end->body];
      if (body.link == 0) continue;
      const Force<double>& F = rows.force[s++];
      const Mat3<double>& R_WL = kin.X_WL[body.link].R;
      const Force<double> on_link{transpose_times(R_WL, F.n), transpose_times(R_WL, F.f)};
      const Force<double> on_body = force_to_child(body.X_LB, on_link);
      const double numbers[6] = {on_body.n.x, on_body.n.y, on_body.n.z, on_body.f.x, on_body.f.y, on_body.f.z};
      for (std::size_t k = 0; k < 6; ++k) f[6 * std::size_t(end->body) + k] += x * numbers[k];
    }
  }
}

void constraint_jacobian(const Model& model, const ConstraintPlan& plan, const ConstraintRows& rows,
                         const Kinematics<double>& kin, const Velocities& vel, std::span<double> J) {
  const std::size_t nv = std::size_t(model.nv());
  check(J.size() == nv * std::size_t(plan.rows()), "J has ", J.size(), " numbers, ", plan.rows(), " rows need ",
        nv * std::size_t(plan.rows()));
  std::ranges::fill(J, 0);
  for (int r = 0; r < plan.rows(); ++r)
    for (int s = plan.first_side(r); s < plan.first_side(r + 1); ++s) {
      const int touched = plan.sides()[s].link;
      const Force<double>& F = rows.force[s];
      for (int i = touched; i != 0; i = model.links()[i].parent) {
        const Link& link = model.links()[i];
        const Vector lever = kin.X_WL[touched].p - kin.X_WL[i].p;
        for (int k = link.v; k < link.v + link.nv; ++k) {
          const Motion<double>& axis = vel.axis[k];
          J[std::size_t(r) * nv + std::size_t(k)] += dot(F, Motion<double>{axis.w, axis.v + cross(axis.w, lever)});
        }
      }
    }
}

}  // namespace linchpin
