#include "linchpin/dynamics/tree/plan_limbs.h"

#include <algorithm>

namespace linchpin {
namespace {

// Limbs are computed side by side if this reduces the number of positions at least by this factor.
constexpr double least_gain = 1.7;

int size_of(const RunPlan<double>& run) { return run.end - run.slot; }

Limbs side_by_side(std::span<const Link> links, const Plan<double>& plan, std::span<const int> runs) {
  using V = Limbs::V;
  Limbs out;
  out.count = int(runs.size());
  for (int lane = 0; lane < Limbs::most; ++lane) {
    const int r = runs[lane < out.count ? std::size_t(lane) : 0];
    const RunPlan<double>& run = plan.runs[r];
    out.run[lane] = r;
    out.parent[lane] = run.parent;
    out.size[lane] = run.end - run.slot;
    out.length = std::max(out.length, out.size[lane]);
    if (run.parent != out.parent[0]) out.one_parent = false;
    if (run.has_children) out.has_children = true;
  }
  out.on_world = out.one_parent && out.parent[0] == 0;
  out.position.resize(out.length);
  out.link = AlignedArray<LinkBlock<V>>(out.length);
  out.head = plan.runs[out.run[0]].head;
  for (int lane = 0; lane < Limbs::most; ++lane) {
    const RunPlan<double>& run = plan.runs[out.run[lane]];
    const auto put = [&](V& field, double value) { field.numbers()[lane] = value; };
    const auto put_vector = [&](Vec3<V>& field, const Vec3<double>& value) {
      put(field.x, value.x), put(field.y, value.y), put(field.z, value.z);
    };
    put(out.sizes, out.size[lane]);
    put(out.screwed, run.head == Head::screwed ? 1 : 0);
    put(out.general, run.head == Head::general ? 1 : 0);
    if (run.head == Head::aligned) out.some_aligned = true;
    if (run.head == Head::screwed) out.some_screwed = true;
    if (run.head == Head::general) out.some_general = true;
    if (run.head == Head::screwed && out.head == Head::aligned) out.head = run.head;
    if ((run.head == Head::general) != (out.head == Head::general)) out.same_head = false;
    put_vector(out.E.x, run.E.x);
    put_vector(out.E.y, run.E.y);
    put_vector(out.E.z, run.E.z);
    put_vector(out.r, run.r);
    put(out.phi.c, run.phi.c);
    put(out.phi.s, run.phi.s);
    put(out.t, run.t);
    const int heads = plan.layout[std::size_t(run.slot / Lanes<double>::joints)].heads;
    if (heads >= 0) {
      const auto& head = plan.heads[heads];
      const int from = run.slot % Lanes<double>::joints;
      put(out.before_normal.x, at<double>(head.x, from));
      put(out.before_normal.y, at<double>(head.y, from));
      put(out.before_normal.z, at<double>(head.z, from));
    }
    for (int k = 0; k < out.length; ++k) {
      Limbs::Position& position = out.position[k];
      const int slot = std::min(run.slot + k, run.end - 1);
      position.slot[lane] = slot;
      position.v[lane] = plan.v_of_slot[slot];
      position.tip = position.tip || k == out.size[lane] - 1;
      Link beyond;
      beyond.inertia = {1, Vec3<double>::zero(), Sym3<double>::diagonal(1, 1, 1)};
      const bool real = k < out.size[lane];
      fill<double>(real ? links[plan.link_of_slot[slot]] : beyond, out.link[k], lane);
    }
  }
  return out;
}

// Divides runs into groups of Limbs::most, the longest first, so that runs of similar length share registers. Calls
// together(runs) for groups that save enough.
template <class Together>
void in_groups(const Plan<double>& plan, std::vector<int> runs, const Together& together) {
  const auto size = [&](int r) { return size_of(plan.runs[r]); };
  std::stable_sort(runs.begin(), runs.end(), [&](int a, int b) { return size(a) > size(b); });
  for (std::size_t at = 0; at < runs.size(); at += Limbs::most) {
    const std::span<const int> group(&runs[at], std::min(runs.size() - at, std::size_t(Limbs::most)));
    int all = 0;
    for (const int r : group) all += size(r);
    if (all >= least_gain * size(group.front())) together(group);
  }
}

// ---- the order of crba() --------------------------------------------------------------------------------------------

// Rows of longer runs are written faster by whole registers than in lanes (mass_matrix_limbs.h).
constexpr int longest_in_lanes = 64;

// The height of a run is 0 without children, else 1 more than that of its highest child. Runs of one height are
// independent of each other, and so are runs that wait while others are computed that are lower than their parent.
std::vector<int> heights(const Plan<double>& plan) {
  std::vector<int> height(plan.runs.size(), 0);
  for (std::size_t r = plan.runs.size() - 1; r > 0; --r) {
    int& parent = height[plan.runs[r].parent];
    parent = std::max(parent, height[r] + 1);
  }
  return height;
}

struct CrbaOrderMaker {
  std::span<const Link> links;
  Plan<double>& plan;
  CrbaOrder& order = plan.crba_order;
  std::vector<int> height = heights(plan);
  std::vector<std::vector<int>> alone{}, on_world{}, on_runs{};  // by height: runs not for lanes, and runs for lanes

