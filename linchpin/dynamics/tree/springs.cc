#include "linchpin/dynamics/tree/springs.h"

#include "linchpin/base/check.h"

namespace linchpin {
namespace {

struct Stretch {
  double distance, rate;
  Vec3<double> e;  // unit vector from A's end to B's; zero if they coincide
};

Vec3<double> end_of(const Model& model, const Kinematics<double>& kin, const Attachment& end) {
  return body_pose(model, kin, end.body) * end.X_BF.p;
}

Stretch stretch_of(const Model& model, const Kinematics<double>& kin, const Velocities& vel, const Spring& spring) {
  const Vec3<double> d = end_of(model, kin, spring.b) - end_of(model, kin, spring.a);
  const double distance = norm(d);
  const Vec3<double> e = distance > 0 ? (1 / distance) * d : Vec3<double>::zero();
  const auto velocity = [&](const Attachment& end) { return point_velocity(model, kin, vel, end.body, end.X_BF.p).v; };
  return {distance, dot(e, velocity(spring.b) - velocity(spring.a)), e};
}

}  // namespace

void add_spring_forces(const Model& model, const Kinematics<double>& kin, const Velocities& vel, std::span<double> f) {
  check(f.size() == 6 * model.bodies().size(), "f has ", f.size(), " numbers, the model needs ",
        6 * model.bodies().size());
  for (const Spring& spring : model.springs()) {
    const Stretch s = stretch_of(model, kin, vel, spring);
    const double pull = spring.stiffness * (s.distance - spring.length) + spring.damping * s.rate;  // (1)
    const auto add = [&](const Attachment& end, double sign) {
      const Vec3<double> force = (sign * pull) * transpose_times(body_pose(model, kin, end.body).R, s.e);
      const Vec3<double> moment = cross(end.X_BF.p, force);
      double* to = f.data() + 6 * std::size_t(end.body);
      to[0] += moment.x, to[1] += moment.y, to[2] += moment.z;
      to[3] += force.x, to[4] += force.y, to[5] += force.z;
    };
    add(spring.a, 1);
    add(spring.b, -1);
  }
}

double spring_energy(const Model& model, const Kinematics<double>& kin) {
  double sum = 0;
  for (const Spring& spring : model.springs()) {
    const double stretch = norm(end_of(model, kin, spring.b) - end_of(model, kin, spring.a)) - spring.length;
    sum += 0.5 * spring.stiffness * stretch * stretch;
  }
  return sum;
}

double spring_damping_power(const Model& model, const Kinematics<double>& kin, const Velocities& vel) {
  double sum = 0;
  for (const Spring& spring : model.springs()) {
    const double rate = stretch_of(model, kin, vel, spring).rate;
    sum -= spring.damping * rate * rate;
  }
  return sum;
}

}  // namespace linchpin
