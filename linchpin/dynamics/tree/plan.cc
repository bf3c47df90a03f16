#include "linchpin/dynamics/tree/plan.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "linchpin/dynamics/tree/plan_limbs.h"
#include "linchpin/dynamics/tree/scalars.h"

namespace linchpin {
namespace {

template <class S>
Vec3<S> as(const Vec3<double>& v) {
  return {S(v.x), S(v.y), S(v.z)};
}
template <class S>
Mat3<S> as(const Mat3<double>& R) {
  return {as<S>(R.x), as<S>(R.y), as<S>(R.z)};
}
template <class S>
Sym3<S> as(const Sym3<double>& I) {
  return {S(I.xx), S(I.yy), S(I.zz), S(I.xy), S(I.xz), S(I.yz)};
}

}  // namespace

template <class T>
Plan<T>::Plan(const Model& model) {
  constexpr int joints = Lanes<T>::joints;
  const std::span<const Link> links = model.links();
  nq = model.nq();
  nv = model.nv();
  bodies = static_cast<int>(model.bodies().size());
  upward = as<Real>(-model.gravity());

  std::vector<int> slot_of(links.size(), -1), wide_of(links.size(), -1);
  for (std::size_t i = 1; i < links.size(); ++i) {
    const Link& link = links[i];
    if (link.nv == 1) {
      slot_of[i] = slots++;
      q_of_slot.push_back(link.q);
      v_of_slot.push_back(link.v);
      link_of_slot.push_back(static_cast<int>(i));
    } else {
      wide_of[i] = static_cast<int>(wide_links.size());
      wide_links.push_back({link.kind,
                            link.q,
                            link.v,
                            {Real(link.inertia.mass), as<Real>(link.inertia.h), as<Real>(link.inertia.I)},
                            Real(link.armature)});
      link_of_wide.push_back(static_cast<int>(i));
    }
  }

  std::vector<Vec3<double>> before_normal(slots, Vec3<double>::zero());  // of heads, in F's axes
  for (std::size_t r = 1; r < model.runs().size(); ++r) {
    const Run& run = model.runs()[r];
    const Link& first = links[run.first];
    if (run.parent == 0 || first.nv != 1) continue;
    const Vec3<double> start = first.split ? Vec3<double>{0, 0, first.t} : first.X_PF.p;
    before_normal[slot_of[run.first]] = transpose_times(first.X_PF.R, start);
  }
  const auto begins_elsewhere = [&](int slot) {
    const Vec3<double>& way = before_normal[slot];
    return way.x != 0 || way.y != 0 || way.z != 0;
  };

  // Whether a block is axial or has heads must not depend on the number of joints that T puts into a block: lanes of a
  // pack must use the same code path as a scalar run to have the same bits.
  constexpr int alone = 64 / sizeof(Real);
  blocks = AlignedArray<Block>((slots + joints - 1) / joints);
  layout.resize(blocks.size());
  int head_blocks = 0;
  for (int s = 0; s < slots; ++s) {
    const Link& link = links[link_of_slot[s]];
    BlockLayout& where = layout[s / joints];
    if (s % joints == 0) {
      where.q = link.q;
      where.v = link.v;
    }
    where.count = s % joints + 1;
    where.contiguous = where.contiguous && link.q == where.q + s % joints && link.v == where.v + s % joints;
    for (int k = s / alone * alone; k < std::min(slots, s / alone * alone + alone); ++k) {
      where.axial = where.axial || links[link_of_slot[k]].kind == LinkKind::axial;
      if (where.heads < 0 && begins_elsewhere(k)) where.heads = head_blocks++;
    }
    fill<Real>(link, blocks[s / joints], s % joints);
  }
  heads = AlignedArray<HeadBlock<typename Lanes<T>::Constant>>(head_blocks);
  for (int s = 0; s < slots; ++s) {
    const int at_block = layout[s / joints].heads;
    if (at_block < 0) continue;
    HeadBlock<typename Lanes<T>::Constant>& block = heads[at_block];
    const Vec3<Real> way = as<Real>(before_normal[s]);
    at<Real>(block.x, s % joints) = way.x;
    at<Real>(block.y, s % joints) = way.y;
    at<Real>(block.z, s % joints) = way.z;
  }

  runs.emplace_back();
  runs.front().kind = LinkKind::world;
  for (const Run& run : model.runs()) last_link.push_back(run.end - 1);
  for (std::size_t r = 1; r < model.runs().size(); ++r) {
    const Run& run = model.runs()[r];
    const Link& first = links[run.first];
    RunPlan<Real> plan{};
    plan.kind = run.kind;
    plan.slot = first.nv == 1 ? slot_of[run.first] : wide_of[run.first];
    plan.end = plan.slot + run.end - run.first;
    plan.parent = run.parent;
    plan.E = as<Real>(first.X_PF.R);
    plan.r = as<Real>(first.X_PF.p);
    plan.rF = as<Real>(transpose_times(first.X_PF.R, first.X_PF.p));
    plan.head = !first.split ? Head::general : first.phi == 0 && first.t == 0 ? Head::aligned : Head::screwed;
    plan.phi = {Real(std::cos(first.phi)), Real(std::sin(first.phi))};
    plan.t = Real(first.t);
    runs.push_back(plan);
  }
  for (std::size_t r = runs.size() - 1; r > 0; --r) {
    RunPlan<Real>& parent = runs[runs[r].parent];
    runs[r].opens_sum = !parent.has_children;
    parent.has_children = true;
  }
  for (std::size_t r = 1; r < runs.size(); ++r) {
    RunPlan<Real>& parent = runs[runs[r].parent];
    runs[r].sibling = parent.last_child;
    parent.last_child = int(r);
  }
  crba_order.place.resize(runs.size());
  if constexpr (std::is_same_v<T, double>) {
    find_limbs(links, *this);
    find_crba_order(links, *this);
  } else {
    for (std::size_t r = runs.size() - 1; r > 0; --r) crba_order.inward.push_back({int(r)});
  }
  std::vector<int> coordinates{0}, parent{0};
  for (std::size_t r = 1; r < runs.size(); ++r) {
    const bool wide = links[model.runs()[r].first].nv > 1;
    coordinates.push_back(wide ? links[model.runs()[r].first].nv : runs[r].end - runs[r].slot);
    parent.push_back(runs[r].parent);
  }
  find_paths(coordinates, parent, {!std::is_same_v<T, double>, Lanes<T>::joints}, crba_order);

  for (const Body& b : model.bodies())
    body.push_back({b.link, slot_of[b.link], wide_of[b.link], as<Real>(b.X_LB.R), as<Real>(b.X_LB.p)});
}

#define LINCHPIN_INSTANTIATE(T) template struct Plan<T>;
LINCHPIN_FOR_EACH_SCALAR(LINCHPIN_INSTANTIATE)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin
