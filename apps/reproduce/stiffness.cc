// smooth/stiffness: 003 section 7, formulation stiffness.
//
// Several eliminations of one matrix give the same accelerations, but with finite precision they are not equally good.
// With a light body 2 that carries a heavy body 1, both the composite and the articulated method must find the small
// pivot D of the light joint as the difference of large numbers, as far as the joint's axis lies in the null space of
// the inertia that the heavy body adds,
//     Itilde = I_1 - I_1 S_1 (S_1' I_1 S_1)^-1 S_1' I_1,   null vector S_1,                                 (1)
//     D = S_2' (I_2 + Itilde) S_2.                                                                          (2)
// So a ratio of masses alone does no harm: S_2 must be near S_1, that is, both joints turn about (nearly) the same
// line. Examples are a wrist in its singular position and a rotor in a light cage.
//
// Three mechanisms of ten links, light and heavy in turn:
//   turned         @heavy_light, every axis in a direction of its own
//   in line        each light link and the heavy one it carries turn about one line, which is z of both bodies
//   in line askew  the same with the line along (1, 2, 3) of both bodies: no entry of Itilde is small
// The frames of the last two differ by whole quarter turns, so that they are the same mechanism in every precision.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "apps/reproduce/quad_chain.h"
#include "apps/reproduce/reproduction.h"
#include "linchpin/base/larger.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/articulated_factor.h"
#include "linchpin/dynamics/tree/augmented.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/rnea.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

using Numbers = std::vector<double>;

// ---- mechanisms -----------------------------------------------------------------------------------------------------

constexpr int links = 10;

ModelSpec in_line(double ratio, const Vec3<double>& axis) {
  ModelSpec spec;
  spec.name = "in_line";
  std::string before = "world";
  for (int k = 1; k <= links; ++k) {
    const bool light = k % 2 == 1;
    const double m = light ? 1 : ratio;
    BodySpec body{.name = "link_" + std::to_string(k), .inertia = {}, .geometry = {}};
    body.inertia.mass = m;
    body.inertia.centre = light ? Vec3<double>{0.05, -0.03, 0.02} : Vec3<double>{0.2, 0.1, -0.3};
    body.inertia.moments = {0.02 * m, 0.05 * m, 0.04 * m, 0.005 * m, -0.003 * m, 0.004 * m};
    JointSpec joint;
    joint.name = "hinge_" + std::to_string(k);
    joint.parent = before;
    joint.child = body.name;
    joint.axis = axis;
    // The heavy link sits in the light one; the next light one hangs aside, its axes x, y, z along our y, z, x.
    if (light && k > 1) joint.X_PF = {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {0.1, 0.4, -0.6}};
    before = body.name;
    spec.joints.push_back(std::move(joint));
    spec.bodies.push_back(std::move(body));
  }
  return spec;
}

struct Mechanism {
  std::string name, what;
  std::function<ModelSpec(double ratio)> spec;
};
const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> all{
      {"turned", "@heavy_light: every axis in a direction of its own",
       [](double ratio) { return scene(fmt::format("@heavy_light:ratio={},links={}", ratio, links)).value(); }},
      {"in line", "each light link and the heavy one it carries turn about one line, z of both bodies",
       [](double ratio) {
         return in_line(ratio, {0, 0, 1});
       }},
      {"in line askew",
       "each light link and the heavy one it carries turn about one line, along (1, 2, 3) of both bodies",
       [](double ratio) {
         return in_line(ratio, {1, 2, 3});
       }}};
  return all;
}

// ---- methods --------------------------------------------------------------------------------------------------------

enum Algorithm { crbm, abm, modified_abm, our_aba, our_crba, our_factors, extended, method_count };
constexpr const char* method_names[] = {
    "CRBM", "ABM", "modified ABM", "linchpin aba", "linchpin crba", "linchpin factor", "ABM long double"};

// Every method on one model, all with tau = 0.
class Evaluators {
 public:
  explicit Evaluators(const Model& model)
      : model_(model),
        plan_(model),
        layout_(model),
        aba_(plan_),
        rnea_(plan_),
        crba_(plan_, layout_),
        M_(layout_),
        factors_(plan_),
        solve_(plan_),
        zero_(model.nv(), 0),
        x_(zero_) {}

