// Suite `contact`: scenes with contact, friction and impact, beside MuJoCo, Bullet, DART, ODE and Simbody.
//
// Physics: what must come out, and how far each engine is off (contact_physics.h).
//
// Speed: us per step. The pendulum of [000 s.8] over its swing, every step counted; scenes at rest once settled, warm
// and awake, and for linchpin cold as well: without the memory of the step before. The pile is settled by one engine,
// and all go on from there. Spheres that are poured: the mean of all steps from the first one on.
//
// Of an engine's ways (peers/contact_peers.h) the tables show the one with the smallest number; --json has all.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "bench/contact_physics.h"
#include "bench/suite.h"
#include "bench/text.h"
#include "bench/timing.h"
#include "linchpin/base/larger.h"
#ifdef LINCHPIN_BENCH_PEERS
#include "bench/peers/contact_peers.h"
#endif

namespace linchpin {
namespace {

constexpr const char* suite = "contact";
constexpr const char* ours = "linchpin";

// m: how far any body has gone.
double farthest(ContactEngine& engine, std::span<const Transform<double>> from) {
  std::vector<Transform<double>> X_WB(from.size());
  engine.poses(X_WB);
  double most = 0;
  for (std::size_t b = 0; b < from.size(); ++b) {
    const double way = norm(X_WB[b].p - from[b].p);
    most = larger(most, std::isfinite(way) ? way : 1e9);
  }
  return most;
}

class Contact {
 public:
  Contact(const BenchOptions& options, const BenchProgress& progress) : options_(options), progress_(progress) {}
  BenchReport run();

 private:
  using Value = std::optional<double>;
  using Numbers = std::map<std::string, std::map<std::string, double>>;  // by engine and way

  void introduce();
  bool tell(const std::string& what);
  // The engines for physics and the swing: none twice when in a hurry.
  std::vector<ContactEngine*> movers() const;

  // The course over the scene; nothing, and said so, where the engine cannot take the scene or does not come through.
  std::optional<Track> follow_or_leave_out(ContactEngine& engine, Stage& stage, const Course& course,
                                           const std::string& name, const std::string& metric);
  void run_physics(const PhysicsCase& c);
  void run_isotropy();
  void run_dominoes();
  std::map<std::string, Track> run_poured(const PhysicsCase& c);  // by engine and way
  void finish_measure(const std::string& name, const Measure& measure, const Numbers& numbers);

  void run_swing(int links);
  void run_growth();
  void run_settled(const std::string& name, Stage& stage, int settle, double most_residual);
  void run_pile(const PhysicsCase& c, const std::map<std::string, Track>& poured);
  void finish_speed(const std::string& name, int size, const Numbers& us, const Numbers& medians,
                    const std::map<std::string, Track>& tracks);
  void leave_out(const std::string& name, const std::string& metric, const ContactEngine& engine,
                 const std::string& reason);
  Value best(const Numbers& numbers, const std::string& who) const;
  Value ratio(const std::string& peer) const;  // ours over theirs, of the last speeds
  void target(const std::string& what, const std::string& unit, double most, Value value) {
    report_.targets.push_back({what, unit, true, most, value});
  }

  double budget() const { return options_.quick ? 1.5 : 10; }  // s of processor time for one engine on one scene

