// Suite `dynamics`: what one evaluation costs, by length and kind of mechanism, scalar and packed, beside the peers.
//
// | metric     | what is timed, from q (and v) alone                                                               |
// |------------|---------------------------------------------------------------------------------------------------|
// | aba        | forward dynamics                                                                                  |
// | rnea       | inverse dynamics                                                                                  |
// | crba       | the mass matrix                                                                                   |
// | crba_solve | the mass matrix, its factors, and one solve                                                       |
// | kinematics | the pose of every link                                                                            |
// | agreement  | how far a peer's accelerations are from ours, as a part of the largest; a peer that simulates     |
// |            | another mechanism is not timed                                                                    |
//
// Times are per call and world: a pack of eight worlds that takes 8 us takes 1 us. "Joint" is a degree of freedom.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "bench/suite.h"
#include "bench/timing.h"
#include "linchpin/base/larger.h"
#include "linchpin/dynamics/tree/aba.h"
#include "linchpin/dynamics/tree/kinematics.h"
#include "linchpin/dynamics/tree/mass_matrix.h"
#include "linchpin/dynamics/tree/rnea.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"
#ifdef LINCHPIN_BENCH_PEERS
#include "bench/peers.h"
#endif

namespace linchpin {
namespace {

constexpr const char* suite = "dynamics";
constexpr const char* us = "us";
constexpr const char* per_joint = "ns/joint";
constexpr int largest_mass_matrix = 1000;  // degrees of freedom; a chain's matrix is full
constexpr int largest_quick_mass_matrix = 100;
// Loading 1000 links takes some peers a quarter of a minute.
[[maybe_unused]] constexpr int largest_quick_for_peers = 100;

// The metrics in the order they are shown.
const std::vector<std::string>& metrics() {
  static const std::vector<std::string> all{"aba", "rnea", "crba", "crba_solve", "kinematics"};
  return all;
}

struct Case {
  std::string scene;
  bool quick;  // part of a quick run
};
std::vector<Case> cases() {
  return {{"@chain:links=7", true},   {"@chain:links=12", false},  {"@chain:links=30", true},
          {"@chain:links=100", true}, {"@chain:links=1000", true}, {"@chain:links=100000", false},
          {"@humanoid24", false},     {"@humanoid", true},         {"@quadruped", false},
          {"@dual_arm", false}};
}

// Forces that differ from joint to joint.
std::vector<double> some_forces(int count, int world) {
  std::vector<double> tau;
  for (int i = 0; i < count; ++i) tau.push_back(2 * std::sin(1.7 * (i + 1) + world));
  return tau;
}
State some_state(const Model& model, int world) { return random_state(model, std::uint64_t(1 + world)); }

// linchpin on Lanes<T>::worlds worlds at a time, each in a state of its own; world 0 is the peers'.
template <class T>
class Ours {
 public:
  using Real = typename Plan<T>::Real;
  static constexpr int worlds = Lanes<T>::worlds;

  explicit Ours(const Model& model) : plan_(model), layout_(model), aba_(plan_), rnea_(plan_), kin_(plan_) {
    const std::size_t nq = std::size_t(model.nq()), nv = std::size_t(model.nv()), n = std::size_t(worlds);
    q_.resize(nq * n);
    v_.resize(nv * n);
    tau_.resize(nv * n);
    vdot_.resize(nv * n);
    x_.resize(nv * n);
    force_.resize(nv * n);
    for (int w = 0; w < worlds; ++w) {
      const State state = some_state(model, w);
      const std::vector<double> tau = some_forces(model.nv(), w);
      const auto put = [&](const std::vector<double>& from, std::vector<Real>& to) {
        for (std::size_t i = 0; i < from.size(); ++i) to[i * n + std::size_t(w)] = static_cast<Real>(from[i]);
      };
      put(state.q, q_);
      put(state.v, v_);
      put(tau, tau_);
    }
    if (model.nv() <= largest_mass_matrix) {
      crba_.emplace(plan_, layout_);
      M_.emplace(layout_);
    }
    forward();
  }

  void forward() { aba<T>(plan_, q_, v_, tau_, {}, aba_, vdot_); }
  const std::vector<Real>& accelerations() const { return vdot_; }

  // Empty: no mass matrix for a mechanism of this size.
  Repeated timed(const std::string& metric) {
    if (metric == "aba") return repeated([this] { forward(); });
    if (metric == "rnea") return repeated([this] { rnea<T>(plan_, q_, v_, vdot_, {}, rnea_, force_); });
    if (metric == "kinematics") return repeated([this] { kinematics<T>(plan_, q_, kin_); });
    if (!M_) return {};
    if (metric == "crba") return repeated([this] { crba<T>(plan_, layout_, q_, *crba_, *M_); });
    return repeated([this] {
      crba<T>(plan_, layout_, q_, *crba_, *M_);
      factor<T>(layout_, *M_);
      std::copy(tau_.begin(), tau_.end(), x_.begin());
      solve<T>(layout_, *M_, x_);
    });
  }

