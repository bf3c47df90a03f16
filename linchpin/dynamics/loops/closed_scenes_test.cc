// The built-in mechanisms with constraints: they are closed, have the right number of degrees of freedom, and
// accelerate as closed forms, published numbers and a dense solution of the whole system say.
#include <numbers>

#include "linchpin/algebra/dense_testing.h"
#include "linchpin/base/compare_testing.h"
#include "linchpin/dynamics/loops/assembly.h"
#include "linchpin/dynamics/loops/closed_chain.h"
#include "linchpin/dynamics/loops/loop_recursion.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/rnea.h"
#include "linchpin/dynamics/tree/springs.h"
#include "linchpin/dynamics/tree/testing.h"

namespace linchpin {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double pi = std::numbers::pi, g = 9.81;

struct Mechanism {
  explicit Mechanism(const ModelSpec& spec) : Mechanism(std::move(compile(spec)).value()) {}
  explicit Mechanism(const std::string& text) : Mechanism(model_of(text)) {}
  explicit Mechanism(Model m)
      : model(std::move(m)),
        plan(model),
        chain(model, plan, model.constraints()),
        state(make_state(model)),
        tau(state.v.size(), 0.0),
        f_ext(6 * model.bodies().size(), 0.0),
        vdot(state.v.size()) {}
  Mechanism(const Mechanism&) = delete;

  // A random closed configuration near zero, and velocities that keep it closed.
  void wander(std::uint64_t seed, double range = 0.2) {
    state = make_state(model);
    integrate(model, random_numbers(state.v.size(), seed, range), state.q);
    state.v = random_numbers(state.v.size(), seed + 1000, 1);
    const AssemblyReport report = assemble(model, state);
    EXPECT_TRUE(report.closed()) << to_string(report.status) << ": " << report.worst << " " << report.error << " "
                                 << report.speed_error;
  }
  void pull_springs() {
    place_chain(state.q, state.v, 0, chain);
    add_spring_forces(model, chain.kin, chain.vel, f_ext);
  }
  ConstraintReport accelerate() { return constrained_dynamics(state.q, state.v, tau, f_ext, 0, chain, vdot); }

  int coordinate(const char* joint) const {
    const int j = model.find_joint(joint);
    check(j >= 0, "no joint ", joint);
    return model.joints()[j].v;
  }
  double& q_of(const char* joint) { return state.q[coordinate(joint)]; }  // of trees of one-axis joints
  double vdot_of(const char* joint) const { return vdot[coordinate(joint)]; }

