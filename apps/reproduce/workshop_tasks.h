// The tasks of the dual-arm robot in the scene workshop (workshop_run.h): take the wheel off its hub with both hands,
// and hand the driver from one hand to the other.
#pragma once

#include <vector>

#include "apps/reproduce/workshop_run.h"

namespace linchpin {

// Positions in the scene: the middle of the wheel, and that of the driver's handle.
inline constexpr Vec3<double> wheel_at{0.55, 0, 1.149}, handle_at{0.36, -0.14, 0.74};

// s: the end of each stage. quick: 1.5 times as fast.
struct WheelTimes {
  double gripped, off, end;
};
std::vector<WorkKey> wheel_keys(bool quick, WheelTimes& times);

struct DriverTimes {
  double taken, brought, both, passed, end;
};
std::vector<WorkKey> driver_keys(bool quick, DriverTimes& times);

}  // namespace linchpin
