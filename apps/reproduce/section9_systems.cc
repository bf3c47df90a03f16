#include "apps/reproduce/section9_systems.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "linchpin/base/check.h"
#include "linchpin/black_box/box_bodies.h"
#include "linchpin/black_box/box_constraints.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

constexpr double length = 0.6, radius = 0.05;  // m, of a rod of 1 kg

// Rods hung end on end, each on the end of its parent or on the world. Constraints are made at points of the world, so
// all of them are satisfied at the start.
class Builder {
 public:
  explicit Builder(bool planar) : planar_(planar) {
    if (planar) {
      spec_.gravity = {0, -9.81, 0};
      body_ = std::make_shared<PlaneBody>(1.0, length * length / 12);
    } else {
      const double I = length * length / 12;
      body_ = std::make_shared<RigidBody>(
          RigidInertia<double>{1, {0, 0, 0}, Sym3<double>::diagonal(radius * radius / 2, I, I)});
    }
  }
  // On the rod `parent`'s far end, or on the world's origin.
  int add_rod(int parent) {
    const Vec3<double> from = parent < 0 ? Vec3<double>{0, 0, 0} : rods_[parent].to;
    Vec3<double> along{0, 0, 0};
    double angle = 0;
    if (planar_) {
      angle = -std::numbers::pi / 2 + 1.3 * even_(random_);
      along = {std::cos(angle), std::sin(angle), 0};
    } else {
      const double turn = std::numbers::pi * even_(random_), down = -1.1 + 0.4 * even_(random_);
      along = {std::cos(down) * std::cos(turn), std::cos(down) * std::sin(turn), std::sin(down)};
    }
    const int b = spec_.add(body_);
    rods_.push_back({from, from + length * along});
    const Vec3<double> centre = from + 0.5 * length * along;
    if (planar_) {
      q_.insert(q_.end(), {angle, centre.x, centre.y});
      poses_.push_back({to_rotation(exp_rotation(Vec3<double>{0, 0, angle})), centre});
    } else {
      // From x to where the rod points, about the axis between them.
      Vec3<double> axis = cross(Vec3<double>{1, 0, 0}, along);
      const double sine = norm(axis), by = std::atan2(sine, along.x);
      axis = (1 / sine) * axis;
      const Quaternion<double> r = exp_rotation(by * axis);
      q_.insert(q_.end(), {r.w, r.x, r.y, r.z, centre.x, centre.y, centre.z});
      poses_.push_back({to_rotation(r), centre});
    }
    parents_.push_back(parent);
    hold(from, b, parent, Role::primary);
    return b;
  }
  // Two rods at a point of the world.
  void hold(const Vec3<double>& at, int a, int b, Role role) {
    const Vec3<double> on_b = b == world_body ? at : local(b, at);
    const int c = spec_.add(std::make_shared<PointsTogether>(local(a, at), on_b, planar_ ? 2 : 3), {a, b}, role);
    if (role == Role::auxiliary) {
      auxiliary_.push_back(c);
      points_.push_back(at);
    }
  }
  // The far end of a rod on a plane just there.
  void touch(int a) {
    const Vec3<double> at = rods_[a].to;
    auxiliary_.push_back(spec_.add(
        std::make_shared<PointOnPlane>(local(a, at), PointOnPlane::Kind::frictionless, 0, at), {a}, Role::auxiliary));
    points_.push_back(at);
  }
  int up(int rod, int steps) const { return steps == 0 ? rod : up(parents_[rod], steps - 1); }
  int below(int n) { return int(random_() % unsigned(n)); }
  const Section9System::Rod& rod(int b) const { return rods_[b]; }

  Section9System finish(const std::string& name, bool moving) {
    MultiplierSystem system = MultiplierSystem::make(std::move(spec_)).value();
    MultiplierState state = system.make_state();
    state.q = q_;
    Section9System s{.name = name,
                     .system = std::move(system),
                     .state = std::move(state),
                     .auxiliary = auxiliary_,
                     .contacts = nullptr,
                     .rods = rods_,
                     .points = points_,
                     .planar = planar_};
    if (moving) {
      for (double& v : s.state.v) v = even_(random_);
      const MultiplierStatus status = s.system.settle_velocities(s.state);
      check(status == MultiplierStatus::solved, name, ": velocities did not settle");
    }
    for (int c = 0; c < s.system.constraints(); ++c)
      (s.system.is_primary(c) ? s.primary_rows : s.auxiliary_rows) += s.system.spec().constraints[c].constraint->rows();
    return s;
  }

