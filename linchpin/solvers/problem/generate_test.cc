#include "linchpin/solvers/problem/generate.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "linchpin/base/compare_testing.h"
#include "linchpin/solvers/problem/residual.h"
#include "linchpin/solvers/problem/testing.h"

namespace linchpin {
namespace {

using Vector3 = std::array<double, 3>;

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector3 minus(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector3 angular(const SceneBody& body) { return {body.velocity[0], body.velocity[1], body.velocity[2]}; }
Vector3 linear(const SceneBody& body) { return {body.velocity[3], body.velocity[4], body.velocity[5]}; }

struct Named {
  std::string name;
  ContactScene scene;
};
std::vector<Named> scenes() {
  std::vector<Named> all;
  for (const bool degenerate : {false, true})
    for (const double ratio : {1.0, 1000.0}) {
      const SceneOptions options{.mu = 0.4, .mass_ratio = ratio, .degenerate = degenerate};
      const std::string end = std::string(degenerate ? " degenerate" : "") + (ratio > 1 ? " light and heavy" : "");
      all.push_back({"boxes" + end, separate_boxes_scene(3, 1, options)});
      all.push_back({"stack" + end, stack_of_boxes_scene(8, 1, options)});
      all.push_back({"wall" + end, wall_of_bricks_scene(3, 4, 1, options)});
      all.push_back({"pile" + end, pile_of_spheres_scene(100, 1, options)});
    }
  return all;
}

std::vector<double> times(const Matrix& M, const std::vector<double>& z) {
  std::vector<double> w(z.size()), work(M.work_size());
  M.multiply(z, w, work);
  return w;
}

TEST(Generate, numbers_of_bodies_and_contacts) {
  EXPECT_EQ(separate_boxes_scene(5, 1).bodies.size(), 5u);
  EXPECT_EQ(separate_boxes_scene(5, 1).contacts.size(), 20u);
  EXPECT_EQ(stack_of_boxes_scene(8, 1).contacts.size(), 32u);
  EXPECT_EQ(wall_of_bricks_scene(3, 4, 1).bodies.size(), 9u);
  EXPECT_EQ(wall_of_bricks_scene(3, 4, 1).contacts.size(), 4u * (4 + 2 * (3 + 2)));
  for (const int contacts : {1, 4, 30, 100, 1000}) {
    const ContactScene pile = pile_of_spheres_scene(contacts, 3);
    EXPECT_GE(pile.contacts.size(), std::size_t(contacts));
    EXPECT_LE(pile.contacts.size(), std::size_t(contacts + 2));
    const ContactScene pyramid = pile_of_spheres_scene(contacts, 3, {.degenerate = true});
    EXPECT_GE(pyramid.contacts.size(), std::size_t(contacts));
    EXPECT_LE(pyramid.contacts.size(), std::size_t(contacts + 8));
  }
}

TEST(Generate, problems_are_problems) {
  for (const Named& s : scenes()) {
    const Problem problem = contact_problem(s.scene);
    const auto fault = find_fault(problem);
    EXPECT_FALSE(fault) << s.name << ": " << fault->message;
    EXPECT_EQ(problem.size(), 3 * int(s.scene.contacts.size())) << s.name;
    EXPECT_EQ(problem.blocks.size(), s.scene.contacts.size()) << s.name;
    for (const Block& block : problem.blocks) EXPECT_EQ(block.mu, 0.4);
  }
}

TEST(Generate, directions_are_right_handed_triads) {
  for (const Named& s : scenes())
    for (const SceneContact& c : s.scene.contacts) {
      EXPECT_NEAR(dot(c.normal, c.normal), 1, 1e-14) << s.name;
      EXPECT_NEAR(dot(c.tangent1, c.tangent1), 1, 1e-14) << s.name;
      EXPECT_NEAR(dot(c.normal, c.tangent1), 0, 1e-14) << s.name;
      const Vector3 third = cross(c.normal, c.tangent1);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(third[k], c.tangent2[k], 1e-14) << s.name;
    }
}

// Contacts of spheres lie on both surfaces, normals point from B's centre to A's, nobody is inside another, and a
// sphere touches about five others.
TEST(Generate, spheres_touch_where_they_say) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const ContactScene pile = pile_of_spheres_scene(1000, seed);
    double touches = 0;
    for (const SceneContact& c : pile.contacts) {
      const SceneBody& a = pile.bodies[c.a];
      const Vector3 to_a = minus(a.position, c.point);
      EXPECT_NEAR(std::sqrt(dot(to_a, to_a)), a.radius, 1e-12);
      EXPECT_NEAR(dot(to_a, c.normal), a.radius, 1e-12);
      touches += c.b < 0 ? 1 : 2;
      if (c.b < 0) continue;
      const SceneBody& b = pile.bodies[c.b];
      EXPECT_NEAR(dot(minus(c.point, b.position), c.normal), b.radius, 1e-12);
    }
    for (std::size_t i = 0; i < pile.bodies.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const Vector3 apart = minus(pile.bodies[i].position, pile.bodies[j].position);
        EXPECT_GE(std::sqrt(dot(apart, apart)), pile.bodies[i].radius + pile.bodies[j].radius - 2e-12);
      }
    EXPECT_GT(touches / double(pile.bodies.size()), 4.5);
    EXPECT_LT(touches / double(pile.bodies.size()), 6);
  }
}

// q by the velocity of points of rigid bodies, one contact at a time.
TEST(Generate, free_velocity_of_the_contacts) {
  for (const Named& s : scenes()) {
    const Problem problem = contact_problem(s.scene);
    for (std::size_t i = 0; i < s.scene.contacts.size(); ++i) {
      const SceneContact& c = s.scene.contacts[i];
      Vector3 u{};
      for (const int side : {0, 1}) {
        const int which = side == 0 ? c.a : c.b;
        if (which < 0) continue;
        const SceneBody& body = s.scene.bodies[which];
        const Vector3 turning = cross(angular(body), minus(c.point, body.position));
        for (std::size_t k = 0; k < 3; ++k)
          u[k] += (side == 0 ? 1 : -1) * (linear(body)[k] + turning[k] - (k == 2 ? s.scene.gravity * s.scene.dt : 0));
      }
      EXPECT_NEAR(problem.q[3 * i], dot(u, c.normal), 1e-14) << s.name;
      EXPECT_NEAR(problem.q[3 * i + 1], dot(u, c.tangent1), 1e-14) << s.name;
      EXPECT_NEAR(problem.q[3 * i + 2], dot(u, c.tangent2), 1e-14) << s.name;
    }
  }
}

// z' M z is twice the kinetic energy that z gives to bodies at rest: the matrix is positive semidefinite, and
// symmetric.
TEST(Generate, matrix_is_the_energy_of_impulses) {
  Dice dice(7);
  for (const Named& s : scenes()) {
    ContactScene rest = s.scene;
    rest.gravity = 0;
    for (SceneBody& body : rest.bodies) body.velocity = {};
    const Problem problem = contact_problem(rest);
    const std::vector<double> x = random_q(problem.size(), dice), y = random_q(problem.size(), dice);
    const std::vector<double> Mx = times(problem.M, x), My = times(problem.M, y);
    double xMx = 0, xMy = 0, yMx = 0, energy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      xMx += x[i] * Mx[i];
      xMy += x[i] * My[i];
      yMx += y[i] * Mx[i];
    }
    for (const SceneBody& body : after_step(rest, x).bodies) {
      energy += body.mass * dot(linear(body), linear(body));
      for (std::size_t k = 0; k < 3; ++k) energy += body.inertia[k] * body.velocity[k] * body.velocity[k];
    }
    EXPECT_NEAR(xMx, energy, 1e-12 * energy) << s.name;
    EXPECT_NEAR(xMy, yMx, 1e-12 * energy) << s.name;
  }
}

