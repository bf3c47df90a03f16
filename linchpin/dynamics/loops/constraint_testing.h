// Constraints of every kind on a given model, for the tests of this room.
#pragma once

#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/dynamics/tree/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {

inline FrameOnBody random_frame(const std::string& body, std::uint64_t seed) {
  const std::vector<double> x = random_numbers(7, seed);
  return {body, {to_rotation(normalized(Quaternion<double>{x[0], x[1], x[2], x[3] + 0.1})), {x[4], x[5], x[6]}}};
}

inline TimeLaw some_law(double size) {
  return {.polynomial = {0.3 * size, -0.2 * size, 0.5 * size}, .amplitude = 0.7 * size, .frequency = 2, .phase = 0.4};
}

// Makes constraints between bodies chosen by the seed, some of them the world, never both on one link.
class ConstraintMaker {
 public:
  ConstraintMaker(const Model& model, std::uint64_t seed) : model_(model), seed_(seed) {}

  template <class What>
  ConstraintSpec between(What what) {
    for (;;) {
      const std::vector<double> pick = random_numbers(2, ++seed_, 0.5);
      const std::size_t bodies = model_.bodies().size();
      const auto body = [&](double x) -> const Body& {
        return model_.bodies()[std::min(bodies - 1, std::size_t((x + 0.5) * double(bodies)))];
      };
      const Body &a = body(pick[0]), &b = body(pick[1]);
      if (a.link == b.link) continue;
      what.a = random_frame(a.name, ++seed_);
      what.b = random_frame(b.name, ++seed_);
      return {std::to_string(++seed_) + "th", what};
    }
  }

  // One term for each coordinate of all joints except ball and free ones.
  std::vector<CouplingSpec::Term> coordinates() const {
    std::vector<CouplingSpec::Term> terms;
    for (const Joint& joint : model_.joints())
      if (joint.type != JointType::ball && joint.type != JointType::free)
        for (int k = 0; k < joint.nv; ++k) terms.push_back({joint.name, k, {0.1, 1.5, -0.4, 0.2}});
    return terms;
  }

 private:
  const Model& model_;
  std::uint64_t seed_;
};

// One constraint of every kind and type, with a law of time where it can have one.
inline std::vector<ConstraintSpec> every_constraint(const Model& model, std::uint64_t seed) {
  ConstraintMaker make(model, seed);
  std::vector<ConstraintSpec> specs;
  for (int type = 0; type < loop_type_count; ++type) {
    LoopSpec loop;
    loop.type = LoopType(type);
    if (loop.type == LoopType::screw) loop.pitch = 0.3;
    for (std::size_t k = 0; k < 3; ++k)
      if (hold_of(loop.type).along[k]) loop.displacement[k] = some_law(0.1 * double(k + 1));
    specs.push_back(make.between(loop));
  }
  specs.push_back(make.between(RodSpec{.a = {}, .b = {}, .length = 1.7, .extension = some_law(0.2)}));
  specs.push_back(make.between(RollingSpec{.a = {}, .b = {}, .half_axes = {0.5, 0.3, 0.2}, .sliding = false}));
  specs.push_back(make.between(RollingSpec{.a = {}, .b = {}, .half_axes = {0.4, 0.4, 0}, .sliding = true}));
  specs.push_back(make.between(
      VelocitySpec{.a = {}, .b = {}, .angular = {1, -2, 0.5}, .linear = {0.3, 1, 2}, .speed = some_law(1)}));
  const std::vector<CouplingSpec::Term> coordinates = make.coordinates();
  for (std::size_t k = 0; k + 1 < coordinates.size(); k += 3) {
    CouplingSpec coupling{.terms = {coordinates[k], coordinates[k + 1]}, .value = some_law(1)};
    specs.push_back({std::to_string(k) + "th coupling", coupling});
  }
  return specs;
}

// Turns B's axes so that at this state they are within 50 degrees of A's.
inline void bring_near(const Model& model, const State& state, std::vector<ConstraintSpec>& specs) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  kinematics<double>(plan, state.q, kin);
  std::uint64_t seed = 0;
  for (ConstraintSpec& spec : specs)
    if (auto* loop = std::get_if<LoopSpec>(&spec.what)) {
      const auto R_WB = [&](const FrameOnBody& frame) { return body_pose(model, kin, model.find_body(frame.body)).R; };
      const std::vector<double> turn = random_numbers(3, ++seed, 0.5);
      loop->b.X_BF.R = transpose(R_WB(loop->b)) * (R_WB(loop->a) * loop->a.X_BF.R) *
                       to_rotation(exp_rotation(Vec3<double>{turn[0], turn[1], turn[2]}));
    }
}

// The scene of a random tree of this many bodies.
inline std::string random_tree(int bodies, std::uint64_t seed) {
  return "@random_tree:bodies=" + std::to_string(bodies) + ",seed=" + std::to_string(seed);
}

// One of `part` of every_constraint(), so that most of the rows are independent.
inline std::vector<ConstraintSpec> some_constraints(const Model& model, std::uint64_t seed, std::size_t first,
                                                    std::size_t part) {
  const std::vector<ConstraintSpec> all = every_constraint(model, seed);
  std::vector<ConstraintSpec> some;
  for (std::size_t k = first; k < all.size(); k += part) some.push_back(all[k]);
  return some;
}

// The scene's model with these constraints.
inline Model with_constraints(const std::string& text, const std::vector<ConstraintSpec>& constraints) {
  ModelSpec spec = scene(text).value();
  spec.constraints = constraints;
  Result<Model> model = compile(spec);
  if (!model) throw std::runtime_error(model.error().message);
  return std::move(model).value();
}

// A cart whose axes must stay parallel to the world's: redundant, since its rail does the same.
inline Model parallel_on_a_rail() {
  LoopSpec loop;
  loop.type = LoopType::parallel;
  loop.b.body = "cart";
  return with_constraints("@cart_pole", {{"parallel", loop}});
}

}  // namespace linchpin
