// Suite `compliance`: J M^-1 J' of six-dimensional nodes, by length of chain and number of nodes, scalar and packed,
// beside the dense way and the peers.
//
// | metric         | what is timed                                                                                    |
// |----------------|--------------------------------------------------------------------------------------------------|
// | from q         | factors, paths and matrix, from q alone; for a peer, whatever its public calls need for it       |
// |                | (peers.h), each of its ways a row of its own and the fastest of them in ratios                   |
// | after factors  | paths and matrix, the articulated factors being there                                            |
// | dense          | from q: mass matrix, its factors, Jacobian of every node, a solution for each row, the product   |
// | agreement      | how far a peer's matrix is from ours, as a part of the largest number; one that is another       |
// |                | mechanism's is not timed                                                                         |
//
// Times are per call and world.
#include "linchpin/dynamics/compliance/compliance.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "bench/dense_compliance.h"
#include "bench/suite.h"
#include "bench/text.h"
#include "bench/timing.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"
#ifdef LINCHPIN_BENCH_PEERS
#include "bench/peers.h"
#endif

namespace linchpin {
namespace {

constexpr const char* suite = "compliance";
constexpr const char* from_q = "from q";
constexpr const char* after_factors = "after factors";
constexpr const char* dense_way = "dense";
constexpr const char* agreement = "agreement";
constexpr int largest_dense = 100;  // degrees of freedom
// Engines differ by rounding times the condition of the mass matrix; a mechanism misunderstood differs in the first
// digits.
constexpr double same_mechanism = 1e-5;

const std::vector<std::string>& scenes() {
  static const std::vector<std::string> all{"@chain:links=30", "@chain:links=100", "@chain:links=1000", "@humanoid24",
                                            "@humanoid"};
  return all;
}
bool in_quick_run(const std::string& scene, int nodes) { return nodes == 4 && scene != "@chain:links=1000"; }

template <class T>
class Ours {
 public:
  using Real = typename Plan<T>::Real;
  static constexpr int worlds = Lanes<T>::worlds;

  Ours(const Model& model, const std::vector<Node>& nodes)
      : plan_(model),
        tree_(model, plan_, nodes),
        factors_(plan_),
        compliance_(tree_),
        matrix_(36 * nodes.size() * nodes.size() * std::size_t(worlds)) {
    q_.resize(model.nq() * worlds);
    for (int w = 0; w < worlds; ++w) {
      const State state = random_state(model, std::uint64_t(1 + w));
      for (std::size_t i = 0; i < state.q.size(); ++i)
        q_[i * std::size_t(worlds) + std::size_t(w)] = static_cast<Real>(state.q[i]);
    }
    factor<T>(plan_, q_, factors_);
    matrix();
  }
  void matrix() {
    compound_paths<T>(plan_, tree_, factors_, compliance_);
    compliance_matrix<T>(tree_, compliance_, {matrix_.data(), matrix_.size()});
  }
  Repeated timed(const std::string& metric) {
    if (metric == after_factors) return repeated([this] { matrix(); });
    return repeated([this] {
      factor<T>(plan_, q_, factors_);
      matrix();
    });
  }
  std::vector<Real> result() const { return {matrix_.begin(), matrix_.end()}; }

 private:
  Plan<T> plan_;
  NodeTree<T> tree_;
  ArticulatedFactor<T> factors_;
  Compliance<T> compliance_;
  std::vector<Real> q_;
  AlignedArray<Real> matrix_;
};

struct Contender {
  std::string metric, who, scalar;  // of a peer: which of its ways
  int worlds;
  Repeated work;
};

class ComplianceSuite {
 public:
  ComplianceSuite(const BenchOptions& options, const BenchProgress& progress) : options_(options), progress_(progress) {
    if (options.quick) timing_ = {.sample = 60e-6, .budget = 0.03, .fewest = 3, .most = 100};
  }
  BenchReport run();

 private:
  void meet_peers(const ModelSpec& spec, const Model& model);
  void add_peers(const std::vector<Node>& nodes, const std::vector<double>& ours, std::vector<Contender>& contenders);
  void run_case(const std::string& scene, const Model& model, int count);
  void compare(const std::vector<Contender>& contenders);
  BenchRow row(const std::string& metric, const std::string& who, const std::string& scalar) const;
  const BenchRow* found(const std::string& metric, const std::string& who, const std::string& scalar) const;
  void set_ratios(std::size_t first);
  void add_to_table(const std::string& scene, int count);
  void add_targets();

