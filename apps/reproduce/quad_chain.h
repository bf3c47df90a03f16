// Forward dynamics of a chain of revolute joints with 113 bits: the reference for other precisions.
//
// Written independently of the library, and in another way: everything about the world's origin in the world's axes,
// where forces and inertias of neighbours simply add up. With s_i = (u, p x u) the axis of joint i, outward
//     v_i = v_p + s_i qd_i,   c_i = v_i x s_i qd_i,   b_i = v_i x* I_i v_i                                   (1)
// Two methods, which must agree:
//   articulated   D = s' IA s, IA_p += IA - (IA s)(IA s)' / D, and so on                                     (2)
//   composite     M_ij = s_j' Ic_i s_i, Cholesky                                                            (3)
// Slow: each operation is a call.
#pragma once

#include <span>
#include <vector>

#include "linchpin/model/model.h"

namespace linchpin {

enum class QuadMethod { articulated, composite };

// vdot, rounded to long double. tau is zero.
std::vector<long double> quad_chain_dynamics(const Model& chain, std::span<const double> q, std::span<const double> v,
                                             QuadMethod method);

}  // namespace linchpin