// Impulses between bodies change neither the momentum nor the angular momentum of them all; gravity and the world do.
TEST(Generate, momentum) {
  Dice dice(8);
  for (const Named& s : scenes()) {
    const std::vector<double> z = random_q(3 * int(s.scene.contacts.size()), dice);
    const ContactScene after = after_step(s.scene, z);
    Vector3 momentum{}, moment{};
    double size = 0;
    for (std::size_t i = 0; i < after.bodies.size(); ++i) {
      const SceneBody &body = s.scene.bodies[i], &then = after.bodies[i];
      Vector3 impulse{}, twist{};
      for (std::size_t k = 0; k < 3; ++k) {
        impulse[k] = body.mass * (then.velocity[3 + k] - body.velocity[3 + k]);
        twist[k] = body.inertia[k] * (then.velocity[k] - body.velocity[k]);
      }
      impulse[2] += body.mass * s.scene.gravity * s.scene.dt;
      const Vector3 about_origin = cross(body.position, impulse);
      for (std::size_t k = 0; k < 3; ++k) {
        momentum[k] += impulse[k];
        moment[k] += twist[k] + about_origin[k];
        size += std::abs(impulse[k]) + std::abs(twist[k]) + std::abs(about_origin[k]);
      }
    }
    for (std::size_t i = 0; i < s.scene.contacts.size(); ++i) {
      const SceneContact& c = s.scene.contacts[i];
      if (c.b >= 0) continue;
      Vector3 impulse{};
      for (std::size_t k = 0; k < 3; ++k)
        impulse[k] = z[3 * i] * c.normal[k] + z[3 * i + 1] * c.tangent1[k] + z[3 * i + 2] * c.tangent2[k];
      const Vector3 about_origin = cross(c.point, impulse);
      for (std::size_t k = 0; k < 3; ++k) {
        momentum[k] -= impulse[k];
        moment[k] -= about_origin[k];
      }
    }
    // Velocities of heavy bodies change little beside what they are: that rounding, times the mass.
    double weight = 0;
    for (const SceneBody& body : s.scene.bodies) weight += body.mass;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(momentum[k], 0, 1e-14 * (size + weight)) << s.name;
      EXPECT_NEAR(moment[k], 0, 1e-14 * (size + 20 * weight)) << s.name;
    }
  }
}

