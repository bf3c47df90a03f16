#include "linchpin/geometry/solid.h"

#include <numbers>

namespace linchpin {
namespace {

constexpr double pi = std::numbers::pi;

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

// A capsule is a cylinder and two half spheres.
double cylinder_part(const Capsule& c) { return pi * c.radius * c.radius * 2 * c.half_length; }
double caps_part(const Capsule& c) { return 4.0 / 3.0 * pi * c.radius * c.radius * c.radius; }

}  // namespace

double volume(const Shape& shape) {
  return std::visit(Overload{[](const Sphere& s) { return 4.0 / 3.0 * pi * s.radius * s.radius * s.radius; },
                             [](const Box& b) { return 8 * b.half.x * b.half.y * b.half.z; },
                             [](const Capsule& c) { return cylinder_part(c) + caps_part(c); },
                             [](const Cylinder& c) { return pi * c.radius * c.radius * 2 * c.half_length; }},
                    shape);
}

Sym3<double> moments_of_inertia(const Shape& shape, double mass) {
  return std::visit(
      Overload{[&](const Sphere& s) {
                 const double i = 0.4 * mass * s.radius * s.radius;
                 return Sym3<double>::diagonal(i, i, i);
               },
               [&](const Box& b) {
                 const double xx = b.half.x * b.half.x, yy = b.half.y * b.half.y, zz = b.half.z * b.half.z;
                 return Sym3<double>::diagonal(mass / 3 * (yy + zz), mass / 3 * (xx + zz), mass / 3 * (xx + yy));
               },
               [&](const Capsule& c) {
                 const double total = cylinder_part(c) + caps_part(c), r = c.radius, l = c.half_length;
                 const double mc = mass * cylinder_part(c) / total, ms = mass * caps_part(c) / total;
                 // each half sphere: 83/320 m r^2 about its own centre, which lies 3r/8 beyond the cylinder's end
                 const double across = mc * (r * r / 4 + l * l / 3) + ms * (0.4 * r * r + l * l + 0.75 * l * r);
                 return Sym3<double>::diagonal(across, across, mc * r * r / 2 + ms * 0.4 * r * r);
               },
               [&](const Cylinder& c) {
                 const double r2 = c.radius * c.radius;
                 const double across = mass * (r2 / 4 + c.half_length * c.half_length / 3);
                 return Sym3<double>::diagonal(across, across, mass * r2 / 2);
               }},
      shape);
}

}  // namespace linchpin
