#include "linchpin/model/state.h"

#include <string>

#include <gtest/gtest.h>

#include "linchpin/base/check_testing.h"
#include "linchpin/base/compare_testing.h"
#include "linchpin/model/testing.h"
#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

// Every type of joint, in fixed and floating trees.
std::vector<std::string> trees() {
  std::vector<std::string> texts;
  for (int seed = 1; seed <= 10; ++seed)
    texts.push_back("@random_tree:bodies=30,seed=" + std::to_string(seed) + ",floating=" + std::to_string(seed % 2));
  return texts;
}
Quaternion<double> quaternion_at(const std::vector<double>& q, int at) {
  const std::size_t i = std::size_t(at);
  return {q[i], q[i + 1], q[i + 2], q[i + 3]};
}
bool has_quaternion(const Link& link) { return link.kind == LinkKind::ball || link.kind == LinkKind::free; }

// The largest difference of coordinates, for unit quaternions; q and -q are the same rotation.
double configuration_distance(const Model& model, const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (const Link& link : model.links()) {
    double sign = 1;
    if (has_quaternion(link)) {
      const Quaternion<double> x = quaternion_at(a, link.q), y = quaternion_at(b, link.q);
      sign = x.w * y.w + x.x * y.x + x.y * y.y + x.z * y.z < 0 ? -1 : 1;
    }
    for (int k = 0; k < link.nq; ++k) {
      const std::size_t i = std::size_t(link.q + k);
      worst = larger(worst, std::abs(a[i] - (k < 4 ? sign : 1) * b[i]));
    }
  }
  return worst;
}
double largest_length_error(const Model& model, const std::vector<double>& q) {
  double worst = 0;
  for (const Link& link : model.links())
    if (has_quaternion(link)) {
      const Quaternion<double> x = quaternion_at(q, link.q);
      worst = larger(worst, std::abs(std::sqrt(x.w * x.w + x.x * x.x + x.y * x.y + x.z * x.z) - 1));
    }
  return worst;
}
std::vector<double> random_numbers(RandomSpatial& random, std::size_t count, double range) {
  std::vector<double> numbers(count);
  for (double& x : numbers) x = random.even(range);
  return numbers;
}

TEST(MakeState, IsZeroWithUnitQuaternionsAtRest) {
  for (const std::string& text : trees()) {
    const Model model = model_of(text);
    const State state = make_state(model);
    EXPECT_EQ(state.time, 0);
    EXPECT_EQ(state.substep, 0);
    ASSERT_EQ(state.q.size(), std::size_t(model.nq()));
    ASSERT_EQ(state.v.size(), std::size_t(model.nv()));
    for (const double v : state.v) EXPECT_EQ(v, 0);
    std::vector<double> expected(state.q.size(), 0);
    for (const Joint& joint : model.joints())  // spec.h: the quaternion comes first, w leading
      if (joint.type == JointType::ball || joint.type == JointType::free) expected[joint.q] = 1;
    EXPECT_EQ(state.q, expected);
  }
}

// Each joint has its own, whatever stands before it; quaternions are brought to length 1.
TEST(MakeState, HasTheStartOfEveryJointInItsPlace) {
  ModelSpec spec;
  spec.joints = {joint("a", JointType::revolute, "world", "arm"), joint("b", JointType::ball, "arm", "hand"),
                 joint("c", JointType::prismatic, "hand", "finger"), joint("d", JointType::free, "world", "ball")};
  for (const JointSpec& j : spec.joints)
    spec.bodies.push_back(
        {.name = j.child, .inertia = {1, {0.1, 0.2, 0.3}, Sym3<double>::diagonal(1, 1, 1)}, .geometry = {}});
  spec.joints[1].start_q = {0, 3, 0, -4};
  spec.joints[1].start_v = {1, 2, 3};
  spec.joints[2].start_q = {0.5};
  spec.joints[3].start_q = {2, 0, 0, 0, 7, 8, 9};
  spec.joints[3].start_v = {4, 5, 6, 7, 8, 9};
  const State state = make_state(compile(spec).value());
  const std::vector<double> expected{0, 0, 0.6, 0, -0.8, 0.5, 1, 0, 0, 0, 7, 8, 9};
  EXPECT_LE(largest_difference(state.q, expected), 1e-15);  // a rounding of 0.6
  EXPECT_EQ(state.v, (std::vector<double>{0, 1, 2, 3, 0, 4, 5, 6, 7, 8, 9}));
}

