// Suite `geometry`: contacts of pairs of shapes, and the near pairs of many moving boxes, beside ODE, Bullet and FCL.
//
// | metric       | what is timed                                                                                      |
// |--------------|----------------------------------------------------------------------------------------------------|
// | penetration  | ns per pair of collide() with 1 mm of penetration, the average over many poses of one contact      |
// | gap          | the same at a gap of 1 mm, within the margin of 2 mm that both have. linchpin alone                |
// | broad phase  | us per step of 1000 moving boxes, from bounding boxes to pairs, the average over a motion          |
// | narrow phase | ns per near pair of these boxes, touching or not                                                   |
//
// Cases are those of geometry_cases.h, what is called of the peers is told in peers/geometry_peers.h. Beside each time
// stands the number of points, since it is points that stop a body from falling. All are judged alike: whoever finds
// another depth than 1 mm, or another normal, is left out and named. Of the ways to ask a peer the fastest that is
// right stands in the table; the rows of --json have all of them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "bench/geometry_cases.h"
#include "bench/suite.h"
#include "bench/text.h"
#include "bench/timing.h"
#include "linchpin/geometry/collide/collide.h"
#include "linchpin/geometry/scene/broad_phase.h"
#include "linchpin/geometry/shapes/bounds.h"
#ifdef LINCHPIN_BENCH_PEERS
#include "bench/peers/geometry_peers.h"
#endif

namespace linchpin {
namespace {

constexpr const char* suite = "geometry";
constexpr const char* ours = "linchpin";
constexpr double depth = 1e-3, margin = 2e-3;  // m
constexpr int pairs_per_case = 64;
constexpr double most_ns_per_near_pair = 120;

// Bullet rounds hulls by its margin, which costs it a tenth of the depth: no reason to leave it out.
constexpr double depth_tolerance = 0.2 * depth, normal_tolerance = 0.01;

bool is_right(double gap, const Vec3<double>& normal, double true_gap, const Vec3<double>& true_normal) {
  return std::abs(gap - true_gap) <= depth_tolerance && norm(normal - true_normal) <= normal_tolerance;
}

// collide() of all pairs of a scene, into one list that is emptied before each: as peers have one buffer.
class OurPairs {
 public:
  OurPairs(PairScene scene, double within) : scene_(std::move(scene)), margin_(within) {}

  std::size_t collide() {
    std::size_t points = 0;
    for (const PairScene::Pair& pair : scene_.pairs) {
      collide(pair);
      for (const Manifold& m : list_.all()) points += std::size_t(m.count);
    }
    return points;
  }

  bool right(const GeometryCase& c, double distance) {
    for (std::size_t i = 0; i < scene_.pairs.size(); ++i) {
      collide(scene_.pairs[i]);
      if (list_.size() != 1 || !is_right(list_[0].distance, list_[0].normal, distance, normal_of(c, scene_, i)))
        return false;
    }
    return true;
  }

 private:
  void collide(const PairScene::Pair& pair) {
    const PairScene::Body &a = scene_.bodies[pair.a], &b = scene_.bodies[pair.b];
    list_.clear();
    linchpin::collide(a.shape, a.X_WB, b.shape, b.X_WB, margin_, list_);
  }

  PairScene scene_;
  double margin_;
  ManifoldList list_;
};

// Someone who takes part in a case, and what came of it.
struct Contender {
  std::string who, way, metric, unit;
  double pieces;  // pairs or steps in one call of `work`
  double points;  // found per piece
  Repeated work;
  double value = 0, median = 0;  // per piece
};

bool is_common(const Shape& shape) {
  return std::holds_alternative<Sphere>(shape) || std::holds_alternative<Capsule>(shape) ||
         std::holds_alternative<Box>(shape) || std::holds_alternative<HalfSpace>(shape);
}

class Geometry {
 public:
  Geometry(const BenchOptions& options, const BenchProgress& progress) : options_(options), progress_(progress) {
    if (options.quick) timing_ = {.sample = 60e-6, .budget = 0.03, .fewest = 3, .most = 100};
  }
  BenchReport run();

 private:
  void introduce_peers();
  void run_case(const GeometryCase& c);
  void run_broad_phase(const BoxCloud& cloud);
  void run_narrow_phase(const BoxCloud& cloud);
  void tell_of_gaps();