  Model model;
  Plan<double> plan;
  ClosedChain chain;
  State state;
  std::vector<double> tau, f_ext, vdot;
};

struct Closed {
  const char* text;
  int rows, freedom;  // freedom: coordinates less independent rows, in a general position
};
const Closed closed_scenes[] = {
    {"@four_bar", 5, 1},
    {"@four_bar:loops=2", 10, 1},
    {"@four_bar:loops=40", 200, 1},
    {"@squeezer", 6, 1},
    {"@bricard", 5, 1},
    {"@bricard:section=0.1", 5, 1},
    {"@slider_crank", 5, 1},
    {"@governor", 0, 4},  // shaft, slider, two rods: springs are no constraints
    {"@rolling_disc", 3, 3},
    {"@rolling_disc:hoop=1,tilt=30", 3, 3},
    {"@rattleback", 3, 3},
    {"@linkage_biped", 8, 18},
    {"@stewart", 18, 6},
    {"@gripper", 3, 2},
};

// ---- assembled, and mobile as they should be ------------------------------------------------------------------------

TEST(ClosedScenes, AreClosedAtZero) {
  for (const Closed& scene : closed_scenes) {
    Mechanism m(scene.text);
    place_chain(m.state.q, m.state.v, 0, m.chain);
    EXPECT_EQ(m.chain.constraints.rows(), scene.rows) << scene.text;
    for (const double error : m.chain.rows.error) EXPECT_LE(std::abs(error), 1e-12) << scene.text;
  }
  for (const char* tilt : {"1", "20", "45", "60", "80"}) {
    Mechanism m(std::string("@rolling_disc:tilt=") + tilt);
    place_chain(m.state.q, m.state.v, 0, m.chain);
    EXPECT_LE(std::abs(m.chain.rows.error[0]), 1e-16) << tilt;
  }
}

// The whole system [M -J'; J 0], scaled: coordinates in units in which M has a unit diagonal, rows of J of length one,
// so that its rank is clear.
struct Dense {
  explicit Dense(Mechanism& m) {
    const auto n = Eigen::Index(m.state.v.size()), rows = Eigen::Index(m.chain.constraints.rows());
    const MassMatrixLayout layout(m.model);
    CrbaWorkspace<double> crba_ws(m.plan, layout);
    MassMatrix<double> packed(layout);
    crba<double>(m.plan, layout, m.state.q, crba_ws, packed);
    std::vector<double> numbers(n * n);
    to_dense(layout, packed, numbers);
    M = matrix_of(numbers, n, n);

    place_chain(m.state.q, m.state.v, 0, m.chain);
    numbers.assign(rows * n, 0);
    constraint_jacobian(m.model, m.chain.constraints, m.chain.rows, m.chain.kin, m.chain.vel, numbers);
    J = matrix_of(numbers, rows, n);
    // gddot for zero vdot: the rows' own bias, and accelerations of links due to velocities.
    const std::vector<double> rest(n, 0.0);
    std::vector<Motion<double>> carried(m.model.links().size());
    accelerations(m.model, m.chain.kin, m.chain.vel, m.state.v, rest, carried);
    bias = VectorXd::Zero(rows);
    row_accelerations(m.chain.constraints, m.chain.rows, carried, m.state.q, rest, {bias.data(), std::size_t(rows)});

    RneaWorkspace<double> rnea_ws(m.plan);
    std::vector<double> needed(n, 0.0);
    rnea<double>(m.plan, m.state.q, m.state.v, rest, m.f_ext, rnea_ws, needed);
    force = vector_of(m.tau) - vector_of(needed);

    unit = M.diagonal().cwiseSqrt().cwiseInverse();
    scaled_J = scaled(VectorXd::Ones(rows), J, unit);
    row_unit = VectorXd::Ones(rows);  // rows that nothing moves are rounding, and stay as small as they are
    const double longest = largest(Eigen::VectorXd(scaled_J.rowwise().norm()));
    for (Eigen::Index r = 0; r < rows; ++r)
      if (scaled_J.row(r).norm() > 1e-9 * longest) row_unit[r] = 1 / scaled_J.row(r).norm();
    scaled_J = scaled(row_unit, scaled_J, VectorXd::Ones(n));
  }

  int rank() const {
    if (J.rows() == 0) return 0;
    const VectorXd s = singular_values(scaled_J).values;
    int count = 0;
    for (const double x : s) count += x > 1e-6 * s[0] ? 1 : 0;
    return count;
  }
  VectorXd solve() const {
    const Eigen::Index n = M.rows(), rows = J.rows();
    MatrixXd K = MatrixXd::Zero(n + rows, n + rows);
    K.topLeftCorner(n, n) = scaled(unit, M, unit);
    K.topRightCorner(n, rows) = -scaled_J.transpose();
    K.bottomLeftCorner(rows, n) = scaled_J;
    VectorXd b(n + rows);
    b.head(n) = unit.cwiseProduct(force);
    b.tail(rows) = -row_unit.cwiseProduct(bias);
    return unit.cwiseProduct(least_squares(K, b, 1e-12).head(n));
  }

  MatrixXd M, J, scaled_J;
  VectorXd bias, force, unit, row_unit;
};

TEST(ClosedScenes, MoveAsFreelyAsTheyShould) {
  for (const Closed& scene : closed_scenes)
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      SCOPED_TRACE(std::string(scene.text) + " seed " + std::to_string(seed));
      Mechanism m(scene.text);
      m.wander(seed);
      const int rank = Dense(m).rank();
      EXPECT_EQ(m.model.nv() - rank, scene.freedom);
      const ConstraintReport report = m.accelerate();
      EXPECT_EQ(report.rows, scene.rows);
      EXPECT_EQ(report.rank, rank);
    }
}

