// Shared by the tests of this room: reproducible random states and bodies.
#pragma once

#include <random>

#include "linchpin/black_box/box_bodies.h"
#include "linchpin/black_box/multiplier_system.h"
#include "linchpin/spatial/quaternion.h"

namespace linchpin {

inline constexpr double g = 9.81;  // m/s^2

class BoxRandom {
 public:
  explicit BoxRandom(unsigned seed) : engine_(seed) {}
  double number(double low = -1, double high = 1) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vec3<double> vec() { return {number(), number(), number()}; }
  Quaternion<double> turn() { return exp_rotation(2.0 * vec()); }
  RigidInertia<double> inertia() {  // of a box whose centre is not at the origin
    const double m = number(0.5, 2), a = number(0.2, 1), b = number(0.2, 1), c = number(0.2, 1);
    const Sym3<double> box =
        Sym3<double>::diagonal(m * (b * b + c * c) / 3, m * (a * a + c * c) / 3, m * (a * a + b * b) / 3);
    return RigidInertia<double>::about_centre(m, 0.3 * vec(), rotate(to_rotation(turn()), box));
  }
  // A random q of a body near its start.
  void place(const AnyBody& body, std::span<double> q, double size = 1) {
    body.start(q);
    std::vector<double> v(body.dimension());
    for (double& x : v) x = number(-0.4, 0.4);
    body.advance(q, v, size);
  }
  struct BodyState {
    std::vector<double> q, v;
  };
  BodyState state(const AnyBody& body) {
    BodyState s{std::vector<double>(body.positions()), std::vector<double>(body.dimension())};
    place(body, s.q, 2);
    for (double& x : s.v) x = number();
    return s;
  }

 private:
  std::mt19937 engine_;
};

inline void put_pose(const Transform<double>& X, std::span<double> q) {
  const Quaternion<double> r = from_rotation(X.R);
  const double numbers[7] = {r.w, r.x, r.y, r.z, X.p.x, X.p.y, X.p.z};
  std::copy_n(numbers, 7, q.begin());
}

template <class Kind, class... Arguments>
std::shared_ptr<Kind> box(Arguments&&... arguments) {
  return std::make_shared<Kind>(std::forward<Arguments>(arguments)...);
}

}  // namespace linchpin