  void add_ours(const char* metric, double points, Repeated work);
#ifdef LINCHPIN_BENCH_PEERS
  void add_peer(const GeometryCase& c, const PairScene& scene, GeometryPeer& peer);
#endif
  void leave_out(const std::string& who, const std::string& metric, const std::string& reason);
  void time_contenders();
  const Contender* fastest(const std::string& who, const std::string& metric) const;
  std::optional<double> ours_over(const std::string& peer) const;
  std::string cell(const std::string& who, const std::string& metric) const;

  BenchOptions options_;
  BenchProgress progress_;
  TimingOptions timing_{.sample = 100e-6, .budget = 0.15, .fewest = 7, .most = 1000};
  BenchReport report_;
  std::vector<std::string> peer_names_;
#ifdef LINCHPIN_BENCH_PEERS
  GeometryPeers peers_;
  std::map<std::string, std::vector<std::string>> points_at_a_gap_;  // peer -> cases
#endif
  std::string case_;  // the one at hand
  std::vector<Contender> contenders_;
};

void Geometry::introduce_peers() {
#ifdef LINCHPIN_BENCH_PEERS
  if (!options_.peers) return;
  peers_ = available_geometry_peers();
  for (const auto& peer : peers_) {
    if (std::find(peer_names_.begin(), peer_names_.end(), peer->name()) != peer_names_.end()) continue;
    peer_names_.push_back(peer->name());
    report_.notes.push_back("beside " + peer->name() + " " + peer->version());
  }
  for (const std::string& name : missing_geometry_peers()) report_.notes.push_back(name + " was not installed");
#endif
}

void Geometry::leave_out(const std::string& who, const std::string& metric, const std::string& reason) {
  BenchRow row;
  row.suite = suite;
  row.bench_case = case_;
  row.metric = metric;
  row.unit = "ns";
  row.reason = reason;
  row.who = who;
  report_.rows.push_back(std::move(row));
}

const Contender* Geometry::fastest(const std::string& who, const std::string& metric) const {
  const Contender* best = nullptr;
  for (const Contender& c : contenders_)
    if (c.who == who && c.metric == metric && (!best || c.value < best->value)) best = &c;
  return best;
}

// Our time in the case at hand, at a gap too where that was timed, over a peer's.
std::optional<double> Geometry::ours_over(const std::string& peer) const {
  std::optional<double> our, their;
  for (const Contender& c : contenders_) {
    if (c.who == ours) our = std::max(our.value_or(0), c.value);
    if (c.who == peer) their = std::min(their.value_or(c.value), c.value);
  }
  if (!our || !their) return {};
  return *our / *their;
}

// Time and points.
std::string Geometry::cell(const std::string& who, const std::string& metric) const {
  const Contender* const c = fastest(who, metric);
  return c ? text("%.*f (%.3g)", c->value < 100 ? 1 : 0, c->value, c->points) : "-";
}

void Geometry::time_contenders() {
  std::vector<Repeated> work;
  for (const Contender& c : contenders_) work.push_back(c.work);
  const std::vector<Timing> timings = time_together(work, timing_);
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    Contender& c = contenders_[i];
    const double scale = (c.unit == "us" ? 1e6 : 1e9) / c.pieces;
    c.value = scale * timings[i].minimum;
    c.median = scale * timings[i].median;
  }
  for (const Contender& c : contenders_) {
    BenchRow row{.suite = suite,
                 .bench_case = case_,
                 .size = int(std::lround(c.points)),
                 .metric = c.metric,
                 .unit = c.unit,
                 .value = c.value,
                 .median = c.median,
                 .who = c.who,
                 .scalar = c.who == ours ? "double" : c.way};
    if (c.who == ours)
      for (const std::string& peer : peer_names_)
        if (const Contender* const theirs = fastest(peer, c.metric)) row.ratio[peer] = theirs->value / c.value;
    report_.rows.push_back(std::move(row));
  }
}

// ---- pairs ----

void Geometry::add_ours(const char* metric, double points, Repeated work) {
  contenders_.push_back({ours, "", metric, "ns", pairs_per_case, points / pairs_per_case, std::move(work)});
}

#ifdef LINCHPIN_BENCH_PEERS
bool is_right(GeometryPeer& peer, const GeometryCase& c, const PairScene& scene) {
  for (std::size_t i = 0; i < scene.pairs.size(); ++i) {
    const std::vector<PeerContact> contacts = peer.contacts(i);
    if (contacts.empty()) return false;
    const PeerContact& deepest = *std::min_element(
        contacts.begin(), contacts.end(), [](const PeerContact& a, const PeerContact& b) { return a.gap < b.gap; });
    if (!is_right(deepest.gap, deepest.normal, -depth, normal_of(c, scene, i))) return false;
  }
  return true;
}

void Geometry::add_peer(const GeometryCase& c, const PairScene& scene, GeometryPeer& peer) {
  const std::string way = peer.way().empty() ? "" : peer.way() + ": ";
  if (const std::optional<Error> error = peer.load(scene_of(c, depth, 1)))
    return leave_out(peer.name(), "penetration", error->message);
  if (peer.collide() > 0) {
    std::vector<std::string>& cases = points_at_a_gap_[peer.name()];
    if (cases.empty() || cases.back() != c.name) cases.push_back(c.name);
  }
  peer.load(scene);
  if (!is_right(peer, c, scene)) return leave_out(peer.name(), "penetration", way + "another depth or normal");
  const double points = double(peer.collide()) / pairs_per_case;
  contenders_.push_back(
      {peer.name(), peer.way(), "penetration", "ns", pairs_per_case, points, repeated([&peer] { peer.collide(); })});
}
#endif

void Geometry::run_case(const GeometryCase& c) {
  case_ = c.name;
  contenders_.clear();
  const PairScene scene = scene_of(c, -depth, pairs_per_case);
  OurPairs in_contact(scene, margin), apart(scene_of(c, depth, pairs_per_case), margin);
  if (in_contact.right(c, -depth))
    add_ours("penetration", double(in_contact.collide()), repeated([&] { in_contact.collide(); }));
  else
    leave_out(ours, "penetration", "another depth or normal");
  if (apart.right(c, depth))
    add_ours("gap", double(apart.collide()), repeated([&] { apart.collide(); }));
  else
    leave_out(ours, "gap", "another gap or normal");
#ifdef LINCHPIN_BENCH_PEERS
  for (const auto& peer : peers_) add_peer(c, scene, *peer);
#endif
  time_contenders();

  std::vector<std::string> cells{c.name, cell(ours, "penetration"), cell(ours, "gap")};
  for (const std::string& peer : peer_names_) cells.push_back(cell(peer, "penetration"));
  report_.tables[0].rows.push_back(std::move(cells));
  if (is_common(c.a) && is_common(c.b))
    report_.targets.push_back({c.name + ", in contact and at a gap: over ODE's", "x", true, 1, ours_over("ODE")});
  if (std::holds_alternative<ConvexHull>(c.a) && std::holds_alternative<ConvexHull>(c.b))
    report_.targets.push_back({c.name + ", in contact and at a gap: over FCL's", "x", true, 0.5, ours_over("FCL")});
}

void Geometry::tell_of_gaps() {
#ifdef LINCHPIN_BENCH_PEERS
  for (const std::string& peer : peer_names_) {
    const auto at = points_at_a_gap_.find(peer);
    report_.notes.push_back(text("at a gap of 1 mm %s gives points in %d of %d cases", peer.c_str(),
                                 at == points_at_a_gap_.end() ? 0 : int(at->second.size()),
                                 int(report_.tables[0].rows.size())));
  }
#endif
}

// ---- many boxes ----

void Geometry::run_broad_phase(const BoxCloud& cloud) {
  contenders_.clear();
  std::vector<std::vector<Aabb>> boxes;
  for (int step = 0; step < BoxCloud::steps; ++step) {
    boxes.emplace_back();
    for (const PairScene::Body& body : cloud.at(step)) boxes.back().push_back(bounds(body.shape, body.X_WB));
  }
  const auto add = [&](const std::string& who, const std::string& way, auto pairs_of) {
    const auto sweep = [pairs_of, &boxes] {
      std::size_t pairs = 0;
      for (const std::vector<Aabb>& now : boxes) pairs += pairs_of(now);
      return pairs;
    };
    contenders_.push_back({who, way, "broad phase", "us", double(boxes.size()), double(sweep()) / double(boxes.size()),
                           repeated([sweep] { sweep(); })});
  };

  BroadPhase broad_phase;
  const std::vector<double> margins(cloud.members.size(), BoxCloud::margin);
  add(ours, "", [&](const std::vector<Aabb>& now) { return broad_phase.find_pairs(now, margins).size(); });
#ifdef LINCHPIN_BENCH_PEERS
  BroadPhasePeers theirs;
  if (options_.peers) theirs = available_broad_phases();
  for (const auto& peer : theirs) {
    peer->start(boxes[0], BoxCloud::margin);
    add("Bullet", peer->way(), [&](const std::vector<Aabb>& now) { return peer->step(now); });
  }
#endif
  time_contenders();
  for (const Contender& c : contenders_)
    report_.tables[1].rows.push_back({c.way.empty() ? c.who : c.who + ", " + c.way, "broad phase",
                                      text("%.1f us", c.value), text("%.0f", c.points)});
  const auto tree = std::find_if(contenders_.begin(), contenders_.end(), [](const auto& c) { return c.way == "tree"; });
  std::optional<double> ratio;
  if (tree != contenders_.end()) ratio = contenders_[0].value / tree->value;
  report_.targets.push_back({"all near pairs of 1000 moving boxes: over Bullet's tree", "x", true, 1, ratio});
}

void Geometry::run_narrow_phase(const BoxCloud& cloud) {
  contenders_.clear();
  PairScene scene{cloud.at(0), {}};
  std::vector<Aabb> boxes;
  for (const PairScene::Body& body : scene.bodies) boxes.push_back(bounds(body.shape, body.X_WB));
  BroadPhase broad_phase;
  const std::vector<double> margins(boxes.size(), BoxCloud::margin);
  for (const BoxPair& pair : broad_phase.find_pairs(boxes, margins)) scene.pairs.push_back({pair.a, pair.b});
  const auto add = [&](const std::string& who, const std::string& way, auto& pairs) {
    const double pieces = double(scene.pairs.size());
    contenders_.push_back({who, way, "narrow phase", "ns", pieces, double(pairs.collide()) / pieces,
                           repeated([&pairs] { pairs.collide(); })});
  };

  OurPairs our(scene, margin);
  add(ours, "", our);
#ifdef LINCHPIN_BENCH_PEERS
  for (const auto& peer : peers_)
    if (!peer->load(scene)) add(peer->name(), peer->way(), *peer);
#endif
  time_contenders();
  for (const Contender& c : contenders_)
    report_.tables[1].rows.push_back({c.way.empty() ? c.who : c.who + ", " + c.way, "narrow phase",
                                      text("%.1f ns per near pair", c.value), text("%.0f", c.points * c.pieces)});
  report_.targets.push_back({text("narrow phase of %zu near pairs of boxes", scene.pairs.size()), "ns per pair", true,
                             most_ns_per_near_pair, contenders_[0].value});
}

BenchReport Geometry::run() {
  const int core = pin_to_one_core();
  report_.notes.push_back(core >= 0 ? "pinned to core " + std::to_string(core) + ", one thread"
                                    : "this system does not let us pin a thread to a core");
  introduce_peers();
  report_.tables.push_back({"contacts with 1 mm of penetration, ours at a gap of 1 mm too: ns per pair (points)",
                            "lrr" + std::string(peer_names_.size(), 'r'),
                            {"case", ours, "at a gap"},
                            {}});
  for (const std::string& peer : peer_names_) report_.tables[0].columns.push_back(peer);
  report_.tables.push_back({"1000 moving boxes", "llrr", {"who", "phase", "time", "pairs or points"}, {}});

  const std::vector<GeometryCase> cases = geometry_cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!progress_(double(i) / double(cases.size() + 2), cases[i].name)) return report_;
    run_case(cases[i]);
  }
  tell_of_gaps();

  case_ = "1000 moving boxes";
  const BoxCloud cloud = box_cloud();
  if (!progress_(double(cases.size()) / double(cases.size() + 2), "broad phase")) return report_;
  run_broad_phase(cloud);
  if (!progress_(double(cases.size() + 1) / double(cases.size() + 2), "narrow phase")) return report_;
  run_narrow_phase(cloud);
  return std::move(report_);
}

}  // namespace

BenchReport bench_geometry(const BenchOptions& options, const BenchProgress& progress) {
  return Geometry(options, progress).run();
}

}  // namespace linchpin