// ---- accelerations --------------------------------------------------------------------------------------------------

TEST(ClosedScenes, AccelerateAsTheWholeSystemSays) {
  for (const Closed& scene : closed_scenes)
    for (const std::uint64_t seed : {4u, 5u}) {
      SCOPED_TRACE(std::string(scene.text) + " seed " + std::to_string(seed));
      Mechanism m(scene.text);
      m.wander(seed);
      // Forces as large as weights: those of the squeezer weigh grams.
      const double size = 10 * m.model.total_mass() / double(m.model.nv());
      m.tau = random_numbers(m.tau.size(), seed + 50, 0.1 * size);
      m.f_ext = random_numbers(m.f_ext.size(), seed + 60, 0.1 * size);
      const Dense dense(m);
      const VectorXd expected = dense.solve();
      const ConstraintReport report = m.accelerate();
      const double largest_rate = larger(1.0, max_abs(expected));
      EXPECT_LE(max_abs(vector_of(m.vdot) - expected), 1e-9 * largest_rate);
      if (report.rows == 0) continue;
      std::vector<double> by_recursion(m.vdot.size());
      ClosedChain recursion(m.model, m.plan, m.model.constraints(), LoopElimination::recursion);
      constrained_dynamics(m.state.q, m.state.v, m.tau, m.f_ext, 0, recursion, by_recursion);
      EXPECT_LE(largest_difference(by_recursion, m.vdot), 1e-9 * largest_rate) << "loop recursion";
      std::vector<double> by_assembly(m.vdot.size());
      ClosedChain assembly(m.model, m.plan, m.model.constraints(), LoopElimination::divide_and_conquer, 2);
      const ConstraintReport same =
          constrained_dynamics(m.state.q, m.state.v, m.tau, m.f_ext, 0, assembly, by_assembly);
      EXPECT_EQ(same.rank, report.rank);
      EXPECT_LE(largest_difference(by_assembly, m.vdot), 1e-9 * largest_rate) << "divide and conquer";
      // `unmet` must be small relative to gddot of the free mechanism.
      const VectorXd free = dense.J * solve_positive(dense.M, dense.force) + dense.bias;
      EXPECT_LE(report.unmet, 1e-9 * larger(1.0, max_abs(free)));
    }
}

// On the branch of parallelograms all is one pendulum, I th'' = P sin th, however many loops.
TEST(FourBar, IsOnePendulum) {
  for (const int loops : {1, 2, 40}) {
    Mechanism m("@four_bar:loops=" + std::to_string(loops));
    const double I = (loops + 1) / 3.0 + loops, P = g * ((loops + 1) / 2.0 + loops);
    for (const double angle : {0.0, 0.3, 1.2, 2.5, 4.0}) {
      for (std::size_t k = 0; k < m.state.q.size(); ++k) {  // crank, coupler, crank, ...
        const double sign = k % 2 == 0 ? 1 : -1;
        m.state.q[k] = sign * angle;
        m.state.v[k] = sign * 1.7;
      }
      const ConstraintReport report = m.accelerate();
      EXPECT_EQ(report.rank, 2 * loops) << loops << " " << angle;
      for (const double error : m.chain.rows.error) ASSERT_LE(std::abs(error), 1e-14);
      for (std::size_t k = 0; k < m.vdot.size(); ++k)
        ASSERT_NEAR(m.vdot[k], (k % 2 == 0 ? 1 : -1) * P / I * std::sin(angle), 1e-10) << loops << " " << angle;
    }
  }
}

// Cranks and couplers on one line: the couplers can move either way, and the rows have lower rank than elsewhere.
TEST(FourBar, IsFreerOnTheLine) {
  for (const int loops : {1, 2, 5}) {
    Mechanism m("@four_bar:loops=" + std::to_string(loops));
    for (std::size_t k = 0; k < m.state.q.size(); ++k) m.state.q[k] = (k % 2 == 0 ? 1 : -1) * pi / 2;
    EXPECT_EQ(m.accelerate().rank, 2 * loops - loops) << loops;
  }
}

