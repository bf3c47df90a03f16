// The four systems of 004 section 9, as far as the paper describes them: rods in the plane and in space, built of black
// boxes (black_box/black_box.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/block_system.h"
#include "linchpin/black_box/auxiliary_problem.h"
#include "linchpin/black_box/multiplier_system.h"

namespace linchpin {

struct Section9System {
  std::string name;
  MultiplierSystem system;
  MultiplierState state;
  std::vector<int> auxiliary;                  // constraints
  std::shared_ptr<AuxiliaryProblem> contacts;  // their solver, where there are any
  struct Rod {
    Vec3<double> from, to;
  };
  std::vector<Rod> rods;             // to draw
  std::vector<Vec3<double>> points;  // where auxiliary constraints are
  bool planar = false;
  int primary_rows = 0, auxiliary_rows = 0;
};

Section9System plane_tree();      // 54 pins of two rows
Section9System plane_loops();     // 48 pins, and 6 more that close loops
Section9System space_contacts();  // 32 ball joints, and 3 frictionless contacts
Section9System space_tree();      // 127 ball joints

// All active rows (equalities, and others with a multiplier that is not zero) at the system's state as blocks: primary
// constraints first, in their order, then auxiliary ones. l: their multipliers in the system's last solution.
BlockSystem blocks_of(Section9System& s, std::vector<double>& l);
// The rows of the primary constraints alone.
BlockSystem primary_blocks_of(Section9System& s);

}  // namespace linchpin