  BenchOptions options_;
  BenchProgress progress_;
  BenchReport report_;
  ContactEngines engines_;           // linchpin's first
  std::vector<std::string> others_;  // names of peers
  Numbers last_us_;
  bool stopped_ = false;
  double done_ = 0;
};

void Contact::introduce() {
  engines_ = linchpin_contact_engines();
#ifdef LINCHPIN_BENCH_PEERS
  if (options_.peers) {
    for (std::unique_ptr<ContactEngine>& peer : available_contact_peers()) {
      if (std::ranges::find(others_, peer->name()) == others_.end()) {
        others_.push_back(peer->name());
        report_.notes.push_back("beside " + peer->name() + " " + peer->version());
      }
      engines_.push_back(std::move(peer));
    }
    for (const std::string& name : missing_contact_peers()) report_.notes.push_back(name + " was not installed");
  }
#endif
  std::vector<std::string> columns{"what", "scene", ours};
  columns.insert(columns.end(), others_.begin(), others_.end());
  report_.tables.push_back({"Physics: errors, the smaller the better; best of each engine's ways",
                            "ll" + std::string(columns.size() - 2, 'r'),
                            columns,
                            {}});
  columns = {"scene", "contacts", "us", "cold us", "residual"};
  columns.insert(columns.end(), others_.begin(), others_.end());
  report_.tables.push_back({"Speed: us per step (smallest; swing: mean), peers' with multiples of ours",
                            "l" + std::string(columns.size() - 1, 'r'),
                            columns,
                            {}});
  columns = {"scene", ours};
  columns.insert(columns.end(), others_.begin(), others_.end());
  report_.tables.push_back(
      {"Deepest penetration in these runs, m", "l" + std::string(columns.size() - 1, 'r'), columns, {}});
}

bool Contact::tell(const std::string& what) {
  if (!stopped_ && !progress_(std::min(1.0, done_), what)) stopped_ = true;
  return !stopped_;
}

std::vector<ContactEngine*> Contact::movers() const {
  std::vector<ContactEngine*> chosen;
  for (const auto& engine : engines_)
    if (!options_.quick || engine->name() == ours || chosen.empty() || chosen.back()->name() != engine->name())
      chosen.push_back(engine.get());
  return chosen;
}

void Contact::leave_out(const std::string& name, const std::string& metric, const ContactEngine& engine,
                        const std::string& reason) {
  BenchRow row;
  row.suite = suite;
  row.bench_case = name;
  row.metric = metric;
  row.reason = engine.way() + ": " + reason;
  row.who = engine.name();
  row.scalar = engine.way();
  report_.rows.push_back(std::move(row));
}

std::optional<Track> Contact::follow_or_leave_out(ContactEngine& engine, Stage& stage, const Course& course,
                                                  const std::string& name, const std::string& metric) {
  if (const std::optional<Error> error = engine.load(stage.spec, stage.model, course.dt)) {
    leave_out(name, metric, engine, error->message);
    return {};
  }
  Track track = follow(engine, stage, course);
  if (track.failure.empty()) return track;
  leave_out(name, metric, engine, track.failure);
  return {};
}

Contact::Value Contact::best(const Numbers& numbers, const std::string& who) const {
  const auto at = numbers.find(who);
  if (at == numbers.end()) return {};
  Value least;
  for (const auto& [way, value] : at->second)
    if (way != "cold" && !std::isnan(value)) least = std::min(least.value_or(value), value);
  return least;
}

Contact::Value Contact::ratio(const std::string& peer) const {
  const Value our = best(last_us_, ours), their = best(last_us_, peer);
  if (!our || !their) return {};
  return *our / *their;
}

// ---- physics ----

void Contact::finish_measure(const std::string& name, const Measure& measure, const Numbers& numbers) {
  std::vector<std::string> cells{measure.metric, name};
  const auto cell = [&](const std::string& who) {
    const Value value = best(numbers, who);
    return value ? text("%.1e", *value) : std::string("-");
  };
  cells.push_back(cell(ours));
  for (const std::string& peer : others_) cells.push_back(cell(peer));
  report_.tables[0].rows.push_back(std::move(cells));
  for (const auto& [who, ways] : numbers)
    for (const auto& [way, value] : ways) {
      BenchRow row{.suite = suite,
                   .bench_case = name,
                   .metric = measure.metric,
                   .unit = measure.unit,
                   .who = who,
                   .scalar = way};
      if (std::isnan(value))
        row.reason = way + ": no such number";
      else
        row.value = value;
      report_.rows.push_back(std::move(row));
    }
  if (measure.target) target(measure.metric + ": " + name, measure.unit, *measure.target, best(numbers, ours));
}

void Contact::run_physics(const PhysicsCase& c) {
  if (!tell(c.name)) return;
  Stage stage(c.scene);
  std::vector<Numbers> numbers(c.measures.size());
  for (ContactEngine* engine : movers()) {
    if (engine->way() == "cold") continue;
    const std::optional<Track> track = follow_or_leave_out(*engine, stage, c.course, c.name, c.measures[0].metric);
    if (!track) continue;
    for (std::size_t i = 0; i < c.measures.size(); ++i)
      numbers[i][engine->name()][engine->way()] = c.measures[i].of(*track);
  }
  for (std::size_t i = 0; i < c.measures.size(); ++i) finish_measure(c.name, c.measures[i], numbers[i]);
}

// The same slope headed elsewhere, the box turned on it: friction must not notice.
void Contact::run_isotropy() {
  const std::string name = "slope of 35 degrees, five headings";
  if (!tell(name)) return;
  constexpr double headings[] = {0, 17, 45, 70, 200};
  Numbers numbers;
  for (ContactEngine* engine : movers()) {
    if (engine->way() == "cold") continue;
    double least = 1e9, most = -1e9;
    bool all = true;
    for (const double heading : headings) {
      Stage stage(text("@slope:angle=35,heading=%g,turn=%g", heading, heading / 2));
      const Course course{.dt = 1e-3, .seconds = 1, .body = "box", .budget = budget()};
      const std::optional<Track> track = follow_or_leave_out(*engine, stage, course, name, "isotropy");
      all = track.has_value();
      if (!all) break;
      const double distance = downhill(*track, 35, heading);
      least = smaller(least, distance);
      most = larger(most, distance);
    }
    if (all) numbers[engine->name()][engine->way()] = (most - least) / slid(35, 0.5, 1);
  }
  finish_measure(name, {"isotropy", "", {}, 1e-6}, numbers);
}

// All must fall, one after the other, and as fast whatever the step is.
void Contact::run_dominoes() {
  const int pieces = options_.quick ? 8 : 20;
  const std::string name = text("%d dominoes", pieces);
  if (!tell(name)) return;
  Stage stage(text("@dominoes:count=%d", pieces));
  Numbers standing, depth, wave;
  for (ContactEngine* engine : movers()) {
    if (engine->way() == "cold") continue;
    Course course{.dt = 1e-3, .seconds = 0.3 + 0.05 * pieces, .body = "piece_1", .budget = 3 * budget()};
    const std::optional<Track> coarse = follow_or_leave_out(*engine, stage, course, name, "standing");
    if (!coarse) continue;
    standing[engine->name()][engine->way()] =
        double(std::ranges::count_if(coarse->turned_at, [](double time) { return !std::isfinite(time); }) - 1);
    depth[engine->name()][engine->way()] = coarse->penetration;
    if (options_.quick) continue;
    course.dt /= 10;
    if (const std::optional<Track> fine = follow_or_leave_out(*engine, stage, course, name, "wave"))
      wave[engine->name()][engine->way()] = std::abs(wave_speed(*coarse) / wave_speed(*fine) - 1);
  }
  finish_measure(name, {"standing", "", {}, 0}, standing);
  finish_measure(name, {"penetration", "m", {}, 1e-4}, depth);
  if (!options_.quick) finish_measure(name, {"wave", "", {}, 0.05}, wave);
}

// ---- speed ----

// What comes to rest, and what that costs; of engines that are too slow, what the part that they did costs.
std::map<std::string, Track> Contact::run_poured(const PhysicsCase& c) {
  if (!tell(c.name)) return {};
  Stage stage(c.scene);
  std::vector<Numbers> numbers(c.measures.size());
  Numbers us;
  std::map<std::string, Track> tracks;
  for (ContactEngine* engine : movers()) {
    if (engine->way() == "cold") continue;
    tell(c.name + ": " + engine->name() + ", " + engine->way());
    if (const std::optional<Error> error = engine->load(stage.spec, stage.model, c.course.dt)) {
      leave_out(c.name, c.measures[0].metric, *engine, error->message);
      continue;
    }
    Track track = follow(*engine, stage, c.course);
    if (track.failure.empty())
      for (std::size_t i = 0; i < c.measures.size(); ++i)
        numbers[i][engine->name()][engine->way()] = c.measures[i].of(track);
    else
      leave_out(c.name, c.measures[0].metric, *engine, track.failure);
    if (!track.failure.empty() && !track.too_slow) continue;
    us[engine->name()][engine->way()] = track.us;
    tracks[engine->name() + "/" + engine->way()] = std::move(track);
  }
  for (std::size_t i = 0; i < c.measures.size(); ++i) finish_measure(c.name, c.measures[i], numbers[i]);
  finish_speed(c.name, stage.model.nv(), us, {}, tracks);
  return tracks;
}

void Contact::finish_speed(const std::string& name, int size, const Numbers& us, const Numbers& medians,
                           const std::map<std::string, Track>& tracks) {
  last_us_ = us;
  const Value our = best(us, ours);
  const auto way_of = [&](const std::string& who) {  // the fastest
    std::string found;
    if (const auto at = us.find(who); at != us.end())
      for (const auto& [way, value] : at->second)
        if (value == best(us, who)) found = way;
    return found;
  };
  const auto track_of = [&](const std::string& who) -> const Track* {
    const auto at = tracks.find(who + "/" + way_of(who));
    return at == tracks.end() ? nullptr : &at->second;
  };
  const Track* const our_track = track_of(ours);
  std::vector<std::string> cells{name, our_track ? text("%.3g", our_track->contacts) : "-",
                                 our ? text("%.4g", *our) : "-"};
  const auto cold = us.contains(ours) ? us.at(ours).find("cold") : std::map<std::string, double>::const_iterator{};
  cells.push_back(us.contains(ours) && cold != us.at(ours).end() ? text("%.4g", cold->second) : "-");
  cells.push_back(our_track ? text("%.0e", our_track->residual) : "-");
  std::vector<std::string> depths{name, our_track ? text("%.1e", our_track->penetration) : "-"};
  for (const std::string& peer : others_) {
    const Value value = best(us, peer);
    cells.push_back(!value ? "-" : our ? text("%.4g (%.2gx)", *value, *value / *our) : text("%.4g", *value));
    const Track* const track = track_of(peer);
    depths.push_back(track ? text("%.1e", track->penetration) : "-");
  }
  report_.tables[1].rows.push_back(std::move(cells));
  report_.tables[2].rows.push_back(std::move(depths));
  const auto row_of = [&](const std::string& who, const std::string& way, const char* metric, const char* unit) {
    return BenchRow{
        .suite = suite, .bench_case = name, .size = size, .metric = metric, .unit = unit, .who = who, .scalar = way};
  };
  for (const auto& [who, ways] : us)
    for (const auto& [way, value] : ways) {
      BenchRow row = row_of(who, way, "step", "us");
      row.value = value;
      if (const auto at = medians.find(who); at != medians.end() && at->second.contains(way))
        row.median = at->second.at(way);
      if (who == ours)
        for (const std::string& peer : others_)
          if (const Value theirs = best(us, peer)) row.ratio[peer] = *theirs / value;
      report_.rows.push_back(std::move(row));
      if (const auto at = tracks.find(who + "/" + way); at != tracks.end()) {
        BenchRow depth = row_of(who, way, "deepest", "m"), points = row_of(who, way, "contacts", "");
        depth.value = at->second.penetration;
        points.value = at->second.contacts;
        report_.rows.push_back(std::move(depth));
        report_.rows.push_back(std::move(points));
        if (who != ours) continue;
        BenchRow residual = row_of(who, way, "residual", "");
        residual.value = at->second.residual;
        report_.rows.push_back(std::move(residual));
      }
    }
}

// First every step is judged, then all engines start again and take turns, timed.
void Contact::run_swing(int links) {
  const std::string name = text("swing of %d links", links);
  if (!tell(name)) return;
  constexpr double dt = 1e-4;
  constexpr int slice = 250;
  const double seconds = options_.quick ? 1.5 : 5;
  Stage stage(text("@swing:links=%d", links));
  std::map<std::string, Track> tracks;
  std::vector<ContactEngine*> running;
  for (ContactEngine* engine : movers()) {
    std::optional<Error> error = engine->load(stage.spec, stage.model, dt);
    Track track;
    if (!error) {
      track =
          follow(*engine, stage, {.dt = dt, .seconds = seconds, .body = text("link_%d", links), .budget = budget()});
      if (!track.failure.empty() && !track.too_slow) error = Error{track.failure};
    }
    if (error) {
      leave_out(name, "step", *engine, error->message);
      continue;
    }
    tracks[engine->name() + "/" + engine->way()] = std::move(track);
    engine->load(stage.spec, stage.model, dt);
    running.push_back(engine);
  }
  const int slices = int(std::lround(seconds / dt)) / slice;
  std::vector<double> spent(running.size(), 0), steps(running.size(), 0);
  for (int k = 0; k < slices; ++k)
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (spent[i] > budget()) continue;
      const double start = thread_seconds();
      for (int j = 0; j < slice; ++j)
        if (running[i]->step()) break;  // it did not when it was followed
      spent[i] += thread_seconds() - start;
      steps[i] += slice;
    }
  Numbers us;
  for (std::size_t i = 0; i < running.size(); ++i)
    us[running[i]->name()][running[i]->way()] = 1e6 * spent[i] / steps[i];
  finish_speed(name, links, us, {}, tracks);