 private:
  Vec3<double> local(int body, const Vec3<double>& at) const {
    const Transform<double>& X = poses_[body];
    return transpose_times(X.R, at - X.p);
  }

  bool planar_;
  MultiplierSpec spec_;
  std::shared_ptr<const AnyBody> body_;
  std::mt19937 random_{4};
  std::uniform_real_distribution<> even_{-1, 1};
  std::vector<double> q_;
  std::vector<Transform<double>> poses_;
  std::vector<Section9System::Rod> rods_;
  std::vector<int> parents_, auxiliary_;
  std::vector<Vec3<double>> points_;
};

// Each rod hangs on one of the three before it, chosen at random.
void grow(Builder& builder, int count) {
  for (int b = 0; b < count; ++b) builder.add_rod(b == 0 ? -1 : b - 1 - builder.below(std::min(b, 3)));
}
void grow_binary(Builder& builder, int count) {
  for (int b = 0; b < count; ++b) builder.add_rod(b == 0 ? -1 : (b - 1) / 2);
}

void append(BlockSystem& to, Section9System& s, int constraint, std::vector<double>* l) {
  const MultiplierSpec::Held& held = s.system.spec().constraints[constraint];
  const std::span<const double> multipliers = s.system.multipliers(constraint);
  if (l && held.constraint->law().kind != RowLaw::Kind::equality && multipliers[0] == 0) return;
  const RowBlocks& rows = s.system.evaluate(s.state, constraint);
  std::vector<BlockSystem::Block> on;
  for (std::size_t k = 0; k < held.bodies.size(); ++k)
    if (held.bodies[k] != world_body) on.push_back({held.bodies[k], rows.J(int(k))});
  to.add_constraint(held.constraint->rows(), on);
  const std::size_t first = std::size_t(to.constraints.back().first);
  for (std::size_t i = 0; i < rows.c.size(); ++i) to.r[first + i] = -rows.c[i];
  if (l) l->insert(l->end(), multipliers.begin(), multipliers.end());
}

BlockSystem bodies_of(Section9System& s) {
  BlockSystem blocks;
  for (int b = 0; b < s.system.bodies(); ++b) {
    const AnyBody& body = *s.system.spec().bodies[b];
    std::vector<double> M(body.dimension() * body.dimension());
    body.mass(s.system.q(s.state, b), M);
    blocks.add_body(body.dimension(), M);
    body.force(s.system.q(s.state, b), s.system.v(s.state, b), s.system.spec().gravity,
               std::span(blocks.F).last(body.dimension()));
  }
  return blocks;
}

}  // namespace

Section9System plane_tree() {
  Builder builder(true);
  grow(builder, 54);
  return builder.finish("2-D, 54 pins", true);
}

Section9System plane_loops() {
  Builder builder(true);
  grow(builder, 48);
  // Each between a rod and the one four pins nearer to the world, at the middle of the one.
  for (const int b : {12, 19, 26, 33, 40, 47})
    builder.hold(0.5 * (builder.rod(b).from + builder.rod(b).to), b, builder.up(b, 4), Role::auxiliary);
  return builder.finish("2-D, 48 pins and 6 that close loops", true);
}

Section9System space_contacts() {
  Builder builder(false);
  grow_binary(builder, 32);
  for (const int b : {31, 20, 28}) builder.touch(b);
  Section9System s = builder.finish("3-D, 32 ball joints and 3 contacts", false);
  s.contacts = std::make_shared<AuxiliaryProblem>();
  s.system.set_solver(s.contacts);
  return s;
}

Section9System space_tree() {
  Builder builder(false);
  grow_binary(builder, 127);
  return builder.finish("3-D, 127 ball joints", true);
}

BlockSystem blocks_of(Section9System& s, std::vector<double>& l) {
  BlockSystem blocks = bodies_of(s);
  l.clear();
  for (const bool primary : {true, false})
    for (int c = 0; c < s.system.constraints(); ++c)
      if (s.system.is_primary(c) == primary) append(blocks, s, c, &l);
  return blocks;
}

BlockSystem primary_blocks_of(Section9System& s) {
  BlockSystem blocks = bodies_of(s);
  for (int c = 0; c < s.system.constraints(); ++c)
    if (s.system.is_primary(c)) append(blocks, s, c, nullptr);
  return blocks;
}

}  // namespace linchpin
