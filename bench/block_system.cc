#include "bench/block_system.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "linchpin/base/larger.h"
#include "linchpin/dynamics/maximal/constraint_forest.h"
#include "linchpin/spatial/spatial.h"

namespace linchpin {

void BlockSystem::add_body(int numbers, std::span<const double> M) {
  first.push_back(total_size());
  size.push_back(numbers);
  mass_at.push_back(mass.size());
  mass.insert(mass.end(), M.begin(), M.end());
  F.resize(F.size() + std::size_t(numbers));
}

void BlockSystem::add_constraint(int rows, std::span<const Block> on) {
  Constraint c{rows, total_rows(), {}};
  for (const Block& block : on) {
    c.parts.push_back({block.body, J.size()});
    J.insert(J.end(), block.J.begin(), block.J.end());
  }
  constraints.push_back(std::move(c));
  r.resize(r.size() + std::size_t(rows));
}

long BlockSystem::numbers_below_diagonal() const {
  long sum = 0;
  for (const long n : size) sum += n * (n - 1) / 2;
  for (const Constraint& c : constraints) {
    sum += long(c.rows) * (c.rows - 1) / 2;
    for (const Part& part : c.parts) sum += long(c.rows) * size[part.body];
  }
  return sum;
}

double BlockSystem::residual(std::span<const double> y, std::span<const double> l) const {
  std::vector<double> e(y.size()), e_rows(l.size());
  double largest = 0;
  const auto add = [&](double& sum, double term) {
    sum += term;
    largest = larger(largest, std::abs(term));
  };
  for (std::size_t i = 0; i < F.size(); ++i) add(e[i], -F[i]);
  for (std::size_t i = 0; i < r.size(); ++i) add(e_rows[i], -r[i]);
  for (int b = 0; b < bodies(); ++b) {
    const std::size_t n = std::size_t(size[b]), at = std::size_t(first[b]);
    const double* const M = &mass[mass_at[b]];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) add(e[at + i], M[i * n + k] * y[at + k]);
  }
  for (const Constraint& c : constraints)
    for (const Part& part : c.parts) {
      const std::size_t n = std::size_t(size[part.body]), at = std::size_t(first[part.body]);
      for (std::size_t i = 0; i < std::size_t(c.rows); ++i)
        for (std::size_t k = 0; k < n; ++k) {
          const double number = J[part.J + i * n + k];
          add(e[at + k], -number * l[std::size_t(c.first) + i]);
          add(e_rows[std::size_t(c.first) + i], number * y[at + k]);
        }
    }
  double most = 0;
  for (const std::vector<double>* errors : {&e, &e_rows})
    for (const double x : *errors) most = larger(most, std::abs(x));
  return largest == 0 ? most : most / largest;
}

std::string to_string(ForestShape shape) {
  switch (shape) {
    case ForestShape::chain:
      return "chain";
    case ForestShape::star:
      return "star";
    default:
      return "random tree";
  }
}

namespace {

// Who each body hangs on; -1: the world. Bodies of a random tree are numbered depth-first, as those of a compiled Model
// are.
std::vector<int> parents_of(ForestShape shape, int bodies) {
  std::vector<int> parent(bodies, -1);
  for (int b = 1; b < bodies; ++b) parent[b] = shape == ForestShape::chain ? b - 1 : 0;
  if (shape != ForestShape::random) return parent;
  std::mt19937 random(1);
  std::vector<std::vector<int>> children(static_cast<std::size_t>(bodies));
  for (int b = 1; b < bodies; ++b) children[random() % unsigned(b)].push_back(b);
  struct Next {
    int drawn, parent;  // as it was drawn, and its parent's number
  };
  std::vector<Next> next{{0, -1}};
  for (int number = 0; !next.empty(); ++number) {
    const Next body = next.back();
    next.pop_back();
    parent[number] = body.parent;
    for (const int child : children[body.drawn]) next.push_back({child, number});
  }
  return parent;
}

}  // namespace

