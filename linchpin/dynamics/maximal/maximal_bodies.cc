#include "linchpin/dynamics/maximal/maximal_bodies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/maximal/body_inverse.h"

namespace linchpin {
namespace {

using Vector6 = std::array<double, 6>;

Force<double> force_of(const Vector6& x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

// Per link: whether it carries bodies.
std::vector<char> carriers(const Model& model) {
  std::vector<char> carries(model.links().size(), 0);
  for (const Body& body : model.bodies()) carries[body.link] = 1;
  carries[0] = 0;
  return carries;
}

// Q of S = Q R by Householder reflections, its columns in order; R replaces the upper triangle of S.
void orthogonalise(Vector6* S, int columns, std::array<Vector6, 6>& Q) {
  for (std::size_t i = 0; i < 6; ++i) {
    Q[i].fill(0);
    Q[i][i] = 1;
  }
  std::array<Vector6, 6> mirror;
  for (std::size_t k = 0; k < std::size_t(columns); ++k) {
    double length = 0;
    for (std::size_t i = k; i < 6; ++i) length += S[k][i] * S[k][i];
    length = std::sqrt(length);
    Vector6& u = mirror[k];
    u.fill(0);
    for (std::size_t i = k; i < 6; ++i) u[i] = S[k][i];
    u[k] += u[k] < 0 ? -length : length;
    double square = 0;
    for (const double x : u) square += x * x;
    const auto reflect = [&](Vector6& x) {
      double along = 0;
      for (std::size_t i = k; i < 6; ++i) along += u[i] * x[i];
      for (std::size_t i = k; i < 6; ++i) x[i] -= 2 * along / square * u[i];
    };
    for (std::size_t j = k; j < std::size_t(columns); ++j) reflect(S[j]);
    for (double& x : u) x /= std::sqrt(square);
  }
  for (std::size_t k = std::size_t(columns); k-- > 0;)
    for (Vector6& q : Q) {
      double along = 0;
      for (std::size_t i = 0; i < 6; ++i) along += mirror[k][i] * q[i];
      for (std::size_t i = 0; i < 6; ++i) q[i] -= 2 * along * mirror[k][i];
    }
}

}  // namespace

std::optional<Error> MaximalBodies::find_fault(const Model& model) {
  const std::vector<char> carries = carriers(model);
  for (std::size_t i = 1; i < carries.size(); ++i) {
    const RigidInertia<double>& inertia = model.links()[i].inertia;
    if (!carries[i] || inverse_of(inertia)) continue;
    const auto body = std::ranges::find(model.bodies(), int(i), &Body::link);
    std::ostringstream message;
    message << "body '" << body->name << "' has mass " << inertia.mass << " kg (with what is welded to it)"
            << (inertia.mass > 0 ? " but no moment of inertia about some axis" : "")
            << ": in maximal coordinates every body moves by itself and needs both; take os, rmc or mc";
    return Error{message.str()};
  }
  return {};
}

MaximalBodies::MaximalBodies(const Model& model) : of_link_(model.links().size(), -1) {
  const std::vector<char> carries = carriers(model);
  const std::span<const Link> links = model.links();
  for (std::size_t i = 1; i < links.size(); ++i) {
    if (!carries[i]) continue;
    MaximalBody body{.link = int(i), .parent = -1, .dofs = 0, .v = links[i].v};
    std::size_t l = i;
    for (;; l = std::size_t(links[l].parent)) {
      of_link_[l] = size();
      body.dofs += links[l].nv;
      body.v = links[l].v;
      if (links[l].parent == 0 || carries[links[l].parent]) break;
    }
    if (links[l].parent != 0) body.parent = of_link(links[l].parent);
    bodies_.push_back(body);
  }
}

void split_freedom(std::span<const Motion<double>> S, std::span<Force<double>> D, std::span<Force<double>> Q2) {
  const std::size_t dofs = S.size();
  check(dofs <= 6 && D.size() == dofs && Q2.size() == 6 - dofs, "room for ", D.size(), " and ", Q2.size(), " of ", dofs,
        " freedoms");
  Vector6 R[6];
  for (std::size_t k = 0; k < dofs; ++k) R[k] = {S[k].w.x, S[k].w.y, S[k].w.z, S[k].v.x, S[k].v.y, S[k].v.z};
  std::array<Vector6, 6> Q;
  orthogonalise(R, int(dofs), Q);
  for (std::size_t k = dofs; k < 6; ++k) Q2[k - dofs] = force_of(Q[k]);
  Vector6 columns[6];  // R D' = Q1', from the last row of R up
  for (std::size_t k = dofs; k-- > 0;) {
    columns[k] = Q[k];
    for (std::size_t j = k + 1; j < dofs; ++j)
      for (std::size_t i = 0; i < 6; ++i) columns[k][i] -= R[j][k] * columns[j][i];
    for (double& x : columns[k]) x /= R[k][k];
    D[k] = force_of(columns[k]);
  }
}

}  // namespace linchpin