TEST(Generate, dense_sparse_and_factored_are_one_matrix) {
  Dice dice(9);
  for (const Named& s : scenes()) {
    const Problem factored = contact_problem(s.scene);
    const Problem sparse = contact_problem(s.scene, Matrix::Kind::block_sparse);
    const Problem dense = contact_problem(s.scene, Matrix::Kind::dense);
    EXPECT_EQ(factored.M.kind(), Matrix::Kind::factored);
    EXPECT_EQ(sparse.M.kind(), Matrix::Kind::block_sparse);
    EXPECT_EQ(dense.M.kind(), Matrix::Kind::dense);
    EXPECT_EQ(with_matrix(dense, Matrix::Kind::block_sparse).M.kind(), Matrix::Kind::block_sparse);
    EXPECT_THROW(with_matrix(dense, Matrix::Kind::factored), CheckFailed);
    const std::vector<double> z = random_q(factored.size(), dice), w = times(factored.M, z);
    for (const Problem& other :
         {sparse, dense, with_matrix(sparse, Matrix::Kind::dense), with_matrix(dense, Matrix::Kind::block_sparse)}) {
      EXPECT_EQ(other.q, factored.q);
      const std::vector<double> v = times(other.M, z);
      for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(v[i], w[i], 1e-13 * largest(w)) << s.name;
    }
  }
}

// What can be worked out by hand: at rest, each box of a stack passes on to its four corners its weight and all above.
TEST(Generate, stack_at_rest_carries_its_weight) {
  for (const double ratio : {1.0, 100.0}) {
    const ContactScene stack = stack_of_boxes_scene(8, 1, {.mass_ratio = ratio, .degenerate = true});
    const Problem problem = contact_problem(stack);
    std::vector<double> z(problem.size());
    double above = 0;
    for (int box = 7; box >= 0; --box) {
      above += stack.bodies[box].mass * stack.gravity * stack.dt;
      for (int corner = 0; corner < 4; ++corner) z[12 * box + 3 * corner] = above / 4;
    }
    // The load on a light box is up to eight heavy ones; its velocity is what rounding leaves of that.
    const double tolerance = 1e-15 * 8 * ratio;
    ResidualWorkspace ws;
    EXPECT_LE(residual(problem, z, ws).relative, tolerance);
    EXPECT_LE(residual(problem, z, ws).plain_relative, tolerance);
    for (const SceneBody& body : after_step(stack, z).bodies)
      for (const double v : body.velocity) EXPECT_NEAR(v, 0, tolerance * stack.gravity * stack.dt);
  }
}

