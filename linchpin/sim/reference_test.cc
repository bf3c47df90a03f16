// Motions against independent references: closed forms, and tables computed from the equations of motion in extended
// precision, not by an engine. Each agrees to the digits printed in its table.
#include <numbers>

#include "linchpin/sim/testing.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {
namespace {

constexpr double pi = std::numbers::pi;

// A run that stops at given times.
class Watched {
 public:
  Watched(const Model& model, State start) : state(std::move(start)), model_(model) {}
  // Steps to `time` exactly.
  void run_to(double time) { state = advanced(model_, std::move(state), tight(time - state.time), 1); }
  State state;

 private:
  const Model& model_;
};

// Half a unit of the last digit printed, plus the error that dormand_prince accumulates at 1e-14 per substep in a few
// thousand substeps of a motion that does not amplify errors.
double printed(double value, int digits) {
  return 0.5 * std::pow(10, std::floor(std::log10(std::abs(value))) + 1 - digits) + 1e-12;
}

// ---- simple pendulum ------------------------------------------------------------------------------------------------

// A mass of 1 kg on 1 m, released at rest at the height of the pivot. IFToMM benchmark A01; sin(theta/2) = k sn(K -
// wt).
TEST(Reference, SimplePendulum) {
  const struct {
    double t, x, z, theta, rate;
  } rows[] = {{0.5, -0.391048791551, -0.920369948785, 0.401770849808, -4.24943036126},
              {1, 0.986291751132, -0.165010853126, -1.40502731152, -1.79930901691},
              {2, -0.793566195343, -0.608483930444, 0.916647589663, 3.45520689906},
              {5, -0.942305435044, -0.334754338414, 1.22945181149, -2.56278756819},
              {10, -0.275087462576, -0.961419205099, 0.27868067357, -4.34316069286}};
  const Model model = model_of("@simple_pendulum");
  State start = make_state(model);
  start.q = {-pi / 2};  // the hinge turns about -y: theta = -q, x = sin q
  Watched run(model, start);
  for (const auto& row : rows) {
    run.run_to(row.t);
    const double q = run.state.q[0], v = run.state.v[0];
    EXPECT_NEAR(std::sin(q), row.x, printed(row.x, 12)) << row.t;
    EXPECT_NEAR(-std::cos(q), row.z, printed(row.z, 12)) << row.t;
    EXPECT_NEAR(-q, row.theta, printed(row.theta, 12)) << row.t;
    EXPECT_NEAR(-v, row.rate, printed(row.rate, 12)) << row.t;
  }
}

// T = 4 sqrt(L/g) K(1/2): after a period it is back at its start and at rest.
TEST(Reference, PendulumPeriod) {
  const Model model = model_of("@simple_pendulum");
  State start = make_state(model);
  start.q = {-pi / 2};
  const State back = advanced(model, start, tight(2.3678419475762), 1);
  EXPECT_NEAR(back.q[0], start.q[0], 1e-12);
  EXPECT_NEAR(back.v[0], 0, 1e-12 * 9.81 * 5);  // 13 digits behind the point: 5e-14 s at 9.81 rad/s^2, and round-off
  // A uniform rod from the same height.
  const Model rod = model_of("@planar_chain:links=1");
  const State rod_back = advanced(rod, start, tight(1.933334854373), 1);
  EXPECT_NEAR(rod_back.v[0], 0, 1e-11);
}

// ---- double pendulum ------------------------------------------------------------------------------------------------

struct DoublePendulumRow {
  double t, theta1, theta2, rate1, rate2;
};

// Chaotic, but only later: until 5 s a small difference grows by factors of 10 and 155 in these two runs (measured), so
// an error of 1e-14 per substep is still within the thirteen digits printed. At 10 s it would not be.
void expect_double_pendulum(const std::string& text, std::span<const DoublePendulumRow> rows) {
  const Model model = model_of(text);
  State start = make_state(model);
  start.q = {-pi / 2, 0};  // the second angle is relative to the first link
  Watched run(model, start);
  for (const DoublePendulumRow& row : rows) {
    run.run_to(row.t);
    const std::vector<double>&q = run.state.q, &v = run.state.v;
    EXPECT_NEAR(-q[0], row.theta1, printed(row.theta1, 13)) << text << " " << row.t;
    EXPECT_NEAR(-(q[0] + q[1]), row.theta2, printed(row.theta2, 13)) << text << " " << row.t;
    EXPECT_NEAR(-v[0], row.rate1, printed(row.rate1, 13)) << text << " " << row.t;
    EXPECT_NEAR(-(v[0] + v[1]), row.rate2, printed(row.rate2, 13)) << text << " " << row.t;
  }
}

TEST(Reference, DoublePendulumOfPointMasses) {
  expect_double_pendulum(
      "@double_pendulum:rods=0",
      std::vector<DoublePendulumRow>{{0.5, 0.570472051233, 1.203875111158, -2.789645766167, -3.188062746651},
                                     {1.0, -0.6250876998064, -1.03458508568, -3.922279572888, -1.303099248696},
                                     {2.0, -0.4829715342518, -1.324048712302, 3.065288192073, 2.949271547572},
                                     {3.0, 1.785795522077, 1.118107461205, 0.3279806195145, -0.5044551039453},
                                     {5.0, -0.6271867050665, -1.30131555021, 2.125408673843, 3.881888727266}});
}

TEST(Reference, DoublePendulumOfRods) {
  expect_double_pendulum(
      "@double_pendulum:rods=1",
      std::vector<DoublePendulumRow>{{0.5, 0.448142625932, 1.041962887304, -2.414308312648, -5.949104936118},
                                     {1.0, -1.207716238191, -0.8143910230913, -3.406517532972, -0.5160454721052},
                                     {2.0, -0.08275830682057, 0.4073620749119, -0.961145444546, 11.89895505305},
                                     {3.0, 1.025086012289, 0.495734647627, -4.593357105475, 1.184320880614},
                                     {5.0, 1.138543796672, 1.24437992775, 4.910950024004, -5.424710593159}});
}

// ---- Lagrange's top -------------------------------------------------------------------------------------------------

// R = Rz(phi) Rx(theta) Rz(psi)
struct EulerAngles {
  double phi, theta, psi, theta_rate;
};
EulerAngles euler_angles(const State& s) {
  const Mat3<double> R = to_rotation(Quaternion<double>{s.q[0], s.q[1], s.q[2], s.q[3]});
  const double psi = std::atan2(R.x.z, R.y.z);
  return {std::atan2(R.z.x, -R.z.y), std::atan2(std::hypot(R.x.z, R.y.z), R.z.z), psi,
          s.v[0] * std::cos(psi) - s.v[1] * std::sin(psi)};
}
// The difference of two angles modulo 2 pi.
double angle_between(double a, double b) { return std::remainder(a - b, 2 * pi); }

State top_start(const Model& model, double theta, double precession, double spin) {
  State s = make_state(model);
  s.q = {std::cos(theta / 2), std::sin(theta / 2), 0, 0};
  s.v = {0, precession * std::sin(theta), spin};
  return s;
}

// I1 Om^2 cos th - I3 w3 Om + m g l = 0: two rates of steady precession at a slope of 60 degrees.
TEST(Reference, TopInSteadyPrecession) {
  const Model model = model_of("@top");
  for (const double rate : {1.066269855329, 12.267063478}) {
    Watched run(model, top_start(model, pi / 3, rate, 20));
    for (const double t : {0.1, 0.5, 1.0, 2.0}) {
      run.run_to(t);
      const EulerAngles e = euler_angles(run.state);
      // The rates are given to 12 and 11 digits: an error of 5e-13 and 5e-10 in them makes the axis nod by as much.
      const double tolerance = rate < 2 ? 5e-12 : 5e-9;
      EXPECT_NEAR(e.theta, pi / 3, tolerance) << rate << " " << t;
      EXPECT_NEAR(angle_between(e.phi, rate * t), 0, tolerance) << rate << " " << t;
      EXPECT_NEAR(run.state.v[2], 20, 1e-11) << rate << " " << t;
    }
  }
}

TEST(Reference, TopReleasedWithItsAxisAtRest) {
  const struct {
    double t, theta, theta_rate, phi, psi;
  } rows[] = {{0.25, 1.19076200079, 0.910877205623, 0.0937294213531, 4.96052189761},
              {0.5, 1.34817859941, 0.0981035578755, 0.490980775559, 9.85277246686},
              {1.0, 1.0507309014, -0.198774790514, 1.05103181604, 19.6904235919},
              {2.0, 1.06115051084, -0.387427967852, 2.10017146471, 39.3817759933},
              {5.0, 1.12700319717, -0.807478104106, 5.22039400429, 98.4679530704}};
  const Model model = model_of("@top");
  Watched run(model, top_start(model, pi / 3, 0, 20));
  for (const auto& row : rows) {
    run.run_to(row.t);
    const EulerAngles e = euler_angles(run.state);
    // At 20 rad/s the top turns by 100 rad in all: an error of 1e-14 per substep becomes larger here.
    const double gathered = 1e-12 * row.t;
    EXPECT_NEAR(e.theta, row.theta, printed(row.theta, 12) + gathered) << row.t;
    EXPECT_NEAR(e.theta_rate, row.theta_rate, printed(row.theta_rate, 12) + gathered) << row.t;
    EXPECT_NEAR(angle_between(e.phi, row.phi), 0, printed(row.phi, 12) + gathered) << row.t;
    EXPECT_NEAR(angle_between(e.psi, row.psi), 0, printed(row.psi, 12) + gathered) << row.t;
  }
}

// Half a nutation after a cusp the axis is at its lowest, c = cos theta. There it turns about the vertical with
// I1 rate sin^2 theta = I3 w3 (c0 - c), as its momentum about the vertical says, and I1 rate^2 sin^2 theta / 2 =
// m g l (c0 - c), as its energy does: c^2 - 2 lam c + 2 lam c0 - 1 = 0 with lam = (I3 w3)^2 / (4 I1 m g l).
TEST(Reference, TopAtTheBottomOfItsNutation) {
  const Model model = model_of("@top");
  const State lowest = advanced(model, top_start(model, pi / 3, 0, 20), tight(0.51769933894), 1);
  const double lam = 100 / (4 * 1.5 * 9.81), c = lam - std::sqrt(lam * lam - lam + 1);
  EXPECT_NEAR(std::cos(euler_angles(lowest).theta), c, 1e-12);
  EXPECT_NEAR(euler_angles(lowest).theta_rate, 0, 1e-10);  // 5e-12 s at some 10 rad/s^2
}

// ---- free bodies ----------------------------------------------------------------------------------------------------

// Moments (1, 2, 3), spun about the middle axis: Jacobi's elliptic functions.
TEST(Reference, IntermediateAxis) {
  const struct {
    double t;
    double w[3], q[4];
  } rows[] = {
      {1.0,
       {0.011713459529, 0.99998139726, -0.003521606363},
       {0.87757026188, 0.0049203659576, 0.47942197776, -0.00089033961515}},
      {5.0,
       {0.089780601692, 0.99601176879, -0.051512317104},
       {-0.80047966101, -0.016044077552, 0.5978652179, -0.039141807556}},
      {10.0,
       {0.97678261634, 0.21446612884, -0.56391615204},
       {0.22266267678, -0.14833059724, -0.74684555637, 0.60880299049}},
      {20.0,
       {0.010964160605, -0.99998989354, -0.002595689875},
       {-0.0016724425725, -0.9986537762, -0.00034164411292, 0.051843239622}},
      {50.0,
       {0.60457565879, 0.79661049001, -0.3490041677},
       {-0.36240760942, 0.044225379343, 0.87598142145, -0.31521641729}},
  };
  const Model model = model_of("@free_body");
  State start = make_state(model);
  start.v = {0.01, 1, 0, 0, 0, 0};
  Watched run(model, start);
  for (const auto& row : rows) {
    run.run_to(row.t);
    const std::vector<double>&q = run.state.q, &v = run.state.v;
    const double sign = q[0] * row.q[0] + q[1] * row.q[1] + q[2] * row.q[2] + q[3] * row.q[3] < 0 ? -1 : 1;
    // About the middle axis errors grow as exp(0.577 t) until the body flips, every 21 s: by 165 until 10 s. At 50 s
    // runs with different substeps differed by up to 5e-11 by round-off. (The last row of the table differs by 1.3e-11
    // from the closed form below.)
    const double grown = row.t < 50 ? 1e-12 : 1e-10;
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(v[k], row.w[k], printed(row.w[k], 11) + grown) << row.t;
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(q[k], sign * row.q[k], printed(row.q[k], 11) + grown) << row.t;
  }
  const double closed_form[] = {0.6045756588033829, 0.7966104900027714, -0.3490041677007809};  // dn, sn, cn at 50 s
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(run.state.v[k], closed_form[k], 1e-10);
  // After a whole period w2 has its initial sign.
  const State period = advanced(model, start, tight(41.5092195293), 1);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(period.v[k], start.v[k], 1e-10);
}

// Moments (1, 1, 2): in the body, w turns about z at (I3 - I1)/I1 w3 = 1 rad/s.
TEST(Reference, SymmetricBodyPrecesses) {
  const Model model = model_of("@free_body:symmetric=1");
  State start = make_state(model);
  start.v = {0.1, 0, 1, 0, 0, 0};
  Watched run(model, start);
  for (const double t : {1.0, 2.0, 10.0, 50.0}) {
    run.run_to(t);
    EXPECT_NEAR(run.state.v[0], 0.1 * std::cos(t), 1e-12) << t;
    EXPECT_NEAR(run.state.v[1], 0.1 * std::sin(t), 1e-12) << t;
    EXPECT_NEAR(run.state.v[2], 1, 1e-12) << t;
  }
}

}  // namespace
}  // namespace linchpin