 private:
  Plan<T> plan_;
  MassMatrixLayout layout_;
  AbaWorkspace<T> aba_;
  RneaWorkspace<T> rnea_;
  Kinematics<T> kin_;
  std::optional<CrbaWorkspace<T>> crba_;
  std::optional<MassMatrix<T>> M_;
  std::vector<Real> q_, v_, tau_, vdot_, x_, force_;
};

// One who takes part in a comparison.
struct Contender {
  std::string who, scalar;
  int worlds = 1;
  Repeated work;
};

#ifdef LINCHPIN_BENCH_PEERS
double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double number : x) most = larger(most, std::abs(number));
  return most;
}

bool (Peer::*peer_operation(const std::string& metric))() {
  if (metric == "aba") return &Peer::forward_dynamics;
  if (metric == "rnea") return &Peer::inverse_dynamics;
  if (metric == "crba_solve") return &Peer::mass_matrix_and_solve;
  if (metric == "kinematics") return &Peer::kinematics;
  return nullptr;
}
#endif

class Dynamics {
 public:
  Dynamics(const BenchOptions& options, const BenchProgress& progress) : options_(options), progress_(progress) {
    if (options.quick) timing_ = {.sample = 60e-6, .budget = 0.03, .fewest = 3, .most = 100};
  }
  BenchReport run();

 private:
  bool run_case(const Case& c);
  void meet_peers(const ModelSpec& spec, const Model& model, const std::vector<double>& vdot);
  void compare(const std::string& metric, std::vector<Contender>& contenders);
  void skip(const std::string& metric, const std::string& who, const std::string& reason);
  std::optional<double> value(const std::string& scene, const std::string& metric, const std::string& scalar,
                              const std::string& unit) const;
  void add_orientation();
  void add_targets();

  BenchOptions options_;
  BenchProgress progress_;
  TimingOptions timing_;
  BenchReport report_;
  std::string case_;  // the one at hand
  int size_ = 0;
  double fraction_ = 0, fraction_per_metric_ = 0;
#ifdef LINCHPIN_BENCH_PEERS
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<Peer*> present_;  // those that hold the mechanism at hand and agree with us about it
#endif
};

void Dynamics::skip(const std::string& metric, const std::string& who, const std::string& reason) {
  report_.rows.push_back({.suite = suite,
                          .bench_case = case_,
                          .size = size_,
                          .metric = metric,
                          .unit = us,
                          .reason = reason,
                          .who = who,
                          .scalar = who == "linchpin" ? "double" : ""});
}

#ifdef LINCHPIN_BENCH_PEERS
// Loads the mechanism into every peer and keeps those whose accelerations are ours.
void Dynamics::meet_peers(const ModelSpec& spec, const Model& model, const std::vector<double>& vdot) {
  // Engines differ by rounding times the condition of the mass matrix, which grows with the length of a chain; a
  // mechanism misunderstood differs in the first digits.
  constexpr double same_mechanism = 1e-5;
  present_.clear();
  for (const auto& peer : peers_) {
    if (options_.quick && model.nv() > largest_quick_for_peers) {
      skip("agreement", peer->name(),
           "not asked above " + std::to_string(largest_quick_for_peers) + " degrees of freedom in a quick run");
      continue;
    }
    if (const std::optional<Error> error = peer->load(spec, model)) {
      skip("agreement", peer->name(), error->message);
      continue;
    }
    const State state = some_state(model, 0);
    peer->set_state(state.q, state.v, some_forces(model.nv(), 0));
    std::vector<double> theirs(vdot.size());
    peer->set_accelerations(vdot);
    peer->forward_dynamics();
    peer->accelerations(theirs);
    const double scale = largest(vdot);
    double far = 0;
    for (std::size_t i = 0; i < vdot.size(); ++i) {
      const double d = std::abs(theirs[i] - vdot[i]) / scale;
      if (!(d <= far)) far = d;  // NaN is the farthest
    }
    report_.rows.push_back({.suite = suite,
                            .bench_case = case_,
                            .size = size_,
                            .metric = "agreement",
                            .unit = "relative",
                            .value = far,
                            .who = peer->name()});
    if (far <= same_mechanism)
      present_.push_back(peer.get());
    else
      skip("aba", peer->name(), "its accelerations are not ours (see agreement), so it was not timed");
  }
}
#else
void Dynamics::meet_peers(const ModelSpec&, const Model&, const std::vector<double>&) {}
#endif