// Boxes of given sizes lie on each other: a contact is on the lower face of its body and on the upper face of the other
// one, or on the floor. Without random numbers a box has the moments of a homogeneous one.
TEST(Generate, boxes_lie_on_each_other) {
  const SceneOptions degenerate{.degenerate = true};
  const std::array cube{1.0, 1.0, 1.0}, brick{1.0, 0.5, 0.25};
  for (const auto& [scene, size] : {std::pair{stack_of_boxes_scene(4, 1, degenerate), cube},
                                    {separate_boxes_scene(3, 1, degenerate), cube},
                                    {wall_of_bricks_scene(3, 4, 1, degenerate), brick}}) {
    const auto lies_within = [&](const SceneContact& c, int body, double side) {
      const std::array<double, 3>& x = scene.bodies[std::size_t(body)].position;
      EXPECT_NEAR(c.point[2], x[2] + side * size[2] / 2, 1e-15);
      for (std::size_t k = 0; k < 2; ++k) EXPECT_LE(std::abs(c.point[k] - x[k]), size[k] / 2);
    };
    for (const SceneContact& c : scene.contacts) {
      lies_within(c, c.a, -1);
      if (c.b >= 0)
        lies_within(c, c.b, 1);
      else
        EXPECT_EQ(c.point[2], 0);
    }
    for (const SceneBody& b : scene.bodies)
      for (std::size_t k = 0; k < 3; ++k) {
        const double one = size[(k + 1) % 3], other = size[(k + 2) % 3];
        EXPECT_NEAR(b.inertia[k], b.mass * (one * one + other * other) / 12, 1e-15);
      }
  }
}

// The contact of a box moves with the box: its way from the centre turns by dt w, across itself and across w.
TEST(Generate, contacts_of_boxes_move_with_them) {
  ContactScene scene = separate_boxes_scene(1, 1, {.speed = 1});
  const ContactScene after = after_step(scene, std::vector<double>(3 * scene.contacts.size()));
  const auto& v = after.bodies[0].velocity;
  ASSERT_GT(std::abs(v[2]), 0.01);
  for (std::size_t i = 0; i < scene.contacts.size(); ++i) {
    double before[3], change[3], along = 0, about = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      before[k] = scene.contacts[i].point[k] - scene.bodies[0].position[k];
      change[k] = after.contacts[i].point[k] - after.bodies[0].position[k] - before[k];
      along += change[k] * before[k];
      about += change[k] * v[k];
    }
    EXPECT_NEAR(along, 0, 1e-15);
    EXPECT_NEAR(about, 0, 1e-15);
    EXPECT_NEAR(change[0], scene.dt * (v[1] * before[2] - v[2] * before[1]), 1e-15);
  }
}

TEST(Generate, follows_from_the_seed) {
  const std::vector<std::function<Problem(std::uint64_t)>> makers{
      [](std::uint64_t seed) { return separate_boxes(3, seed); },
      [](std::uint64_t seed) { return stack_of_boxes(4, seed, {.mass_ratio = 50}); },
      [](std::uint64_t seed) { return wall_of_bricks(3, 4, seed); },
      [](std::uint64_t seed) { return pile_of_spheres(60, seed); }};
  for (const auto& make : makers) {
    const Problem a = make(5), b = make(5), c = make(6);
    EXPECT_TRUE(same_finite_bits(a.q, b.q));
    EXPECT_TRUE(same_finite_bits(a.M.blocks().values, b.M.blocks().values));
    EXPECT_TRUE(same_finite_bits(a.M.A(), b.M.A()));
    EXPECT_FALSE(same_finite_bits(a.q, c.q));
  }
  // The same on every machine: numbers written down once.
  const Problem pile = pile_of_spheres(200, 1);
  EXPECT_EQ(pile.q.front(), -0.01728837809613322);
  EXPECT_EQ(pile.q.back(), 0.043713123462492898);
}

