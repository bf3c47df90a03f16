// Joins of two assemblies, as far as forces and accelerations go: (3), (4) and (6) of divide_and_conquer.h, for the
// stages of divide_and_conquer() and of solve(). For kernel files only.
#pragma once

#include "linchpin/dynamics/divide_conquer/divide_and_conquer.h"
#include "linchpin/dynamics/divide_conquer/six.h"

namespace linchpin {

LINCHPIN_INLINE bool one_axis(LinkKind kind) { return kind == LinkKind::revolute || kind == LinkKind::axial; }

LINCHPIN_INLINE double sum6(const Double8& z) { return ((z[0] + z[1]) + (z[2] + z[3])) + (z[4] + z[5]); }

// F of (4).
LINCHPIN_INLINE Double8 force_between(const Assembly& upper, const Assembly& here, const Double8& y, const Double8& g) {
  return g - plus_transposed(Double8(0.0), here.J, plus_transposed(y, upper.Psi, g));
}

// (6)
inline void join_bias(const AssemblyTree& tree, int node, const AlignedArray<Assembly>& assembly,
                      AlignedArray<AssemblyMotion>& motion) {
  const AssemblyTree::Node& n = tree.nodes()[node];
  const Assembly &upper = assembly[n.upper], &lower = assembly[n.lower];
  const AssemblyMotion &of_upper = motion[n.upper], &of_lower = motion[n.lower];
  const Double8 F0 = force_between(upper, assembly[node], of_upper.beta, -six(of_lower.p));
  if (!n.on_world) motion[node].p = of_upper.p - force(product(upper.Phi, F0));
  if (n.open)
    motion[node].beta = plus_transposed(of_lower.beta, lower.Phi, plus_transposed(of_upper.beta, upper.Psi, F0));
}

// (3), (4)
inline void disjoin(const AssemblyTree& tree, int node, const AlignedArray<Assembly>& assembly,
                    AlignedArray<AssemblyMotion>& motion) {
  const AssemblyTree::Node& n = tree.nodes()[node];
  const Assembly &upper = assembly[n.upper], &lower = assembly[n.lower];
  const AssemblyMotion& here = motion[node];
  const Double8 y = plus_transposed(motion[n.upper].beta, upper.Phi, six(here.A));
  Double8 g = -six(motion[n.lower].p);
  if (n.open) g = g + product(lower.Phi, six(here.F));
  const Double8 F = force_between(upper, assembly[node], y, g);
  motion[n.upper].A = here.A;
  motion[n.upper].F = force(F);
  motion[n.lower].A = linchpin::motion(plus_transposed(y, upper.Psi, F));
  motion[n.lower].F = here.F;
}

}  // namespace linchpin