// Times those who compute one world at a time together, us and the peers, and packs of worlds apart from them: a
// processor lowers its clock for a while after 512-bit arithmetic (by some 6 % here), and whoever took turns with packs
// would be timed at that clock. The order of the answers is the contenders'.
std::vector<Timing> time_in_two_rounds(const std::vector<Contender>& contenders, const TimingOptions& options) {
  std::vector<Timing> timings(contenders.size());
  for (const bool packs : {false, true}) {
    std::vector<Repeated> work;
    std::vector<std::size_t> who;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      if ((contenders[i].worlds > 1) != packs) continue;
      work.push_back(contenders[i].work);
      who.push_back(i);
    }
    const std::vector<Timing> round = time_together(work, options);
    for (std::size_t k = 0; k < who.size(); ++k) timings[who[k]] = round[k];
  }
  return timings;
}

// Times all contenders of one metric and writes their rows.
void Dynamics::compare(const std::string& metric, std::vector<Contender>& contenders) {
  // Tens of megabytes: what neighbours do to the memory we share lasts longer than a few calls, so wait for a quiet
  // moment.
  constexpr int large = 10000;
  TimingOptions timing = timing_;
  if (size_ >= large) timing.budget *= 5;
  const std::vector<Timing> timings = time_in_two_rounds(contenders, timing);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Contender& c = contenders[i];
    BenchRow row{.suite = suite,
                 .bench_case = case_,
                 .size = size_,
                 .metric = metric,
                 .unit = us,
                 .value = 1e6 * timings[i].minimum / c.worlds,
                 .median = 1e6 * timings[i].median / c.worlds,
                 .who = c.who,
                 .scalar = c.scalar};
    if (c.who == "linchpin")
      for (std::size_t k = 0; k < contenders.size(); ++k)
        if (contenders[k].who != "linchpin") row.ratio[contenders[k].who] = 1e6 * timings[k].minimum / *row.value;
    report_.rows.push_back(row);
    row.unit = per_joint;
    *row.value *= 1e3 / size_;
    *row.median *= 1e3 / size_;
    report_.rows.push_back(std::move(row));
  }
}

// False: asked to stop.
bool Dynamics::run_case(const Case& c) {
  case_ = c.scene;
  const double fraction_at_end = fraction_ + fraction_per_metric_ * double(metrics().size());
  if (!progress_(fraction_, case_)) return false;
  const ModelSpec spec = scene(c.scene).value();
  const Model model = compile(spec).value();
  size_ = model.nv();
  Ours<double> one(model);
  Ours<float> one_float(model);
  Ours<Double4> four(model);
  Ours<Double8> eight(model);
  Ours<Float16> sixteen(model);
  meet_peers(spec, model, one.accelerations());
  for (const std::string& metric : metrics()) {
    if (!progress_(fraction_, case_ + " " + metric)) return false;
    fraction_ += fraction_per_metric_;
    std::vector<Contender> contenders{{"linchpin", "double", 1, one.timed(metric)},
                                      {"linchpin", "float", 1, one_float.timed(metric)},
                                      {"linchpin", "4 doubles", 4, four.timed(metric)},
                                      {"linchpin", "8 doubles", 8, eight.timed(metric)},
                                      {"linchpin", "16 floats", 16, sixteen.timed(metric)}};
    const int largest_matrix = options_.quick ? largest_quick_mass_matrix : largest_mass_matrix;
    if (metric.starts_with("crba") && size_ > largest_matrix) {
      skip(metric, "linchpin",
           "no mass matrix above " + std::to_string(largest_matrix) + " degrees of freedom: a chain's is full");
      continue;
    }
#ifdef LINCHPIN_BENCH_PEERS
    for (Peer* peer : present_) {
      const auto operation = peer_operation(metric);
      if (!operation) continue;  // a metric of ours alone
      if ((peer->*operation)())
        contenders.push_back({peer->name(), "", 1, repeated([peer, operation] { (peer->*operation)(); })});
      else
        skip(metric, peer->name(), "has no such call");
    }
#endif
    compare(metric, contenders);
  }
  fraction_ = fraction_at_end;
  return true;
}

std::optional<double> Dynamics::value(const std::string& scene, const std::string& metric, const std::string& scalar,
                                      const std::string& unit) const {
  for (const BenchRow& row : report_.rows)
    if (row.bench_case == scene && row.metric == metric && row.who == "linchpin" && row.scalar == scalar &&
        row.unit == unit)
      return row.value;
  return {};
}