  BenchOptions options_;
  BenchProgress progress_;
  TimingOptions timing_;
  BenchReport report_;
  BenchTable table_;
  std::string case_;  // the one at hand
  int size_ = 0;
#ifdef LINCHPIN_BENCH_PEERS
  std::vector<std::unique_ptr<Peer>> peers_;
  struct Declined {
    std::string who, why;
  };
  std::vector<Peer*> present_;  // those that hold the mechanism at hand
  std::vector<Declined> declined_;
#endif
};

BenchRow ComplianceSuite::row(const std::string& metric, const std::string& who, const std::string& scalar) const {
  return {.suite = suite,
          .bench_case = case_,
          .size = size_,
          .metric = metric,
          .unit = metric == agreement ? "relative" : "us",
          .who = who,
          .scalar = scalar};
}

// Of the case at hand; the fastest where `scalar` is empty.
const BenchRow* ComplianceSuite::found(const std::string& metric, const std::string& who,
                                       const std::string& scalar) const {
  const BenchRow* best = nullptr;
  for (const BenchRow& r : report_.rows)
    if (r.bench_case == case_ && r.metric == metric && r.who == who && (scalar.empty() || r.scalar == scalar) &&
        r.value && !(best && *best->value <= *r.value))
      best = &r;
  return best;
}

#ifdef LINCHPIN_BENCH_PEERS
void ComplianceSuite::meet_peers(const ModelSpec& spec, const Model& model) {
  present_.clear();
  declined_.clear();
  const State state = random_state(model, 1);
  for (const auto& peer : peers_) {
    if (const std::optional<Error> error = peer->load(spec, model)) {
      declined_.push_back({peer->name(), error->message});
      continue;
    }
    peer->set_state(state.q, state.v, std::vector<double>(model.nv(), 0));
    present_.push_back(peer.get());
  }
}

// Those whose matrix is ours take part, each way of theirs by itself.
void ComplianceSuite::add_peers(const std::vector<Node>& nodes, const std::vector<double>& ours,
                                std::vector<Contender>& contenders) {
  std::vector<PeerFrame> frames;
  for (const Node& node : nodes) frames.push_back({node.body, node.X_BN});
  for (const Declined& d : declined_) {
    report_.rows.push_back(row(from_q, d.who, ""));
    report_.rows.back().reason = d.why;
  }
  std::vector<double> theirs(ours.size());
  for (Peer* peer : present_) {
    peer->set_frames(frames);
    const std::vector<std::string> ways = peer->compliance_ways();
    for (std::size_t way = 0; way < ways.size(); ++way) {
      peer->compliance(way);
      peer->compliance_matrix(theirs);
      const double far = largest_difference(theirs, ours);
      report_.rows.push_back(row(agreement, peer->name(), ways[way]));
      report_.rows.back().value = far;
      if (far <= same_mechanism) {
        contenders.push_back({from_q, peer->name(), ways[way], 1, repeated([peer, way] { peer->compliance(way); })});
      } else {
        report_.rows.push_back(row(from_q, peer->name(), ways[way]));
        report_.rows.back().reason = "its matrix is not ours (see agreement), so it was not timed";
      }
    }
  }
}
#else
void ComplianceSuite::meet_peers(const ModelSpec&, const Model&) {}
void ComplianceSuite::add_peers(const std::vector<Node>&, const std::vector<double>&, std::vector<Contender>&) {}
#endif

void ComplianceSuite::compare(const std::vector<Contender>& contenders) {
  std::vector<Repeated> work;
  for (const Contender& c : contenders) work.push_back(c.work);
  const std::vector<Timing> timings = time_together(work, timing_);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Contender& c = contenders[i];
    BenchRow r = row(c.metric, c.who, c.scalar);
    r.value = 1e6 * timings[i].minimum / c.worlds;
    r.median = 1e6 * timings[i].median / c.worlds;
    report_.rows.push_back(std::move(r));
  }
}

// What the others need over what we need, from the case's first row on.
void ComplianceSuite::set_ratios(std::size_t first) {
  std::map<std::string, double> others;
  if (const BenchRow* dense = found(dense_way, "linchpin", "double")) others[dense_way] = *dense->value;
#ifdef LINCHPIN_BENCH_PEERS
  for (const Peer* peer : present_)
    if (const BenchRow* best = found(from_q, peer->name(), "")) others[peer->name()] = *best->value;
#endif
  for (std::size_t i = first; i < report_.rows.size(); ++i) {
    BenchRow& r = report_.rows[i];
    if (r.who != "linchpin" || r.metric != from_q) continue;
    for (const auto& [who, us] : others) r.ratio[who] = us / *r.value;
  }
}

void ComplianceSuite::add_to_table(const std::string& scene, int count) {
  const auto cell = [&](const std::string& metric, const std::string& who, const std::string& scalar) {
    const BenchRow* r = found(metric, who, scalar);
    return r ? rounded(*r->value) : std::string("-");
  };
  std::vector<std::string> cells{scene,
                                 std::to_string(size_),
                                 std::to_string(count),
                                 cell(from_q, "linchpin", "double"),
                                 cell(after_factors, "linchpin", "double"),
                                 cell(from_q, "linchpin", "4 doubles"),
                                 cell(from_q, "linchpin", "8 doubles"),
                                 cell(from_q, "linchpin", "16 floats"),
                                 cell(dense_way, "linchpin", "double")};
#ifdef LINCHPIN_BENCH_PEERS
  for (const auto& peer : peers_) cells.push_back(cell(from_q, peer->name(), ""));
#endif
  // Over the best of the others: what one would do without us.
  const BenchRow* ours = found(from_q, "linchpin", "double");
  double best = 0;
  for (const auto& [who, ratio] : ours->ratio)
    if (best == 0 || ratio < best) best = ratio;
  cells.push_back(best > 0 ? text("%.1fx", best) : "-");
  table_.rows.push_back(std::move(cells));
}

void ComplianceSuite::run_case(const std::string& scene, const Model& model, int count) {
  case_ = scene + ", " + std::to_string(count) + " nodes";
  size_ = model.nv();
  const std::size_t first = report_.rows.size();
  const std::vector<Node> nodes = spread_nodes(model, count);
  Ours<double> one(model, nodes);
  Ours<Double4> four(model, nodes);
  Ours<Double8> eight(model, nodes);
  Ours<Float16> sixteen(model, nodes);
  std::vector<Contender> contenders{{from_q, "linchpin", "double", 1, one.timed(from_q)},
                                    {after_factors, "linchpin", "double", 1, one.timed(after_factors)}};
  std::optional<DenseCompliance> dense;
  if (model.nv() <= largest_dense) {
    dense.emplace(model, nodes, random_state(model, 1).q);
    if (!(largest_difference(one.result(), dense->matrix()) <= 1e-6))
      report_.notes.push_back(case_ + ": the dense way gives another matrix");
    contenders.push_back({dense_way, "linchpin", "double", 1, repeated([&dense] { dense->run(); })});
  }
  add_peers(nodes, one.result(), contenders);
  compare(contenders);
  compare({{from_q, "linchpin", "4 doubles", 4, four.timed(from_q)},  // by themselves: they lower the clock
           {from_q, "linchpin", "8 doubles", 8, eight.timed(from_q)},
           {from_q, "linchpin", "16 floats", 16, sixteen.timed(from_q)}});
  set_ratios(first);
  add_to_table(scene, count);
}

void ComplianceSuite::add_targets() {
  case_ = "@humanoid, 4 nodes";
  const auto value = [&](const std::string& metric, const std::string& scalar) -> std::optional<double> {
    const BenchRow* r = found(metric, "linchpin", scalar);
    return r ? r->value : std::nullopt;
  };
  report_.targets = {
      {"humanoid, 4 nodes, from q", "us", true, 2.2, value(from_q, "double")},
      {"humanoid, 4 nodes, 8 worlds", "us", true, 0.65, value(from_q, "8 doubles")},
      {"humanoid, 4 nodes, on top of the factors", "us", true, 0.6, value(after_factors, "double")},
  };
}

BenchReport ComplianceSuite::run() {
  const int core = pin_to_one_core();
  report_.notes.push_back(core >= 0 ? "pinned to core " + std::to_string(core) + ", one thread"
                                    : "this system does not let us pin a thread to a core");
  table_ = {"J M^-1 J' of six-dimensional nodes: us per call and world, smallest; peers by the faster of their ways",
            "lrrrrrrrr",
            {"case", "dof", "nodes", "from q", "after factors", "4 doubles", "8 doubles", "16 floats", dense_way},
            {}};
#ifdef LINCHPIN_BENCH_PEERS
  if (options_.peers) {
    peers_ = available_peers();
    for (const auto& peer : peers_) {
      report_.notes.push_back("beside " + peer->name() + " " + peer->version());
      table_.columns.push_back(peer->name());
      table_.align += 'r';
    }
    for (const std::string& name : missing_peers()) report_.notes.push_back("without " + name + ": not installed");
  }
#else
  if (options_.peers) report_.notes.push_back("built without the peers (LINCHPIN_BUILD_BENCH_PEERS=OFF)");
#endif
  table_.columns.emplace_back("best other over ours");
  table_.align += 'r';
  const std::vector<int> counts{1, 2, 4, 8, 16};
  const double step = 1.0 / double(scenes().size() * counts.size());
  double fraction = 0;
  bool go_on = true;
  for (const std::string& name : scenes()) {
    const ModelSpec spec = scene(name).value();
    const Model model = compile(spec).value();
    bool met = false;
    for (const int count : counts) {
      const double now = fraction;
      fraction += step;
      if (options_.quick && !in_quick_run(name, count)) continue;
      go_on = go_on && progress_(now, name + ", " + std::to_string(count) + " nodes");
      if (!go_on) break;
      if (!met) meet_peers(spec, model);  // once for all counts: loading 1000 links takes some peers long
      met = true;
      run_case(name, model, count);
    }
    if (!go_on) break;
  }
  report_.tables.push_back(std::move(table_));
  add_targets();
  return std::move(report_);
}

}  // namespace

BenchReport bench_compliance(const BenchOptions& options, const BenchProgress& progress) {
  return ComplianceSuite(options, progress).run();
}

}  // namespace linchpin