TEST(MakeState, OfNothingIsEmpty) {
  const Model model = compile(ModelSpec()).value();
  const State state = make_state(model);
  EXPECT_TRUE(state.q.empty());
  EXPECT_TRUE(state.v.empty());
  std::vector<double> none;
  integrate(model, none, none);
  difference(model, none, none, none);
  normalize(model, none);
}

TEST(Integrate, IsUndoneByDifference) {
  RandomSpatial random(1);
  for (const std::string& text : trees()) {
    const Model model = model_of(text);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const State state = random_state(model, seed);
      // Rotations by less than half a turn (1.8 * sqrt(3) < pi); a larger one comes back as the shorter way round.
      const std::vector<double> step = random_numbers(random, state.v.size(), 1.8);
      std::vector<double> q = state.q, back(step.size());
      integrate(model, step, q);
      difference(model, state.q, q, back);
      for (std::size_t i = 0; i < step.size(); ++i)
        EXPECT_NEAR(back[i], step[i], 1e-14) << text << " coordinate " << i;  // some ten roundings of numbers up to 5
    }
  }
}

TEST(Difference, IsUndoneByIntegrate) {
  for (const std::string& text : trees()) {
    const Model model = model_of(text);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const State a = random_state(model, seed), b = random_state(model, seed + 100);
      std::vector<double> step(a.v.size()), q = a.q;
      difference(model, a.q, b.q, step);
      integrate(model, step, q);
      EXPECT_LE(configuration_distance(model, q, b.q), 1e-14) << text;
    }
  }
}

TEST(Difference, FromAPlaceToItselfIsNothing) {
  for (const std::string& text : trees()) {
    const Model model = model_of(text);
    const State state = random_state(model, 5);
    std::vector<double> step(state.v.size());
    difference(model, state.q, state.q, step);
    for (const double x : step) EXPECT_NEAR(x, 0, 1e-15) << text;
  }
}

TEST(Integrate, ByNothingChangesNothing) {
  for (const std::string& text : trees()) {
    const Model model = model_of(text);
    const State state = random_state(model, 6);
    std::vector<double> q = state.q;
    integrate(model, std::vector<double>(state.v.size(), 0), q);
    EXPECT_LE(configuration_distance(model, q, state.q), 5e-16) << text;  // one more normalisation
  }
}

TEST(Integrate, TwiceHalfAStepIsTheStep) {
  RandomSpatial random(2);
  for (const std::string& text : trees()) {
    const Model model = model_of(text);
    const State state = random_state(model, 7);
    const std::vector<double> half = random_numbers(random, state.v.size(), 2);
    std::vector<double> whole = half, once = state.q, twice = state.q;
    for (double& x : whole) x *= 2;
    integrate(model, whole, once);
    integrate(model, half, twice);
    integrate(model, half, twice);
    EXPECT_LE(configuration_distance(model, once, twice), 1e-14) << text;
  }
}

// A free body: angular velocity in the body's axes, velocity of its origin in the world's axes.
TEST(Integrate, TurnsInTheBodyAndMovesInTheWorld) {
  const Model model = model_of("@free_body");
  RandomSpatial random(3);
  for (int i = 0; i < 100; ++i) {
    const State state = random_state(model, std::uint64_t(i));
    const Vec3<double> axis = random.direction(), move = random.vector();
    const double angle = random.even(6);
    std::vector<double> q = state.q;
    const std::vector<double> step{angle * axis.x, angle * axis.y, angle * axis.z, move.x, move.y, move.z};
    integrate(model, step, q);
    EXPECT_LE(distance(to_rotation(quaternion_at(q, 0)),
                       to_rotation(quaternion_at(state.q, 0)) * rotation_about(axis, angle)),
              5e-15);
    EXPECT_LE(distance(Vec3<double>{q[4], q[5], q[6]}, Vec3<double>{state.q[4], state.q[5], state.q[6]} + move), 1e-15);
  }
}

