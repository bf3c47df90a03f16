#include "linchpin/dynamics/tree/plan.h"

#include <algorithm>
#include <cmath>
#include <span>

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

template <class Real, class Block>
void fill(const Link& link, Block& block, int lane) {
  const auto put = [&](auto& field, double value) { at<Real>(field, lane) = Real(value); };
  put(block.cos_alpha, std::cos(link.alpha));
  put(block.sin_alpha, std::sin(link.alpha));
  put(block.a, link.a);
  put(block.angle0, link.angle0);
  put(block.slide0, link.slide0);
  put(block.turn, link.turn);
  put(block.slide, link.slide);
  put(block.mass, link.inertia.mass);
  put(block.h_x, link.inertia.h.x);
  put(block.h_y, link.inertia.h.y);
  put(block.h_z, link.inertia.h.z);
  put(block.I_xx, link.inertia.I.xx);
  put(block.I_yy, link.inertia.I.yy);
  put(block.I_zz, link.inertia.I.zz);
  put(block.I_xy, link.inertia.I.xy);
  put(block.I_xz, link.inertia.I.xz);
  put(block.I_yz, link.inertia.I.yz);
  put(block.armature, link.armature);
}

// ---- limbs ----------------------------------------------------------------------------------------------------------

// Limbs are computed side by side if this reduces the number of positions at least by this factor.
constexpr double least_gain = 1.7;

template <class Real>
bool is_limb(const RunPlan<Real>& run) {
  return run.kind == LinkKind::revolute && !run.has_children && run.parent != 0;
}

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
  }
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
    if (run.head == Head::aligned) out.some_aligned = true;
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

// Longest first, so that limbs of similar length share registers.
void find_limbs(std::span<const Link> links, Plan<double>& plan) {
  std::vector<int> limbs;
  for (std::size_t r = 1; r < plan.runs.size(); ++r)
    if (is_limb(plan.runs[r])) limbs.push_back(int(r));
  const auto size = [&](int r) { return plan.runs[r].end - plan.runs[r].slot; };
  std::stable_sort(limbs.begin(), limbs.end(), [&](int a, int b) { return size(a) > size(b); });
  for (std::size_t at = 0; at < limbs.size(); at += Limbs::most) {
    const std::span<const int> together(&limbs[at], std::min(limbs.size() - at, std::size_t(Limbs::most)));
    int all = 0;
    for (const int r : together) all += size(r);
    if (all < least_gain * size(together.front())) continue;
    for (std::size_t lane = 0; lane < together.size(); ++lane) {
      plan.runs[together[lane]].limbs = int(plan.limbs.size());
      plan.runs[together[lane]].lane = int(lane);
    }
    plan.limbs.push_back(side_by_side(links, plan, together));
    plan.limbs.back().first = plan.limb_positions;
    plan.limb_positions += plan.limbs.back().length;
  }
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
  if constexpr (std::is_same_v<T, double>) find_limbs(links, *this);

  for (const Body& b : model.bodies())
    body.push_back({b.link, slot_of[b.link], wide_of[b.link], as<Real>(b.X_LB.R), as<Real>(b.X_LB.p)});
}

#define LINCHPIN_INSTANTIATE(T) template struct Plan<T>;
LINCHPIN_FOR_EACH_SCALAR(LINCHPIN_INSTANTIATE)
#undef LINCHPIN_INSTANTIATE

}  // namespace linchpin
