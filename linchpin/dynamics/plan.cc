#include "linchpin/dynamics/plan.h"

#include <cmath>

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

  std::vector<Vec3<double>> before_normal(std::size_t(slots), Vec3<double>::zero());  // of heads, in F's axes
  for (std::size_t r = 1; r < model.runs().size(); ++r) {
    const Run& run = model.runs()[r];
    const Link& first = links[std::size_t(run.first)];
    if (run.parent == 0 || first.nv != 1) continue;
    const Vec3<double> start = first.split ? Vec3<double>{0, 0, first.t} : first.X_PF.p;
    before_normal[std::size_t(slot_of[std::size_t(run.first)])] = transpose_times(first.X_PF.R, start);
  }
  const auto begins_elsewhere = [&](int slot) {
    const Vec3<double>& way = before_normal[std::size_t(slot)];
    return way.x != 0 || way.y != 0 || way.z != 0;
  };

  // Whether a block turns only, and from the ends of common normals, must not depend on how many joints this T puts
  // into a block: lanes of a pack take the same path as the scalar run they are compared with.
  constexpr int alone = 64 / sizeof(Real);
  blocks = AlignedArray<Block>(std::size_t((slots + joints - 1) / joints));
  layout.resize(blocks.size());
  int head_blocks = 0;
  for (int s = 0; s < slots; ++s) {
    const Link& link = links[std::size_t(link_of_slot[std::size_t(s)])];
    BlockLayout& where = layout[std::size_t(s / joints)];
    if (s % joints == 0) {
      where.q = link.q;
      where.v = link.v;
    }
    where.count = s % joints + 1;
    where.contiguous = where.contiguous && link.q == where.q + s % joints && link.v == where.v + s % joints;
    for (int k = s / alone * alone; k < std::min(slots, s / alone * alone + alone); ++k) {
      where.axial = where.axial || links[std::size_t(link_of_slot[std::size_t(k)])].kind == LinkKind::axial;
      if (where.heads < 0 && begins_elsewhere(k)) where.heads = head_blocks++;
    }
    fill<Real>(link, blocks[std::size_t(s / joints)], s % joints);
  }
  heads = AlignedArray<HeadBlock<typename Lanes<T>::Constant>>(std::size_t(head_blocks));
  for (int s = 0; s < slots; ++s) {
    const int at_block = layout[std::size_t(s / joints)].heads;
    if (at_block < 0) continue;
    HeadBlock<typename Lanes<T>::Constant>& block = heads[std::size_t(at_block)];
    const Vec3<Real> way = as<Real>(before_normal[std::size_t(s)]);
    at<Real>(block.x, s % joints) = way.x;
    at<Real>(block.y, s % joints) = way.y;
    at<Real>(block.z, s % joints) = way.z;
  }

  runs.emplace_back();
  runs.front().kind = LinkKind::world;
  for (const Run& run : model.runs()) last_link.push_back(run.end - 1);
  for (std::size_t r = 1; r < model.runs().size(); ++r) {
    const Run& run = model.runs()[r];
    const Link& first = links[std::size_t(run.first)];
    RunPlan<Real> plan{};
    plan.kind = run.kind;
    plan.slot = first.nv == 1 ? slot_of[std::size_t(run.first)] : wide_of[std::size_t(run.first)];
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
    RunPlan<Real>& parent = runs[std::size_t(runs[r].parent)];
    runs[r].opens_sum = !parent.has_children;
    parent.has_children = true;
  }

  for (const Body& b : model.bodies())
    body.push_back(
        {b.link, slot_of[std::size_t(b.link)], wide_of[std::size_t(b.link)], as<Real>(b.X_LB.R), as<Real>(b.X_LB.p)});
}

template struct Plan<double>;
template struct Plan<float>;
template struct Plan<Double4>;
template struct Plan<Double8>;
template struct Plan<Float16>;

}  // namespace linchpin