// ---- testing.h ----

TEST(PlantedProblems, the_judge_accepts_their_solutions) {
  ResidualWorkspace ws;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const BlockMix mix{dice.chance(0.7), true, dice.chance(0.7), dice.chance(0.7)};
    const ProblemLayout layout = random_layout(1 + dice.below(20), mix, dice);
    Square M = random_psd(layout.size, 1 + dice.below(layout.size), dice);
    if (dice.chance(0.5)) add_skew(M, layout.size, 1, dice);
    const Planted planted = plant(layout, Matrix::dense(layout.size, std::move(M)), dice.between(0, 1), dice);
    const auto fault = find_fault(planted.problem);
    ASSERT_FALSE(fault) << fault->message << ", seed " << seed;
    // Rounding of M z, with z and w up to some units.
    EXPECT_LE(residual(planted.problem, planted.z, ws).plain_absolute, 1e-14 * layout.size) << "seed " << seed;
  }
}

TEST(PlantedProblems, stay_solved_when_said_otherwise) {
  ResidualWorkspace ws;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const Planted planted = plant_random(1 + dice.below(15), {}, random_full_psd, 0.2, dice);
    const std::vector<Block>& blocks = planted.problem.blocks;
    const std::vector<int> order = random_order(int(blocks.size()), dice);
    std::vector<double> scale, z;
    for (const int i : order) {
      const Block& block = blocks[i];
      scale.push_back(dice.between(0.01, 10));
      for (int k = 0; k < block.size; ++k) z.push_back(planted.z[block.start + k] / scale.back());
    }
    const Problem other = rescaled(permuted(planted.problem, order), scale);
    ASSERT_FALSE(find_fault(other)) << "seed " << seed;
    EXPECT_LE(residual(other, z, ws).absolute, 1e-12 * other.size()) << "seed " << seed;
  }
}

// Every principal minor of a few small ones, by elimination without pivoting.
TEST(RandomMatrices, p_matrices_have_positive_principal_minors) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    const int n = 2 + dice.below(5);
    Square M = random_p(n, dice);
    for (int subset = 1; subset < 1 << n; ++subset) {
      std::vector<int> rows;
      for (int i = 0; i < n; ++i)
        if (subset >> i & 1) rows.push_back(i);
      const int k = int(rows.size());
      Square minor = zero_square(k);
      for (int i = 0; i < k; ++i)
        for (int j = 0; j < k; ++j) entry(minor, k, i, j) = entry(M, n, rows[i], rows[j]);
      double determinant = 1;
      for (int i = 0; i < k; ++i) {
        const double pivot = entry(minor, k, i, i);
        determinant *= pivot;
        for (int r = i + 1; r < k; ++r) {
          const double factor = entry(minor, k, r, i) / pivot;
          for (int c = i; c < k; ++c) entry(minor, k, r, c) -= factor * entry(minor, k, i, c);
        }
      }
      EXPECT_GT(determinant, 0) << "seed " << seed;
    }
  }
}

TEST(RandomMatrices, copositive_ones_are) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(8);
    Square M = random_copositive(n, false, dice);
    for (int trial = 0; trial < 100; ++trial) {
      std::vector<double> z(static_cast<std::size_t>(n));
      for (double& x : z) x = dice.chance(0.5) ? 0 : dice.between(0, 1);
      double form = 0;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) form += z[i] * entry(M, n, i, j) * z[j];
      EXPECT_GE(form, -1e-13 * n) << "seed " << seed;
    }
  }
}

TEST(RandomScenes, are_problems) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    const Problem problem = contact_problem(random_scene(dice));
    ASSERT_FALSE(find_fault(problem)) << "seed " << seed;
    EXPECT_LE(problem.size(), 100);
  }
}

}  // namespace
}  // namespace linchpin
