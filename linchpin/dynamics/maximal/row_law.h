// The law of a constraint row: the relation between its multiplier and its relative acceleration (or velocity).
#pragma once

#include <limits>

namespace linchpin {

// For the multiplier l of a row and a = J vdot + c (or J v - speed). Primary constraints are equalities; all other laws
// are left to the solver of the auxiliary constraints (auxiliary_rows.h).
struct RowLaw {
  enum class Kind {
    equality,     // a = 0
    nonnegative,  // l >= 0, a >= 0, l a = 0: contacts, limits
    box,          // lower <= l <= upper, a = 0 between, >= 0 at lower, <= 0 at upper
    cone,         // three rows, normal first: Coulomb's law with friction mu
  };
  Kind kind = Kind::equality;
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double mu = 0;
};

}  // namespace linchpin