// The IVP test set's own consistent initial values.
TEST(Squeezer, StartsAsPublished) {
  Mechanism m("@squeezer");
  m.pull_springs();
  m.tau[m.coordinate("beta")] = 0.033;
  const ConstraintReport report = m.accelerate();
  EXPECT_EQ(report.rank, 6);
  EXPECT_NEAR(m.vdot_of("beta"), 14222.4439199541, 1e-9 * 14222);
  EXPECT_NEAR(m.vdot_of("theta"), -10666.8329399656, 1e-9 * 14222);
  for (const char* joint : {"gamma", "delta", "phi", "epsilon", "omega"})
    EXPECT_NEAR(m.vdot_of(joint), 0, 1e-6) << joint;
  // The multipliers have other axes there, but the same length: 98.566870... and -6.122688... in the first loop, zero
  // in the others.
  const std::vector<double>& lambda = m.chain.reactions;
  EXPECT_NEAR(std::hypot(lambda[0], lambda[1]), std::hypot(98.56687039624109, -6.122688344255663), 1e-8);
  for (std::size_t r = 2; r < 6; ++r) EXPECT_NEAR(lambda[r], 0, 1e-8) << r;
}

// Released at a spin of 2 pi: the rods' centrifugal force against their weight, before the springs are loaded.
TEST(Governor, StartsByTheBalanceOfItsRods) {
  Mechanism m("@governor");
  m.state.v[m.coordinate("spin")] = 2 * pi;
  m.pull_springs();
  m.accelerate();
  EXPECT_NEAR(m.vdot_of("right_rod_hinge"), m.vdot_of("left_rod_hinge"), 1e-10);
  EXPECT_NEAR(m.vdot_of("spin"), 0, 1e-12);
  EXPECT_NEAR(m.vdot_of("slide"), -g, 1e-9);
  // Rod and ball at alpha below the horizontal, hinge at r from the axis; S = sum m l, T = sum m l^2 along the rod.
  const double r = 0.05, S = 5 + 0.3 / 2, T = 5 + 0.3 / 3, alpha = pi / 6, w = 2 * pi, thickness = 0.3 * 1e-4 / 12;
  const double moment = g * S * std::cos(alpha) - w * w * std::sin(alpha) * (r * S + (T - thickness) * std::cos(alpha));
  EXPECT_NEAR(m.vdot_of("right_rod_hinge"), moment / (T + thickness), 1e-9);
}

// ---- rolling --------------------------------------------------------------------------------------------------------

// A slope is a plane with gravity askew: a = g sin(slope) / (1 + k), I = k m r^2 about the axis of rolling.
TEST(Rolling, DownASlope) {
  const double slope = pi / 6, radius = 0.1;
  const struct {
    const char* name;
    double k;
    bool sphere;
    double published;
  } bodies[] = {{"solid sphere", 0.4, true, 3.503571429},
                {"hollow sphere", 2.0 / 3, true, 2.943},
                {"disc", 0.5, false, 3.27},
                {"hoop", 1, false, 2.4525}};
  for (const auto& body : bodies) {
    ModelSpec spec = scene(body.k == 1 ? "@rolling_disc:hoop=1" : "@rolling_disc").value();
    spec.gravity = {g * std::sin(slope), 0, -g * std::cos(slope)};
    if (body.sphere) {
      std::get<RollingSpec>(spec.constraints[0].what).half_axes = {radius, radius, radius};
      const double I = body.k * radius * radius;
      spec.bodies[0].inertia.moments = Sym3<double>::diagonal(I, I, I);
    }
    Mechanism m(spec);
    m.accelerate();
    const double a = g * std::sin(slope) / (1 + body.k);
    EXPECT_NEAR(a, body.published, 1e-9);
    const std::vector<double> expected{0, a / radius, 0, a, 0, 0};
    EXPECT_LE(largest_difference(m.vdot, expected), 1e-10) << body.name;
  }
}

