// A contact mode: what every contact, joint limit and dry friction does between two events. Internal to sim/.
#pragma once

#include <vector>

#include "linchpin/contact/contact_set.h"

namespace linchpin {

// Of a contact in touch. Rolling is sticking: the material points in contact have the same velocity.
enum class Hold : char { open, sliding, sticking };

struct ModeContact {
  Contact at;  // where it was found last
  Hold hold = Hold::sticking;
  // True if its sliding velocity was zero when the mode began: friction then opposes `slide` until it slides.
  bool incipient = true;
  Vec3<double> slide = Vec3<double>::zero();  // W, direction of sliding at the start of the substep, a unit vector
  // N, along n, t1 and t2: of all forces with the same accelerations those nearest to these are taken.
  Vec3<double> near = Vec3<double>::zero();
};

struct ModeLimit {
  int limit;  // of JointRowPlan::limits
  bool closed = true;
  double near = 0;  // as that of a contact, N or N m
};

// Dry friction of a coordinate: 0 where it sticks, else the sign of its velocity.
struct ModeDry {
  int sign = 0;
  bool incipient = true;
};

struct Mode {
  std::vector<ModeContact> contacts;  // those in touch
  std::vector<ModeLimit> limits;      // those reached
  std::vector<ModeDry> dry;           // of JointRowPlan::frictional, all of them
};

}  // namespace linchpin