  target(name + ": over MuJoCo's", "x", 0.5, ratio("MuJoCo"));
  Value worst;
  for (const std::string& peer : others_)
    if (const Value r = ratio(peer); r && peer != "MuJoCo") worst = std::max(worst.value_or(0), *r);
  target(name + ": over the fastest other's", "x", 1, worst);
  Value depth;
  if (const auto at = tracks.find(std::string(ours) + "/warm"); at != tracks.end()) depth = at->second.penetration;
  target(name + ": penetration", "m", 1e-6, depth);
}

// What a link more costs, in the first milliseconds: later on, long chains lie in heaps.
void Contact::run_growth() {
  if (!tell("swing of 100 and 1000 links")) return;
  constexpr double dt = 1e-4;
  constexpr int sizes[] = {100, 1000}, rounds = 7, warm_up = 5, steps = 20;
  double least[] = {1e9, 1e9};
  std::vector<std::unique_ptr<Stage>> stages;
  ContactEngines engines;
  for (const int links : sizes) {
    stages.push_back(std::make_unique<Stage>(text("@swing:links=%d", links)));
    engines.push_back(std::move(linchpin_contact_engines().front()));
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < 2; ++i) {
      engines[i]->load(stages[i]->spec, stages[i]->model, dt);
      for (int k = 0; k < warm_up; ++k) engines[i]->step();
      const double start = thread_seconds();
      for (int k = 0; k < steps; ++k)
        if (const std::optional<Error> error = engines[i]->step())
          return leave_out(text("swing of %d links, at the start", sizes[i]), "step", *engines[i], error->message);
      least[i] = std::min(least[i], 1e6 * (thread_seconds() - start) / steps);
    }
  for (std::size_t i = 0; i < 2; ++i) {
    BenchRow row;
    row.suite = suite;
    row.bench_case = text("swing of %d links, at the start", sizes[i]);
    row.size = sizes[i];
    row.metric = "step";
    row.unit = "us";
    row.value = least[i];
    row.who = ours;
    row.scalar = "warm";
    report_.tables[1].rows.push_back({row.bench_case, "0", text("%.4g", least[i]), "-", "-"});
    report_.tables[1].rows.back().resize(report_.tables[1].columns.size(), "-");
    report_.rows.push_back(std::move(row));
  }
  target("swing of 1000 links over that of 100", "x", 12, least[1] / least[0]);
}

// Engines that are at rest take turns.
void Contact::run_settled(const std::string& name, Stage& stage, int settle, double most_residual) {
  if (!tell(name)) return;
  constexpr double dt = 1e-3;
  constexpr int judged = 20;
  constexpr double slow = 20e-3;  // s a step: the mean of those while settling will do
  std::map<std::string, Track> tracks;
  Numbers us, medians;
  std::vector<ContactEngine*> running;
  const std::string body = stage.model.bodies().back().name;
  for (const auto& engine : engines_) {
    if (const std::optional<Error> error = engine->load(stage.spec, stage.model, dt)) {
      leave_out(name, "step", *engine, error->message);
      continue;
    }
    tell(name + ": " + engine->name());
    std::vector<Transform<double>> start_poses(stage.model.bodies().size());
    engine->poses(start_poses);
    std::string failure;
    const double start = thread_seconds();
    int steps = 0;
    for (; steps < settle && failure.empty() && thread_seconds() - start < budget() / 2; ++steps)
      if (const std::optional<Error> error = engine->step()) failure = error->message;
    const double each = (thread_seconds() - start) / steps;
    Track track;
    if (failure.empty() && farthest(*engine, start_poses) > 0.1) failure = "fell down";
    if (failure.empty()) {
      track = follow(*engine, stage, {.dt = dt, .seconds = judged * dt, .body = body, .budget = budget()});
      if (!track.too_slow) failure = track.failure;
    }
    if (!failure.empty()) {
      leave_out(name, "step", *engine, failure);
      continue;
    }
    tracks[engine->name() + "/" + engine->way()] = std::move(track);
    if (each < slow)
      running.push_back(engine.get());
    else
      us[engine->name()][engine->way()] = 1e6 * each;
  }
  std::vector<Repeated> work;
  for (ContactEngine* engine : running)
    work.push_back([engine](int times) {
      for (int k = 0; k < times; ++k) engine->step();
    });
  // Many steps in a row, as in a simulation: after one of another engine nothing is in the cache.
  const TimingOptions timing{
      .sample = options_.quick ? 500e-6 : 5e-3, .budget = options_.quick ? 0.1 : 0.5, .fewest = 5, .most = 1000};
  const std::vector<Timing> timings = time_together(work, timing);
  for (std::size_t i = 0; i < running.size(); ++i) {
    us[running[i]->name()][running[i]->way()] = 1e6 * timings[i].minimum;
    medians[running[i]->name()][running[i]->way()] = 1e6 * timings[i].median;
  }
  finish_speed(name, stage.model.nv(), us, medians, tracks);
  Value residual;
  if (const auto at = tracks.find(std::string(ours) + "/warm"); at != tracks.end()) residual = at->second.residual;
  target(name + ": residual", "", most_residual, residual);
}

// On from where the spheres were poured: linchpin's, or where it did not get there Bullet's, which is fast and holds
// them.
void Contact::run_pile(const PhysicsCase& c, const std::map<std::string, Track>& poured) {
  const Track* lies = nullptr;
  for (const char* who : {"linchpin/warm", "Bullet/10 sweeps"})
    if (const auto at = poured.find(who); at != poured.end() && at->second.failure.empty() && !lies) {
      lies = &at->second;
      report_.notes.push_back(std::string("the pile was settled by ") + who);
    }
  if (!lies) return;
  Stage falling(c.scene);
  const std::string name = text("pile of %d spheres", int(falling.spec.bodies.size()));
  ModelSpec lying = falling.spec;
  for (JointSpec& joint : lying.joints) {
    joint.X_PF = lies->end[falling.model.find_body(joint.child)] * joint.X_CM;
    joint.start_v.clear();
  }
  Stage stage(std::move(lying));
  run_settled(name, stage, options_.quick ? 100 : 300, 1e-8);
  if (options_.quick) return;
  target(name + ": over MuJoCo's", "x", 1, ratio("MuJoCo"));
  target(name + ": over DART's", "x", 1, ratio("DART"));
  target(name + ": over Bullet's", "x", 2, ratio("Bullet"));
}

BenchReport Contact::run() {
  introduce();
  const std::vector<PhysicsCase> physics = physics_cases(options_.quick);
  const std::vector<int> links = options_.quick ? std::vector<int>{3, 12, 30} : std::vector<int>{3, 6, 12, 15, 24, 30};
  const std::vector<PhysicsCase> poured = poured_cases(options_.quick);
  const double piece = 1 / double(physics.size() + poured.size() + links.size() + 5);
  for (const PhysicsCase& c : physics) {
    run_physics(c);
    done_ += piece;
  }
  run_isotropy();
  done_ += piece;
  run_dominoes();
  done_ += piece;
  for (const int n : links) {
    run_swing(n);
    done_ += piece;
  }
  run_growth();
  done_ += piece;
  if (!stopped_) {
    Stage stack("@stack");
    run_settled("stack of 10 boxes", stack, 1000, 1e-10);
    target("stack of 10 boxes: over MuJoCo's", "x", 1, ratio("MuJoCo"));
    done_ += piece;
    Stage standing("@stand:feet_only=1");
    run_settled("standing humanoid, 8 contacts", standing, 1000, 1e-8);
    Value worst;
    for (const std::string& peer : others_)
      if (const Value r = ratio(peer)) worst = std::max(worst.value_or(0), *r);
    target("standing humanoid, 8 contacts: over the fastest peer's", "x", 1, worst);
    done_ += piece;
  }
  for (const PhysicsCase& c : poured) {
    const std::map<std::string, Track> tracks = run_poured(c);
    done_ += piece;
    if (&c == &poured.front() && !stopped_) run_pile(c, tracks);
  }
  const char* const tuned = "MuJoCo 3.12 built for its machine, which was another one, at another time";
  for (const auto& [name, us] :
       std::initializer_list<std::pair<const char*, double>>{{"swing of 3 links", 2.5},
                                                             {"swing of 12 links", 6.8},
                                                             {"swing of 30 links", 15.5},
                                                             {"standing humanoid, 8 contacts", 14},
                                                             {"stack of 10 boxes", 32},
                                                             {"pile of 125 spheres", 850}})
    report_.orientation.push_back({name, "step", "us", "MuJoCo", tuned, us});
  return std::move(report_);
}

}  // namespace

BenchReport bench_contact(const BenchOptions& options, const BenchProgress& progress) {
  pin_to_one_core();
  return Contact(options, progress).run();
}

}  // namespace linchpin
