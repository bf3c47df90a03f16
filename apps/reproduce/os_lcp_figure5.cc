// os-lcp/figure5: 000 Figure 5, the pendulum of 12 links at several times.
#include <algorithm>

#include <fmt/format.h>

#include "apps/picture.h"
#include "apps/reproduce/reproduction.h"
#include "apps/reproduce/swing_run.h"

namespace linchpin {
namespace {

Drawing frames(const Model& model, const SwingRun& run) {
  constexpr int count = 12, columns = 4;
  Picture picture(model);
  picture.single_out(int(model.bodies().size()) - 1);
  std::vector<std::string> captions;
  for (int i = 0; i < count; ++i) {
    const SwingSample& at = sample_at(run, run.samples.back().time * i / (count - 1));
    picture.expose(at.state);
    captions.push_back(fmt::format("t = {:.2f} s", at.time));
  }
  return {picture.panels(captions, columns), "From the side; the last link in another colour, floor and wall in grey."};
}

constexpr SwingTouch::With kinds[] = {SwingTouch::floor, SwingTouch::wall, SwingTouch::link};
constexpr const char* names[] = {"floor", "wall", "another link"};

struct Touches {
  long count = 0;
  double first = 0, last = 0;  // s
  int links = 0;               // how many of them had any
  int at_once = 0;             // the most in one step
};
Touches touches_with(const SwingRun& run, SwingTouch::With with) {
  Touches found;
  std::vector<int> bodies;
  double time = -1;
  int now = 0;
  for (const SwingTouch& t : run.touches) {
    if (t.with != with) continue;
    if (found.count++ == 0) found.first = t.time;
    found.last = t.time;
    if (std::ranges::find(bodies, t.body) == bodies.end()) bodies.push_back(t.body);
    now = t.time == time ? now + 1 : 1;
    time = t.time;
    found.at_once = std::max(found.at_once, now);
  }
  found.links = int(bodies.size());
  return found;
}

Table touch_table(const SwingRun& run) {
  Table table{
      "Impacts", "lrrrrr", {"with", "contacts", "first, s", "last, s", "links that had any", "most in one step"}};
  for (std::size_t k = 0; k < std::size(kinds); ++k) {
    const Touches t = touches_with(run, kinds[k]);
    table.rows.push_back({names[k], std::to_string(t.count), t.count ? fmt::format("{:.4f}", t.first) : "-",
                          t.count ? fmt::format("{:.4f}", t.last) : "-", std::to_string(t.links),
                          std::to_string(t.at_once)});
  }
  return table;
}

}  // namespace

Reproduction reproduce_os_lcp_figure5(const ReproduceOptions& options, const ReproduceProgress& progress) {
  const double time = options.quick ? 2 : 4;
  const Model model = swing_model(12);
  bool stopped = false;
  const SwingRun run = run_swing(model, {.time = time}, [&](double part) {
    stopped = stopped || !progress(part, "pendulum of 12 links");
    return !stopped;
  });
  if (stopped) return {};
  const Touches floor = touches_with(run, SwingTouch::floor), wall = touches_with(run, SwingTouch::wall),
                links = touches_with(run, SwingTouch::link);
  const Certificate& c = run.certificate;

  Reproduction result;
  result.claims = {
      {"it collides with the ground, bounces off, and then meets the wall", "\"eventually collides with the wall\"",
       fmt::format("{} contacts with the floor from {:.3f} s on, {} with the wall from {:.3f} s on, {} of links with "
                   "each other",
                   floor.count, floor.first, wall.count, wall.first, links.count),
       floor.count > 0 && wall.count > 0 && floor.first < wall.first},
      {"the certificate is clean", "-",
       fmt::format("{} steps; {} problems, {} of them not solved to 1e-10, largest residual {:.0e}; shapes penetrate "
                   "by {:.0e} m at most",
                   c.steps, c.problems, c.loose, c.residual, c.penetration),
       run.clean()},
      {"impacts take energy and never give any", "restitution 0.7: the fraction that remains",
       fmt::format("{:.1f} J of {:.1f} J are lost in {} impacts; the energy defect is {:.1e} of the energy exchanged",
                   c.impact_loss, c.energy.start, c.impacts, c.energy.relative_defect()),
       c.impact_loss > 0 && c.energy.stored < c.energy.start && c.energy.relative_defect() < 1e-2},
  };
  result.account = {
      Paragraph{fmt::format("@swing with 12 links, {:g} s in steps of 0.1 ms, by OS with four directions of friction.",
                            time)},
      frames(model, run),
      touch_table(run),
  };
  return result;
}

}  // namespace linchpin