  Numbers operator()(Algorithm method, std::span<const double> q, std::span<const double> v) {
    switch (method) {
      case crbm:
        return AugmentedTree<double>(model_, q, v).by_composite(zero_);
      case abm:
        return AugmentedTree<double>(model_, q, v).by_articulated(zero_, Pivot::plain);
      case modified_abm:
        return AugmentedTree<double>(model_, q, v).by_articulated(zero_, Pivot::split);
      case our_aba:
        aba<double>(plan_, q, v, zero_, {}, aba_, x_);
        return x_;
      case our_crba:
        minus_bias(q, v);
        crba<double>(plan_, layout_, q, crba_, M_);
        factor<double>(layout_, M_);
        solve<double>(layout_, M_, x_);
        return x_;
      case our_factors:
        minus_bias(q, v);
        factor<double>(plan_, q, factors_);
        solve<double>(plan_, factors_, solve_, x_);
        return x_;
      case extended: {
        const std::vector<long double> x = in_extended(q, v);
        return Numbers(x.begin(), x.end());
      }
      default:
        fail_check("no such method: ", int(method));
    }
  }
  std::vector<long double> in_extended(std::span<const double> q, std::span<const double> v) const {
    const std::vector<long double> tau(zero_.size(), 0);
    return AugmentedTree<long double>(model_, q, v).by_articulated(tau, Pivot::split);
  }

 private:
  void minus_bias(std::span<const double> q, std::span<const double> v) {
    rnea<double>(plan_, q, v, zero_, {}, rnea_, x_);
    for (double& x : x_) x = -x;
  }
  const Model& model_;
  Plan<double> plan_;
  MassMatrixLayout layout_;
  AbaWorkspace<double> aba_;
  RneaWorkspace<double> rnea_;
  CrbaWorkspace<double> crba_;
  MassMatrix<double> M_;
  ArticulatedFactor<double> factors_;
  SolveWorkspace<double> solve_;
  Numbers zero_, x_;
};

// Largest difference relative to the largest exact number.
template <class Real>
double relative_error(const std::vector<Real>& x, const std::vector<long double>& exact) {
  long double most = 0, far = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double d = std::abs(static_cast<long double>(x[i]) - exact[i]);
    if (std::isnan(d)) return std::numeric_limits<double>::quiet_NaN();
    most = std::max(most, std::abs(exact[i]));
    far = std::max(far, d);
  }
  return static_cast<double>(far / most);
}

// ---- accuracy -------------------------------------------------------------------------------------------------------

struct Spread {
  double median = 0, largest = 0;
};
Spread spread_of(Numbers errors) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (std::ranges::any_of(errors, [](double e) { return std::isnan(e); })) return {nan, nan};  // sorting loses it
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() / 2], errors.back()};
}

struct Accuracy {
  double ratio = 1;
  double condition = 0;  // of the mass matrix, median
  Spread error[method_count];
  double reference = 0;  // largest difference between the two methods in 113 bits
};

Accuracy accuracy_of(const Mechanism& mechanism, double ratio, int states) {
  const Model model = compile(mechanism.spec(ratio)).value();
  Evaluators evaluate(model);
  Accuracy result{.ratio = ratio, .condition = 0, .error = {}, .reference = 0};
  std::vector<Numbers> errors(method_count);
  Numbers condition;
  for (int seed = 1; seed <= states; ++seed) {
    const State state = random_state(model, std::uint64_t(seed));
    const auto exact = quad_chain_dynamics(model, state.q, state.v, QuadMethod::articulated);
    if (seed <= 10) {
      const auto witness = quad_chain_dynamics(model, state.q, state.v, QuadMethod::composite);
      result.reference = larger(result.reference, relative_error(witness, exact));
      condition.push_back(double(AugmentedTree<long double>(model, state.q, state.v).condition_number()));
    }
    for (int m = 0; m < method_count; ++m)
      errors[m].push_back(m == extended ? relative_error(evaluate.in_extended(state.q, state.v), exact)
                                        : relative_error(evaluate(Algorithm(m), state.q, state.v), exact));
  }
  result.condition = spread_of(condition).median;
  for (int m = 0; m < method_count; ++m) result.error[m] = spread_of(errors[m]);
  return result;
}