TEST(Integrate, KeepsQuaternionsAtLengthOne) {
  RandomSpatial random(4);
  const Model model = model_of("@random_tree:bodies=30,seed=3,floating=1");
  State state = random_state(model, 8);
  for (int i = 0; i < 10000; ++i) {
    integrate(model, random_numbers(random, state.v.size(), 0.5), state.q);
    ASSERT_LE(largest_length_error(model, state.q), 5e-16) << "after " << i << " steps";
  }
}

TEST(Normalize, BringsQuaternionsToLengthOneAndLeavesTheRest) {
  for (const std::string& text : trees()) {
    const Model model = model_of(text);
    const State state = random_state(model, 9);
    std::vector<double> q = state.q;
    for (const Link& link : model.links())
      if (has_quaternion(link))
        for (int k = 0; k < 4; ++k) q[link.q + k] *= 3;
    normalize(model, q);
    EXPECT_LE(configuration_distance(model, q, state.q), 5e-16) << text;
    EXPECT_LE(largest_length_error(model, q), 5e-16) << text;
  }
}

TEST(State, WrongSizesAreRefusedWithBothNumbers) {
  const Model model = model_of("@free_body");  // 7 and 6
  std::vector<double> q(7), v(6), q_short(6), v_long(7);
  q[0] = 1;
  EXPECT_EQ(failed_check([&] { integrate(model, v_long, q); }), "step has 7 numbers, the model needs 6");
  EXPECT_EQ(failed_check([&] { integrate(model, v, q_short); }), "q has 6 numbers, the model needs 7");
  EXPECT_EQ(failed_check([&] { difference(model, q_short, q, v); }), "a has 6 numbers, the model needs 7");
  EXPECT_EQ(failed_check([&] { difference(model, q, q_short, v); }), "b has 6 numbers, the model needs 7");
  EXPECT_EQ(failed_check([&] { difference(model, q, q, v_long); }), "step has 7 numbers, the model needs 6");
  EXPECT_EQ(failed_check([&] { normalize(model, q_short); }), "q has 6 numbers, the model needs 7");
  EXPECT_EQ(failed_check([&] { integrate(model, v, q); }), "accepted");
}

TEST(RandomState, IsTheSameForTheSameSeedOnly) {
  const Model model = model_of("@random_tree");
  const State a = random_state(model, 1), again = random_state(model, 1), b = random_state(model, 2);
  EXPECT_EQ(a.q, again.q);
  EXPECT_EQ(a.v, again.v);
  EXPECT_NE(a.q, b.q);
  EXPECT_NE(a.v, b.v);
}

TEST(RandomState, StaysInItsRangeAndFillsIt) {
  const Model model = model_of("@random_tree:bodies=30,seed=2,floating=1");
  double most_q = 0, most_v = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const State state = random_state(model, seed, 0.5, 7);
    EXPECT_LE(largest_length_error(model, state.q), 5e-16);
    for (const Link& link : model.links())
      for (int k = has_quaternion(link) ? 4 : 0; k < link.nq; ++k)
        most_q = larger(most_q, std::abs(state.q[link.q + k]));
    for (const double v : state.v) most_v = larger(most_v, std::abs(v));
  }
  EXPECT_LE(most_q, 0.5);
  EXPECT_GT(most_q, 0.49);
  EXPECT_LE(most_v, 7);
  EXPECT_GT(most_v, 6.9);
}

// Even over all rotations: each entry of R has mean 0 and mean square 1/3. Of 10000 draws the mean is known to about
// 0.58 / 100, so four times that is allowed (the seeds are fixed: it passes always or never).
TEST(RandomState, RotationsPreferNoDirection) {
  const Model model = model_of("@top");
  Mat3<double> mean{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  double square = 0;
  constexpr int draws = 10000;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    const Mat3<double> R = to_rotation(quaternion_at(random_state(model, seed).q, 0));
    mean = mean + R;
    square += R.x.x * R.x.x / draws;
  }
  EXPECT_LE(distance(mean, Mat3<double>{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}) / draws, 0.024);
  EXPECT_NEAR(square, 1.0 / 3, 0.012);
}

}  // namespace
}  // namespace linchpin
