// The problems of five formulations at one state with four contacts, for the reproductions of 000's Tables 1 and 2.
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/formulation.h"

namespace linchpin {

inline constexpr int posed_contacts = 4, posed_directions = 4;  // both tables

struct PointContact {
  int link;
  Vec3<double> at_L;
};

// One contact point on each of the last links; links repeat if there are fewer than contacts.
std::vector<PointContact> last_links(const Model& model);

struct Posed {
  Method method;
  int size = 0;         // of the polyhedral problem
  double residual = 0;  // of its contact impulses in the problem of OS
};

// At a random state, moving, with gravity, over a step of 0.1 ms; the points touch the world. In the order of Table 1,
// with NMC/OS after NMC; OS is last.
std::vector<Posed> pose_all(const Model& model, std::span<const PointContact> points);

double worst_residual(std::span<const Posed> posed);

// Table 2's sizes: NMC, NMC/OS and OS for pendulums.
struct PendulumSizes {
  int links, nmc, nmc_os, os;
};
inline constexpr PendulumSizes sizes_of_000[] = {{3, 57, 39, 24},   {6, 90, 54, 24},    {12, 156, 84, 24},
                                                 {15, 189, 99, 24}, {24, 288, 144, 24}, {30, 354, 174, 24}};

}  // namespace linchpin