// Growth of the errors: the slope of log(error) over log(ratio), from 1e2 on, where it exceeds the noise.
double growth(const std::vector<Accuracy>& sweep, Algorithm method) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Accuracy& a : sweep) {
    if (a.ratio < 50) continue;
    const double lx = std::log10(a.ratio), ly = std::log10(a.error[method].median);
    n += 1;
    x += lx;
    y += ly;
    xx += lx * lx;
    xy += lx * ly;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

// The median over the ratios of a's error divided by b's.
double times_larger(const std::vector<Accuracy>& sweep, Algorithm a, Algorithm b) {
  Numbers quotients;
  for (const Accuracy& s : sweep) quotients.push_back(s.error[a].median / s.error[b].median);
  return spread_of(quotients).median;
}

// ---- an adaptive integrator on top ----------------------------------------------------------------------------------

using Field = std::function<Numbers(std::span<const double> q, std::span<const double> v)>;

struct Integration {
  int accepted = 0, rejected = 0;
  double reached = 0;  // s
  bool failed = false;
  Numbers end;  // q and v
};

struct IntegrationOptions {
  double time = 0.5;         // s
  double tolerance = 1e-10;  // absolute and relative, of every coordinate and velocity
  int most = 2000;           // steps tried; more than this counts as failure
};

// Dormand and Prince 1980, order 5(4), with the usual step control (Hairer, Norsett and Wanner 1993, s.II.4). Plain
// coordinates: all joints are revolute.
Integration integrate_adaptively(const Field& acceleration, const State& start, const IntegrationOptions& options) {
  static constexpr double a[7][6] = {{},
                                     {1. / 5},
                                     {3. / 40, 9. / 40},
                                     {44. / 45, -56. / 15, 32. / 9},
                                     {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                     {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                                     {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
  static constexpr double e[7] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
  const std::size_t n = start.q.size();
  const auto rate = [&](const Numbers& y) {
    const std::span<const double> q(y.data(), n), v(y.data() + n, n);
    Numbers f(v.begin(), v.end());
    const Numbers vdot = acceleration(q, v);
    f.insert(f.end(), vdot.begin(), vdot.end());
    return f;
  };
  Numbers y = start.q;
  y.insert(y.end(), start.v.begin(), start.v.end());
  Integration run;
  std::vector<Numbers> k(7);
  k[0] = rate(y);
  double h = 1e-3;
  const double smallest = 1e-12 * options.time;
  while (run.reached < options.time && !run.failed) {
    h = std::min(h, options.time - run.reached);
    Numbers next;
    for (std::size_t s = 1; s < 7; ++s) {
      next = y;
      for (std::size_t i = 0; i < 2 * n; ++i)
        for (std::size_t j = 0; j < s; ++j) next[i] += h * a[s][j] * k[j][i];
      k[s] = rate(next);
    }
    double sum = 0;
    for (std::size_t i = 0; i < 2 * n; ++i) {
      double error = 0;
      for (std::size_t s = 0; s < 7; ++s) error += h * e[s] * k[s][i];
      const double scale = options.tolerance * (1 + std::max(std::abs(y[i]), std::abs(next[i])));
      sum += (error / scale) * (error / scale);
    }
    const double error = std::sqrt(sum / static_cast<double>(2 * n));
    const bool good = error <= 1;  // not so for NaN
    if (good) {
      run.reached = h == options.time - run.reached ? options.time : run.reached + h;
      y = next;
      k[0] = k[6];
      ++run.accepted;
    } else {
      ++run.rejected;
    }
    h *= std::isfinite(error) ? std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, 5.0) : 0.2;
    run.failed = run.accepted + run.rejected >= options.most || h < smallest;
    if (run.reached >= options.time) run.failed = false;
  }
  run.end = y;
  return run;
}

// ---- the account ----------------------------------------------------------------------------------------------------

struct Integrations {
  double ratio = 1;
  Integration exact;
  std::vector<Integration> by;  // one for each of integrated()
};
// The first methods of the enum, in its order, so that an Algorithm is the index of its run.
const std::vector<Algorithm>& integrated() {
  static const std::vector<Algorithm> all{crbm, abm, modified_abm, our_aba, our_crba, our_factors};
  return all;
}

std::string power(double ratio) { return fmt::format("1e{}", std::lround(std::log10(ratio))); }

Table error_table(const Mechanism& mechanism, const std::vector<Accuracy>& sweep, double Spread::*which,
                  const std::string& of) {
  Table table{fmt::format("{}: relative error of the accelerations, {} of the states", mechanism.name, of), "", {}};
  table.columns = {"ratio", "cond(M)"};
  for (const char* name : method_names) table.columns.emplace_back(name);
  for (const Accuracy& a : sweep) {
    std::vector<std::string> row{power(a.ratio), fmt::format("{:.0e}", a.condition)};
    for (const Spread& s : a.error) row.push_back(fmt::format("{:.1e}", s.*which));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Plot error_plot(const Mechanism& mechanism, const std::vector<Accuracy>& sweep) {
  Plot plot{.title = mechanism.name + ": error of the accelerations",
            .x_label = "heavy mass over light mass",
            .y_label = "relative error, median",
            .log_x = true,
            .log_y = true,
            .note = mechanism.what};
  for (const Algorithm m : integrated()) {
    Series series{method_names[m]};
    for (const Accuracy& a : sweep) series.points.emplace_back(a.ratio, a.error[m].median);
    plot.series.push_back(std::move(series));
  }
  return plot;
}

int tries(const Integration& run) { return run.accepted + run.rejected; }

std::string steps_of(const Integration& run) {
  return run.failed ? fmt::format("stuck {:.1e} s", run.reached) : fmt::format("{} + {}", run.accepted, run.rejected);
}

Table step_table(const std::vector<Integrations>& all, const IntegrationOptions& options) {
  Table table{
      fmt::format("in line askew: Dormand-Prince steps taken + rejected for {:g} s at tolerance {:g}, or how far "
                  "{} steps led",
                  options.time, options.tolerance, options.most),
      "",
      {"ratio", "exact"}};
  for (const Algorithm m : integrated()) table.columns.emplace_back(method_names[m]);
  for (const Integrations& at : all) {
    std::vector<std::string> row{power(at.ratio), steps_of(at.exact)};
    for (const Integration& run : at.by) row.push_back(steps_of(run));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Plot step_plot(const std::vector<Integrations>& all, const IntegrationOptions& options) {
  Plot plot{
      .title = "in line askew: steps tried by an adaptive integrator",
      .x_label = "heavy mass over light mass",
      .y_label = "steps, taken and rejected",
      .log_x = true,
      .log_y = true,
      .note = fmt::format("Dormand-Prince over {:g} s at tolerance {:g}. At {} steps a run is given up: these points "
                          "are runs that never arrived.",
                          options.time, options.tolerance, options.most)};
  for (std::size_t i = 0; i < integrated().size(); ++i) {
    Series series{method_names[integrated()[i]]};
    for (const Integrations& at : all) series.points.emplace_back(at.ratio, tries(at.by[i]));
    plot.series.push_back(std::move(series));
  }
  return plot;
}

// Everything measured.
struct Study {
  int states = 200;  // random ones, for each ratio
  IntegrationOptions integration;
  std::vector<std::vector<Accuracy>> sweeps;  // one for each of mechanisms(), over the ratios
  std::vector<Integrations> runs;             // in line askew, over the ratios
};

// Nothing if it was stopped.
std::optional<Study> carry_out(const ReproduceOptions& options, const ReproduceProgress& progress) {
  const int every = options.quick ? 3 : 1;  // decades
  Study study;
  if (options.quick) {
    study.states = 25;
    study.integration.most = 600;
  }
  for (std::size_t i = 0; i < mechanisms().size(); ++i) {
    study.sweeps.emplace_back();
    for (int decade = 0; decade <= 12; decade += every) {
      if (!progress(0.6 * (double(i) + decade / 13.0) / double(mechanisms().size()),
                    fmt::format("{}, ratio 1e{}", mechanisms()[i].name, decade)))
        return {};
      study.sweeps.back().push_back(accuracy_of(mechanisms()[i], std::pow(10.0, decade), study.states));
    }
  }
  for (int decade = 0; decade <= 12; decade += every) {
    const Model model = compile(mechanisms()[2].spec(std::pow(10.0, decade))).value();
    Evaluators evaluate(model);
    const State start = random_state(model, 1);
    Integrations at{std::pow(10.0, decade), {}, {}};
    at.exact = integrate_adaptively(
        [&](std::span<const double> q, std::span<const double> v) {
          const auto x = quad_chain_dynamics(model, q, v, QuadMethod::articulated);
          return Numbers(x.begin(), x.end());
        },
        start, study.integration);
    for (const Algorithm m : integrated()) {
      if (!progress(0.6 + 0.4 * (decade + static_cast<int>(m) / double(method_count)) / 13.0,
                    fmt::format("integrating by {}, ratio 1e{}", method_names[m], decade)))
        return {};
      at.by.push_back(
          integrate_adaptively([&](std::span<const double> q, std::span<const double> v) { return evaluate(m, q, v); },
                               start, study.integration));
    }
    study.runs.push_back(std::move(at));
  }
  return study;
}

std::vector<Item> account_of(const Study& study) {
  const std::vector<Accuracy>& askew = study.sweeps[2];
  double reference = 1e-19;  // long double tells no smaller differences
  for (const auto& sweep : study.sweeps)
    for (const Accuracy& a : sweep) reference = larger(reference, a.reference);
  const auto overtaken = std::find_if(
      askew.begin(), askew.end(), [](const Accuracy& a) { return a.error[extended].median > a.error[our_aba].median; });

  std::vector<Item> account;
  account.push_back(Paragraph{fmt::format(
      "Chains of {} links, light (1 kg) and heavy (ratio kg) in turn, at {} random states for each ratio, no joint "
      "forces. Errors are the largest difference of any joint acceleration from the exact one, as a part of the "
      "largest acceleration. CRBM, ABM and modified ABM are the plainest forms of 003 s.4, s.5 and s.7, in the bodies' "
      "own frames with dense 6x6 blocks. linchpin aba is the product's forward dynamics in frames whose z lies along "
      "the joint; linchpin crba its mass matrix, sparse factors and one solve; linchpin factor its articulated "
      "inertias, factored once, and one solve with the bias forces.",
      links, study.states)});
  account.push_back(Paragraph{fmt::format(
      "Exact means 113 bits: there, an articulated and a composite method written apart from the library agree within "
      "{:.0e} at every ratio. The 64 bits of long double (last column: modified ABM) would not do for a reference: on "
      "the mechanisms in line they lose digits as the others do{}.",
      reference,
      overtaken == askew.end()
          ? std::string()
          : fmt::format(", and from {} on are worse than linchpin's 53 bits", power(overtaken->ratio)))});
  for (std::size_t i = 0; i < mechanisms().size(); ++i) {
    account.push_back(Heading{mechanisms()[i].name + ": " + mechanisms()[i].what});
    account.push_back(error_plot(mechanisms()[i], study.sweeps[i]));
    account.push_back(error_table(mechanisms()[i], study.sweeps[i], &Spread::median, "median"));
    account.push_back(error_table(mechanisms()[i], study.sweeps[i], &Spread::largest, "largest"));
  }
  account.push_back(Heading{"Why splitting the pivot does not help, and what does"});
  account.push_back(Paragraph{
      "Itilde is itself a difference, I_1 - U U' / D: along its null vector it holds not zero but rounding of the size "
      "of the heavy inertia, and adding S' I_2 S to that afterwards instead of before saves none of the digits lost. "
      "The same holds for the bias force, which is why linchpin's own factor and solve, with the bias computed apart, "
      "lose digits too. In frames with z along the joint, the row and column of Itilde that belong to the joint are "
      "zero by construction and are never computed; turning about z and sliding along it keep them zero, and the pivot "
      "is one entry of a matrix. That is linchpin's aba, whose errors do not depend on the ratio."});
  account.push_back(Heading{"What it does to an adaptive integrator"});
  account.push_back(step_plot(study.runs, study.integration));
  account.push_back(step_table(study.runs, study.integration));
  return account;
}

std::vector<Claim> claims_on_accuracy(const Study& study) {
  const std::vector<Accuracy>&turned = study.sweeps[0], &straight = study.sweeps[1], &askew = study.sweeps[2];
  const auto first = [](const std::vector<Accuracy>& sweep, Algorithm m) { return sweep.front().error[m].median; };
  const auto last = [](const std::vector<Accuracy>& sweep, Algorithm m) { return sweep.back().error[m].median; };
  const double factors[] = {times_larger(turned, crbm, abm), times_larger(straight, crbm, abm),
                            times_larger(askew, crbm, abm)};
  const double least = smaller(factors[0], smaller(factors[1], factors[2]));
  const double most = larger(factors[0], larger(factors[1], factors[2]));
  const double split_askew = times_larger(askew, modified_abm, abm);
  const double split_straight = times_larger(straight, modified_abm, abm);
  const bool gain = smaller(split_askew, split_straight) < 0.9;
  return {
      {"for some arms the composite method loses digits severely by cancellation",
       "severe cancellation errors; no figures",
       fmt::format("in line askew: error {:.1e} at ratio 1, {:.1e} at 1e12, growing as ratio^{:.2f}",
                   first(askew, crbm), last(askew, crbm), growth(askew, crbm)),
       last(askew, crbm) > 1e6 * first(askew, crbm)},
      {"the articulated method is better behaved than the composite one", "typically does better; no figures",
       fmt::format("error smaller by a factor of {:.1f} to {:.1f} (medians over the ratios, three mechanisms)", least,
                   most),
       least > 1},
      {"the articulated method can show similar difficulties", "can also exhibit similar difficulties",
       fmt::format("in line askew: error grows as ratio^{:.2f}, in line as ratio^{:.2f}", growth(askew, abm),
                   growth(straight, abm)),
       larger(growth(askew, abm), growth(straight, abm)) > 0.5},
      {"the modified articulated method (split pivot) reduces the errors further",
       "further reduces cancellation errors; no figures",
       fmt::format("{}: {:.2f} times the plain error askew, {:.2f} times in line", gain ? "a gain" : "no gain found",
                   split_askew, split_straight),
       gain && larger(split_askew, split_straight) <= 1},
      {"the trouble needs axes in line: a ratio of masses alone does no harm", "implied by the null space of Itilde",
       fmt::format("turned: error of the composite method {:.1e} at ratio 1, {:.1e} at 1e12", first(turned, crbm),
                   last(turned, crbm)),
       last(turned, crbm) < 10 * first(turned, crbm)},
      {"frames with z along the joint keep all digits (linchpin's aba)", "not in the paper",
       fmt::format("in line askew: error {:.1e} at ratio 1, {:.1e} at 1e12", first(askew, our_aba),
                   last(askew, our_aba)),
       larger(last(askew, our_aba), last(straight, our_aba)) < 1e-13},
  };
}

std::vector<Claim> claims_on_integration(const Study& study) {
  const std::vector<Integrations>& runs = study.runs;
  // The smallest ratio at which the composite method costs a fifth more steps per second of motion than exact
  // accelerations do.
  const auto steps_per_second = [](const Integration& run) { return tries(run) / run.reached; };
  const auto slowed = std::find_if(runs.begin(), runs.end(), [&](const Integrations& at) {
    return steps_per_second(at.by[crbm]) > 1.2 * steps_per_second(at.exact);
  });
  const Integrations& hardest = runs.back();
  const auto fate = [&](Algorithm m) {
    return hardest.by[m].failed ? "stuck" : fmt::format("arrives in {} steps", tries(hardest.by[m]));
  };
  return {
      {"these errors slow adaptive integrators down", "can slow down popular adaptive step-size integrators",
       slowed == runs.end()
           ? "CRBM needs as many steps as exact accelerations at every ratio"
           : fmt::format("CRBM at ratio {}: {} steps tried for {:.3g} s; exact accelerations need {} for {:g} s",
                         power(slowed->ratio), tries(slowed->by[crbm]), slowed->by[crbm].reached, tries(slowed->exact),
                         study.integration.time),
       slowed != runs.end()},
      {"they can even make adaptive integrators fail", "or even make them fail",
       fmt::format("at ratio {}: CRBM {}, ABM {}, modified ABM {}, linchpin aba {}", power(hardest.ratio), fate(crbm),
                   fate(abm), fate(modified_abm), fate(our_aba)),
       hardest.by[crbm].failed && !hardest.exact.failed},
  };
}

}  // namespace

Reproduction reproduce_stiffness(const ReproduceOptions& options, const ReproduceProgress& progress) {
  const std::optional<Study> study = carry_out(options, progress);
  if (!study) return {};
  Reproduction result{claims_on_accuracy(*study), account_of(*study)};
  for (Claim& claim : claims_on_integration(*study)) result.claims.push_back(std::move(claim));
  return result;
}

}  // namespace linchpin