  void make() {
    const std::size_t levels = std::size_t(height[0]);
    alone.resize(levels), on_world.resize(levels), on_runs.resize(levels);
    for (std::size_t r = plan.runs.size() - 1; r > 0; --r) sort_in(int(r));
    for (std::size_t level = 0; level < levels; ++level) {
      if (level + 1 < levels) let_wait(level);
      put_in_lanes(on_runs[level], level);
      put_in_lanes(on_world[level], level);
      std::sort(alone[level].begin(), alone[level].end(), std::greater<int>());
      for (const int r : alone[level]) order.inward.push_back({r});
    }
  }
  void sort_in(int r) {
    const RunPlan<double>& run = plan.runs[r];
    if (run.kind != LinkKind::revolute || size_of(run) > longest_in_lanes)
      alone[std::size_t(height[r])].push_back(r);
    else if (run.parent == 0)  // no other run waits for it
      on_world.back().push_back(r);
    else
      on_runs[std::size_t(height[r])].push_back(r);
  }
  // Runs that may wait do so if they are longer than all others of this level: they would keep these from being short.
  void let_wait(std::size_t level) {
    const auto may_wait = [&](int r) { return height[plan.runs[r].parent] > int(level) + 1; };
    int longest = 0;
    for (const int r : on_runs[level])
      if (!may_wait(r)) longest = std::max(longest, size_of(plan.runs[r]));
    const auto waits = [&](int r) { return may_wait(r) && size_of(plan.runs[r]) > longest; };
    for (const int r : on_runs[level])
      if (waits(r)) on_runs[level + 1].push_back(r);
    std::erase_if(on_runs[level], waits);
  }
  void put_in_lanes(const std::vector<int>& runs, std::size_t level) {
    in_groups(plan, runs, [&](std::span<const int> group) {
      for (std::size_t lane = 0; lane < group.size(); ++lane)
        order.place[group[lane]] = {int(order.limbs.size()), int(lane)};
      order.inward.push_back({0, int(order.limbs.size())});
      order.limbs.push_back(side_by_side(links, plan, group));
      order.limbs.back().first = order.positions;
      order.positions += order.limbs.back().length;
    });
    for (const int r : runs)
      if (order.place[r].limbs < 0) alone[level].push_back(r);
  }
};

}  // namespace

void find_limbs(std::span<const Link> links, Plan<double>& plan) {
  std::vector<int> limbs;
  for (std::size_t r = 1; r < plan.runs.size(); ++r) {
    const RunPlan<double>& run = plan.runs[r];
    if (run.kind == LinkKind::revolute && !run.has_children && run.parent != 0) limbs.push_back(int(r));
  }
  in_groups(plan, limbs, [&](std::span<const int> group) {
    for (std::size_t lane = 0; lane < group.size(); ++lane) {
      plan.runs[group[lane]].limbs = int(plan.limbs.size());
      plan.runs[group[lane]].lane = int(lane);
    }
    plan.limbs.push_back(side_by_side(links, plan, group));
    plan.limbs.back().first = plan.limb_positions;
    plan.limb_positions += plan.limbs.back().length;
  });
}

void find_crba_order(std::span<const Link> links, Plan<double>& plan) { CrbaOrderMaker{links, plan}.make(); }

// Each run has a path of its own or continues its parent's: the child with the longest one, so that a chain of runs
// copies nothing.
void find_paths(std::span<const int> coordinates, std::span<const int> parent, const PathOptions& options,
                CrbaOrder& order) {
  const std::size_t runs = coordinates.size();
  std::vector<int> end(runs, 0), reach(runs, 0), heir(runs, 0);
  order.path.resize(runs);
  for (std::size_t r = 1; r < runs; ++r) {
    order.path[r].before = end[parent[r]];
    end[r] = end[parent[r]] + coordinates[r];
  }
  for (std::size_t r = runs - 1; r > 0; --r) {
    reach[r] = std::max(reach[r], end[r]);
    if (reach[r] <= reach[parent[r]]) continue;
    reach[parent[r]] = reach[r];
    heir[parent[r]] = int(r);
  }
  const auto registers = [&](int numbers) { return std::size_t((numbers + options.width - 1) / options.width); };
  order.path_size = options.depth_first ? registers(reach[0]) : 0;
  for (std::size_t r = 1; r < runs && !options.depth_first; ++r) {
    CrbaOrder::Path& path = order.path[r];
    if (parent[r] != 0 && heir[parent[r]] == int(r)) {
      path.start = order.path[parent[r]].start;
    } else {
      path.start = order.path_size;
      path.copied = parent[r] != 0;
      order.path_size += registers(reach[r]);
    }
  }
}

}  // namespace linchpin
