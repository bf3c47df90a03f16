// Parts of the construction of a Plan (plan.h): constants of links, limbs side by side, and the order of crba().
#pragma once

#include <cmath>
#include <span>

#include "linchpin/dynamics/tree/plan.h"

namespace linchpin {

// The constants of one link in one lane of a block.
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

// Fills Plan::limbs.
void find_limbs(std::span<const Link> links, Plan<double>& plan);

// Fills Plan::crba_order, except `path`.
void find_crba_order(std::span<const Link> links, Plan<double>& plan);

// Fills `path` and `path_size`. `coordinates` and `parent` are per run, those of the world zero. All runs share one
// path if they are computed depth first. `width`: axes in a register.
struct PathOptions {
  bool depth_first;
  int width;
};
void find_paths(std::span<const int> coordinates, std::span<const int> parent, const PathOptions& options,
                CrbaOrder& order);

}  // namespace linchpin
