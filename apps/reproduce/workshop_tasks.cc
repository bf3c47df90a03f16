#include "apps/reproduce/workshop_tasks.h"

namespace linchpin {
namespace {

constexpr double opened = -0.1, closed = 0.25;  // rad

constexpr double pull = 0.16;  // m

}  // namespace

std::vector<WorkKey> wheel_keys(bool quick, WheelTimes& times) {
  const double slow = quick ? 1 : 1.5;
  const auto hands = [](double time, double x, double out, double close) {
    const double z = wheel_at.z;
    return WorkKey{time, {{x, out, z}, close}, {{x, -out, z}, close}};
  };
  const double x = wheel_at.x, beside = 0.30, on = 0.19;
  std::vector<WorkKey> keys{hands(0, x - 0.15, 0.36, opened)};
  const auto then = [&](double duration, const WorkKey& key) {
    keys.push_back(key);
    keys.back().time = keys[keys.size() - 2].time + slow * duration;
  };
  then(0.6, hands(0, x, beside, opened));
  then(0.6, hands(0, x, on, opened));
  then(0.5, hands(0, x, on, closed));
  then(0.2, hands(0, x, on, closed));
  times.gripped = keys.back().time;
  then(1.6, hands(0, x - pull, on, closed));
  times.off = keys.back().time;
  then(0.5, hands(0, x - pull, on, closed));
  times.end = keys.back().time;
  return keys;
}

std::vector<WorkKey> driver_keys(bool quick, DriverTimes& times) {
  const double slow = quick ? 1 : 1.5;
  const Vec3<double> handle = handle_at, meeting{0.36, -0.06, 0.95};
  const Vec3<double> housing{0, 0.075, 0.105};  // from the handle to the place where the other hand takes it
  const Vec3<double> aside{0, 0.10, 0};         // a hand that is clear of it
  WorkKey now{0, {meeting + housing + aside, opened}, {handle - aside, opened}};
  std::vector<WorkKey> keys{now};
  const auto then = [&](double duration) {
    now.time += slow * duration;
    keys.push_back(now);
  };
  now.right.grasp = handle;
  then(0.7);
  now.right.close = closed;
  then(0.5);
  then(0.2);
  times.taken = now.time;
  now.right.grasp = meeting;
  then(1.2);
  then(0.2);
  times.brought = now.time;
  now.left.grasp = meeting + housing;
  then(0.7);
  now.left.close = closed;
  then(0.5);
  then(0.2);
  times.both = now.time;
  now.right.close = opened;
  then(0.4);
  now.right.grasp = meeting - aside;
  then(0.6);
  times.passed = now.time;
  now.left.grasp += Vec3<double>{0, 0.1, 0.08};
  then(0.8);
  then(0.4);
  times.end = now.time;
  return keys;
}

}  // namespace linchpin