// Pinocchio is not in Debian, so it cannot run beside us.
void Dynamics::add_orientation() {
  struct Published {
    const char *bench_case, *metric;
    double us;
  };
  const Published published[] = {
      {"@chain:links=7", "aba", 1.12},   {"@chain:links=30", "aba", 5.0},   {"@chain:links=100", "aba", 17},
      {"@chain:links=1000", "aba", 171}, {"@humanoid", "aba", 5.7},         {"@quadruped", "aba", 2.6},
      {"@dual_arm", "aba", 4.4},         {"@chain:links=7", "rnea", 0.52},  {"@chain:links=30", "rnea", 2.4},
      {"@chain:links=100", "rnea", 7.5}, {"@chain:links=1000", "rnea", 78}, {"@humanoid", "rnea", 2.4},
      {"@quadruped", "rnea", 1.0},       {"@dual_arm", "rnea", 2.0},        {"@chain:links=7", "crba", 0.33},
      {"@chain:links=30", "crba", 2.7},  {"@chain:links=100", "crba", 13},  {"@chain:links=1000", "crba", 1010},
      {"@humanoid", "crba", 1.8},        {"@quadruped", "crba", 0.7},       {"@dual_arm", "crba", 1.5},
  };
  for (const Published& p : published)
    report_.orientation.push_back({p.bench_case, p.metric, us, "Pinocchio 3.7",
                                   "figures in linchpin's design notes, another machine and mechanisms alike in size; "
                                   "not measured in this run",
                                   p.us});
}

void Dynamics::add_targets() {
  // The worst of those cases that were run.
  const auto worst = [&](const std::vector<std::string>& scenes, const std::string& scalar) {
    std::optional<double> most;
    for (const std::string& name : scenes)
      if (const auto v = value(name, "aba", scalar, per_joint); v && !(most && *most >= *v)) most = v;
    return most;
  };
  const auto quotient = [&](const std::string& a, const std::string& b) -> std::optional<double> {
    const auto x = value(a, "aba", "double", us), y = value(b, "aba", "double", us);
    if (!x || !y) return {};
    return *x / *y;
  };
  const auto ahead_of = [&](const std::string& peer) -> std::optional<double> {
    for (const BenchRow& row : report_.rows)
      if (row.bench_case == "@chain:links=30" && row.metric == "aba" && row.who == "linchpin" &&
          row.scalar == "double" && row.unit == us)
        if (const auto at = row.ratio.find(peer); at != row.ratio.end()) return at->second;
    return {};
  };
  const std::vector<std::string> to_100{"@chain:links=7", "@chain:links=12", "@chain:links=30", "@chain:links=100"};
  std::vector<std::string> to_1000 = to_100;
  for (const char* more : {"@chain:links=1000", "@humanoid24", "@humanoid", "@quadruped", "@dual_arm"})
    to_1000.emplace_back(more);
  report_.targets = {
      {"aba, scalar, worst of chains 7 to 1000 and all robots", per_joint, true, 65, worst(to_1000, "double")},
      {"aba, 8 doubles, worst of chains 7 to 100", per_joint, true, 11.5, worst(to_100, "8 doubles")},
      {"aba, 16 floats, worst of chains 7 to 100", per_joint, true, 5.7, worst(to_100, "16 floats")},
      {"aba, cost of 1000 links over 100", "", true, 11, quotient("@chain:links=1000", "@chain:links=100")},
      {"aba, cost of 100000 links over 1000", "", true, 120, quotient("@chain:links=100000", "@chain:links=1000")},
      {"aba, MuJoCo's time over ours at 30 links", "", false, 5, ahead_of("MuJoCo")},
      {"aba, Simbody's time over ours at 30 links", "", false, 15, ahead_of("Simbody")},
  };
}

BenchReport Dynamics::run() {
  const int core = pin_to_one_core();
  report_.notes.push_back(core >= 0 ? "pinned to core " + std::to_string(core) + ", one thread"
                                    : "this system does not let us pin a thread to a core");
#ifdef LINCHPIN_BENCH_PEERS
  if (options_.peers) {
    peers_ = available_peers();
    for (const auto& peer : peers_) report_.notes.push_back("beside " + peer->name() + " " + peer->version());
    for (const std::string& name : missing_peers()) report_.notes.push_back("without " + name + ": not installed");
  }
#else
  if (options_.peers) report_.notes.push_back("built without the peers (LINCHPIN_BUILD_BENCH_PEERS=OFF)");
#endif
  std::vector<Case> chosen = cases();
  if (options_.quick) std::erase_if(chosen, [](const Case& c) { return !c.quick; });
  fraction_per_metric_ = 1.0 / double(chosen.size() * metrics().size());
  for (const Case& c : chosen)
    if (!run_case(c)) break;
  add_orientation();
  add_targets();
  return std::move(report_);
}

}  // namespace

BenchReport bench_dynamics(const BenchOptions& options, const BenchProgress& progress) {
  return Dynamics(options, progress).run();
}

}  // namespace linchpin