// A coin that spins on its rim, its plane inclined by alpha, its centre at rest: it turns about the line from the point
// of touch to the centre, and that line goes round the vertical at Omega, Omega^2 = g / (k a sin alpha).
TEST(Rolling, SpinningCoin) {
  const double a = 0.1, alpha = pi / 6;
  for (const bool hoop : {false, true}) {
    Mechanism m(std::string("@rolling_disc:tilt=60,hoop=") + (hoop ? "1" : "0"));
    const double Omega = std::sqrt(g / ((hoop ? 0.5 : 0.25) * a * std::sin(alpha)));
    EXPECT_NEAR(Omega, hoop ? 19.8090888231 : 28.0142820718, 1e-10);
    const Vec3<double> up_the_disc{0, std::cos(alpha), std::sin(alpha)};
    const Vec3<double> w = Omega * std::sin(alpha) * up_the_disc;
    m.state.v = {w.x, w.y, w.z, 0, 0, 0};
    const ConstraintReport report = m.accelerate();
    EXPECT_EQ(report.rank, 3);
    const Vec3<double> wdot = cross(Vec3<double>{0, 0, Omega}, w);
    const std::vector<double> expected{wdot.x, wdot.y, wdot.z, 0, 0, 0};
    EXPECT_LE(largest_difference(m.vdot, expected), 1e-12 * Omega * Omega) << hoop;
  }
}

// Upright and straight, at any speed, nothing changes.
TEST(Rolling, StraightOn) {
  for (const char* text : {"@rolling_disc", "@rolling_disc:hoop=1,radius=0.3"}) {
    Mechanism m(text);
    const double radius = std::get<Rolling>(m.model.constraints()[0].what).half_axes.x;
    m.state.v = {0, 7, 0, 7 * radius, 0, 0};
    m.accelerate();
    EXPECT_LE(largest(m.vdot), 1e-12) << text;
  }
}

// ---- robots ---------------------------------------------------------------------------------------------------------

// At rest with its pistons locked, the six balls of a Stewart platform carry the weight of its plate.
TEST(Stewart, BallsCarryThePlate) {
  ModelSpec spec = scene("@stewart").value();
  for (int k = 1; k <= 6; ++k)
    spec.constraints.push_back(prescribed("lock_" + std::to_string(k), "stroke_" + std::to_string(k), {}));
  Mechanism m(spec);
  const ConstraintReport report = m.accelerate();
  EXPECT_EQ(report.rank, 24);
  EXPECT_LE(largest(m.vdot), 1e-10);
  double lift = 0;  // rows of a ball are along the axes of A, the plate; on A acts what is opposite to B's
  for (std::size_t k = 0; k < 6; ++k) lift -= m.chain.reactions[3 * k + 2];
  EXPECT_NEAR(lift, 10 * g, 1e-9);
}

// One motor closes both fingers alike, and the outer phalanges follow the cam: y = 0.8 x + 0.35 x^2.
TEST(Gripper, FingersCloseTogether) {
  Mechanism m("@gripper");
  const double x = 0.4, rate = 0.9;
  const auto set = [&](const char* joint, double q, double v) {
    m.q_of(joint) = q;
    m.state.v[m.coordinate(joint)] = v;
  };
  for (const char* side : {"left_", "right_"}) {
    set((std::string(side) + "inner_joint").c_str(), x, rate);
    set((std::string(side) + "outer_joint").c_str(), 0.8 * x + 0.35 * x * x, (0.8 + 0.7 * x) * rate);
  }
  m.tau[m.coordinate("left_inner_joint")] = 0.05;
  m.accelerate();
  const double inner = m.vdot_of("left_inner_joint");
  EXPECT_NEAR(m.vdot_of("right_inner_joint"), inner, 1e-9);
  for (const char* joint : {"left_outer_joint", "right_outer_joint"})
    EXPECT_NEAR(m.vdot_of(joint), (0.8 + 0.7 * x) * inner + 0.7 * rate * rate, 1e-9);
}

// The biped in free fall: rods do no work, and the leaf springs have no load at zero.
TEST(LinkageBiped, FallsAsItStands) {
  Mechanism m("@linkage_biped");
  m.accelerate();
  for (std::size_t k = 0; k < m.vdot.size(); ++k) EXPECT_NEAR(m.vdot[k], k == 5 ? -g : 0, 1e-10) << k;
}

}  // namespace
}  // namespace linchpin