BlockSystem hinged_bodies(ForestShape shape, int bodies) {
  std::mt19937 random(1);
  std::uniform_real_distribution<> even(-1, 1);
  const auto vector = [&] { return Vec3<double>{even(random), even(random), even(random)}; };
  const auto direction = [&] {
    for (;;)
      if (const Vec3<double> v = vector(); norm(v) > 0.1) return (1 / norm(v)) * v;
  };
  BlockSystem system;
  // Twists in world axes at the centre of mass, angular over linear.
  for (int b = 0; b < bodies; ++b) {
    const double m = 1.5 + 0.5 * even(random);
    const Vec3<double> e = direction();  // a rod of a metre along e, 0.2 m thick
    const double long_moment = m / 12, thin_moment = m * 0.02 / 2;
    std::array<double, 36> M{};
    for (std::size_t i = 0; i < 3; ++i) {
      const double ei[] = {e.x, e.y, e.z};
      for (std::size_t k = 0; k < 3; ++k) M[6 * i + k] = (thin_moment - long_moment) * ei[i] * ei[k];
      M[7 * i] += long_moment;
      M[7 * (i + 3)] = m;
    }
    system.add_body(6, M);
  }
  const auto hinge = [](const Vec3<double>& p, const Vec3<double>& t, const Vec3<double>& u, double sign) {
    std::array<double, 30> J{};  // w x p + v, then t . w and u . w
    J[1] = p.z, J[2] = -p.y, J[6] = -p.z, J[8] = p.x, J[12] = p.y, J[13] = -p.x;
    for (std::size_t i = 0; i < 3; ++i) J[7 * i + 3] = 1;
    J[18] = t.x, J[19] = t.y, J[20] = t.z, J[24] = u.x, J[25] = u.y, J[26] = u.z;
    for (double& number : J) number *= sign;
    return J;
  };
  const std::vector<int> parents = parents_of(shape, bodies);
  for (int b = 0; b < bodies; ++b) {
    const int parent = parents[b];
    const Vec3<double> axis = direction();
    Vec3<double> t = cross(axis, direction());
    while (norm(t) < 0.1) t = cross(axis, direction());
    t = (1 / norm(t)) * t;
    const Vec3<double> u = cross(axis, t);
    const std::array<double, 30> own = hinge(0.5 * direction(), t, u, 1), other = hinge(0.5 * direction(), t, u, -1);
    const BlockSystem::Block on[] = {{b, own}, {parent, other}};
    system.add_constraint(5, std::span(on).first(parent < 0 ? 1 : 2));
  }
  for (double& number : system.F) number = even(random);
  for (double& number : system.r) number = even(random);
  return system;
}

ConstraintForest forest_of(const BlockSystem& system) {
  std::vector<ForestConstraint> constraints;
  for (const BlockSystem::Constraint& c : system.constraints)
    constraints.push_back({c.parts[0].body, c.parts.size() > 1 ? c.parts[1].body : -1, c.rows});
  return ConstraintForest::make(system.size, constraints).value();
}

void load(const BlockSystem& system, ForestFactors& factors) {
  for (int b = 0; b < system.bodies(); ++b) {
    const std::size_t n = std::size_t(system.size[b]);
    factors.set_mass(b, {&system.mass[system.mass_at[b]], n * n});
  }
  for (std::size_t i = 0; i < system.constraints.size(); ++i) {
    const BlockSystem::Constraint& c = system.constraints[i];
    const auto block = [&](std::size_t k) -> std::span<const double> {
      if (k >= c.parts.size()) return {};
      return {&system.J[c.parts[k].J], std::size_t(c.rows) * std::size_t(system.size[c.parts[k].body])};
    };
    factors.set_constraint(int(i), block(0), block(1));
  }
}

void set_order(const ConstraintForest& forest, BlockSystem& system) {
  system.order.clear();
  for (const ConstraintForest::Node& node : forest.nodes()) {
    system.order.push_back(node.body);
    if (node.constraint >= 0) system.order.push_back(system.bodies() + node.constraint);
  }
}

}  // namespace linchpin
