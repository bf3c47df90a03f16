#include "linchpin/solvers/problem/generate.h"

#include <algorithm>
#include <cmath>

namespace linchpin {
namespace {

using Vector3 = std::array<double, 3>;

Vector3 operator+(const Vector3& a, const Vector3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector3 operator-(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector3 operator*(double s, const Vector3& a) { return {s * a[0], s * a[1], s * a[2]}; }
double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double length(const Vector3& a) { return std::sqrt(dot(a, a)); }
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector3 unit(const Vector3& a) { return (1 / length(a)) * a; }

constexpr Vector3 axis_x{1, 0, 0}, up{0, 0, 1};
constexpr int world = -1;

// n, t1, t2 is right-handed; for a floor, t1 and t2 are x and y.
void set_directions(SceneContact& contact, const Vector3& normal) {
  contact.normal = normal;
  contact.tangent1 = unit(std::abs(normal[2]) > 0.7 ? axis_x - normal[0] * normal : cross(up, normal));
  contact.tangent2 = cross(normal, contact.tangent1);
}

SceneContact touch(int a, int b, const Vector3& point, const Vector3& normal, double mu) {
  SceneContact contact{.a = a, .b = b, .point = point, .normal = {}, .tangent1 = {}, .tangent2 = {}, .mu = mu};
  set_directions(contact, normal);
  return contact;
}

// The contact point of two spheres: on the line of centres, in the middle of the gap.
void meet(const SceneBody& a, const SceneBody& b, SceneContact& contact) {
  const Vector3 apart = a.position - b.position;
  const double distance = length(apart);
  set_directions(contact, (1 / distance) * apart);
  contact.point = b.position + (0.5 * (distance + b.radius - a.radius)) * contact.normal;
}

// ---- bodies ----

// Densities from 1 (the first body) to the ratio (the last), evenly spaced in the square root of the excess over 1, so
// that most bodies are light.
void spread_masses(std::vector<SceneBody>& bodies, Dice& dice, double ratio) {
  check(ratio >= 1, "mass_ratio is ", ratio, ", must be at least 1");
  if (ratio == 1) return;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double u = dice.between(0, 1);
    const double density = i + 1 == bodies.size() ? ratio : i == 0 ? 1 : 1 + (ratio - 1) * u * u;
    bodies[i].mass *= density;
    for (double& moment : bodies[i].inertia) moment *= density;
  }
}

void set_velocities(std::vector<SceneBody>& bodies, Dice& dice, const SceneOptions& options) {
  if (options.degenerate) return;
  for (SceneBody& body : bodies) {
    const double size = body.radius > 0 ? body.radius : 0.5;
    for (std::size_t k = 0; k < 3; ++k) body.velocity[k] = dice.near_zero(options.speed / 2 / size);
    for (std::size_t k = 3; k < 6; ++k) body.velocity[k] = dice.near_zero(options.speed);
  }
}

// A box of mass about 1; exactly 1 in a degenerate scene.
SceneBody box(const Vector3& size, const Vector3& position, Dice& dice, bool degenerate) {
  SceneBody body;
  body.position = position;
  body.mass = degenerate ? 1 : dice.between(0.5, 1.5);
  for (std::size_t k = 0; k < 3; ++k) {
    const double others = dot(size, size) - size[k] * size[k];
    body.inertia[k] = body.mass / 12 * others * (degenerate ? 1 : dice.between(0.8, 1.2));
  }
  return body;
}

// Four contacts near the corners of the rectangle in which A lies on B.
void add_patch(ContactScene& scene, int a, int b, const Vector3& centre, double half_x, double half_y, double mu,
               Dice& dice, bool degenerate) {
  for (int corner = 0; corner < 4; ++corner) {
    Vector3 point = centre;
    point[0] += (corner & 1 ? half_x : -half_x) * (degenerate ? 1 : dice.between(0.8, 1));
    point[1] += (corner & 2 ? half_y : -half_y) * (degenerate ? 1 : dice.between(0.8, 1));
    scene.contacts.push_back(touch(a, b, point, up, mu));
  }
}

ContactScene finish(ContactScene scene, Dice& dice, const SceneOptions& options) {
  spread_masses(scene.bodies, dice, options.mass_ratio);
  set_velocities(scene.bodies, dice, options);
  return scene;
}

// ---- spheres ----

constexpr double sphere_radius = 0.1;  // m, of a typical sphere

SceneBody sphere(double radius, const Vector3& position) {
  SceneBody body;
  const double size = radius / sphere_radius;
  body.radius = radius;
  body.mass = size * size * size;
  const double moment = 0.4 * body.mass * radius * radius;
  body.inertia = {moment, moment, moment};
  body.position = position;
  return body;
}

// A support that a sphere may rest on: its distance, and the direction in which it pushes.
struct Support {
  int body = world;
  double gap = 0;
  Vector3 normal{};
};

// A box open at the top, and the spheres that lie in it.
class Container {
 public:
  Container(double side, ContactScene& scene) : side_(side), scene_(scene) {}

  // Drops a sphere at a random place. Returns the supports on which it comes to rest; none if it does not.
  std::vector<Support> drop(SceneBody& ball, Dice& dice);

 private:
  void find_neighbours(const SceneBody& ball);
  double landing_height(const SceneBody& ball) const;
  std::vector<Support> supports(const SceneBody& ball) const;
  void push_out(SceneBody& ball) const;
  bool roll_down(SceneBody& ball);

  double side_;
  ContactScene& scene_;
  std::vector<int> neighbours_;  // spheres within `neighbour_margin` of the ball
  Vector3 looked_at_{};          // the position for which they were found
};

constexpr double neighbour_margin = 2 * sphere_radius;  // distance up to which spheres count as neighbours

void Container::find_neighbours(const SceneBody& ball) {
  neighbours_.clear();
  looked_at_ = ball.position;
  for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
    const SceneBody& other = scene_.bodies[i];
    if (length(other.position - ball.position) < ball.radius + other.radius + neighbour_margin)
      neighbours_.push_back(int(i));
  }
}

// Where a ball that falls straight down first touches something.
double Container::landing_height(const SceneBody& ball) const {
  double height = ball.radius;
  for (const SceneBody& other : scene_.bodies) {
    const double x = ball.position[0] - other.position[0], y = ball.position[1] - other.position[1];
    const double reach = ball.radius + other.radius, below = reach * reach - x * x - y * y;
    if (below > 0) height = std::max(height, other.position[2] + std::sqrt(below));
  }
  return height;
}

std::vector<Support> Container::supports(const SceneBody& ball) const {
  const Vector3& p = ball.position;
  std::vector<Support> all{{world, p[2] - ball.radius, up},
                           {world, p[0] - ball.radius, axis_x},
                           {world, side_ - p[0] - ball.radius, {-1, 0, 0}},
                           {world, p[1] - ball.radius, {0, 1, 0}},
                           {world, side_ - p[1] - ball.radius, {0, -1, 0}}};
  for (const int i : neighbours_) {
    const SceneBody& other = scene_.bodies[i];
    const Vector3 apart = p - other.position;
    const double distance = length(apart);
    all.push_back({i, distance - ball.radius - other.radius, (1 / distance) * apart});
  }
  return all;
}

void Container::push_out(SceneBody& ball) const {
  const double enough = 1e-9 * ball.radius;
  for (int sweep = 0; sweep < 100; ++sweep) {
    double deepest = 0;
    Vector3& p = ball.position;
    for (const int i : neighbours_) {
      const SceneBody& other = scene_.bodies[i];
      const Vector3 apart = p - other.position;
      const double reach = ball.radius + other.radius, squared = dot(apart, apart);
      if (squared >= reach * reach) continue;
      const double distance = std::sqrt(squared);
      p = p + ((reach - distance) / distance) * apart;
      deepest = std::max(deepest, reach - distance);
    }
    p[0] = std::clamp(p[0], ball.radius, side_ - ball.radius);
    p[1] = std::clamp(p[1], ball.radius, side_ - ball.radius);
    p[2] = std::max(p[2], ball.radius);
    if (deepest <= enough) return;
  }
}

// Rolls down by small steps, pushed out of its supports after each, until the steps are tiny.
bool Container::roll_down(SceneBody& ball) {
  double step = 0.1 * ball.radius;
  const double smallest = 1e-7 * ball.radius;
  for (int count = 0; count < 3000; ++count) {
    if (length(ball.position - looked_at_) > neighbour_margin / 2) find_neighbours(ball);
    const Vector3 before = ball.position;
    ball.position[2] -= step;
    push_out(ball);
    if (before[2] - ball.position[2] > 0.01 * step) continue;
    ball.position = before;
    step /= 2;
    if (step < smallest) return true;
  }
  return false;
}

// Solves the k x k system G x = b, k <= 3, in place by elimination with pivoting. False if it is nearly singular.
bool solve_small(std::size_t k, std::array<Vector3, 3> G, Vector3& x) {
  for (std::size_t i = 0; i < k; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i + 1; r < k; ++r)
      if (std::abs(G[r][i]) > std::abs(G[pivot][i])) pivot = r;
    if (std::abs(G[pivot][i]) < 1e-6) return false;
    std::swap(G[i], G[pivot]);
    std::swap(x[i], x[pivot]);
    for (std::size_t r = i + 1; r < k; ++r) {
      const double factor = G[r][i] / G[i][i];
      for (std::size_t c = i; c < k; ++c) G[r][c] -= factor * G[i][c];
      x[r] -= factor * x[i];
    }
  }
  for (std::size_t i = k; i-- > 0;) {
    for (std::size_t c = i + 1; c < k; ++c) x[i] -= G[i][c] * x[c];
    x[i] /= G[i][i];
  }
  return true;
}

// The Gram matrix of the normals.
std::array<Vector3, 3> gram(const std::vector<Support>& s) {
  std::array<Vector3, 3> G{};
  for (std::size_t i = 0; i < s.size(); ++i)
    for (std::size_t j = 0; j < s.size(); ++j) G[i][j] = dot(s[i].normal, s[j].normal);
  return G;
}

// Whether nonnegative forces along the normals balance the weight.
bool balanced(const std::vector<Support>& s) {
  Vector3 force{};
  for (std::size_t i = 0; i < s.size(); ++i) force[i] = s[i].normal[2];
  if (!solve_small(s.size(), gram(s), force)) return false;
  Vector3 left = up;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (force[i] < -1e-9) return false;
    left = left - force[i] * s[i].normal;
  }
  return length(left) < 1e-6;
}

std::vector<Support> Container::drop(SceneBody& ball, Dice& dice) {
  const double r = ball.radius;
  ball.position = {dice.between(r, side_ - r), dice.between(r, side_ - r), 0};
  ball.position[2] = landing_height(ball);
  find_neighbours(ball);
  if (!roll_down(ball)) return {};
  find_neighbours(ball);

  // From nearly touching to touching, by Newton's method.
  std::vector<std::size_t> at;
  std::vector<Support> all = supports(ball);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].gap < 1e-4 * r) at.push_back(i);
  if (at.empty() || at.size() > 3) return {};
  std::vector<Support> touching;
  for (int iteration = 0; iteration < 8; ++iteration) {
    touching.clear();
    for (const std::size_t i : at) touching.push_back(all[i]);
    Vector3 move{};
    for (std::size_t i = 0; i < at.size(); ++i) move[i] = -touching[i].gap;
    if (!solve_small(at.size(), gram(touching), move)) return {};
    for (std::size_t i = 0; i < at.size(); ++i) ball.position = ball.position + move[i] * touching[i].normal;
    all = supports(ball);
  }
  for (const Support& s : all)
    if (s.gap < -1e-12) return {};
  return balanced(touching) ? touching : std::vector<Support>{};
}

// The side of a cube for this many loosely packed spheres: a little more than half of it is filled.
double container_side(double spheres) {
  const double volume = spheres * 4.19 * sphere_radius * sphere_radius * sphere_radius / 0.55;
  double side = 5 * sphere_radius;
  while (side * side * side < volume) side *= 1.02;
  return side;
}

void add_contacts(ContactScene& scene, int ball, const std::vector<Support>& touching, double mu) {
  const SceneBody& body = scene.bodies[ball];
  for (const Support& s : touching) {
    scene.contacts.push_back(touch(ball, s.body, body.position - body.radius * s.normal, s.normal, mu));
    if (s.body != world) meet(body, scene.bodies[s.body], scene.contacts.back());
  }
}

ContactScene dropped_spheres(int contacts, Dice& dice, double mu) {
  ContactScene scene;
  Container container(container_side(contacts / 2.6), scene);
  for (int failures = 0; int(scene.contacts.size()) < contacts;) {
    SceneBody ball = sphere(sphere_radius * dice.between(0.8, 1.2), {});
    const std::vector<Support> touching = container.drop(ball, dice);
    if (touching.empty()) {
      check(++failures < 1000 + 10 * contacts, "spheres do not come to rest");
      continue;
    }
    scene.bodies.push_back(ball);
    add_contacts(scene, int(scene.bodies.size()) - 1, touching, mu);
  }
  return scene;
}

// A square pyramid, the lowest layer first. Layer k has (n - k)^2 spheres, each in the hollow of four below.
ContactScene cannonballs(int contacts, double mu) {
  ContactScene scene;
  const auto contacts_of = [](int n) {
    int count = n * n;
    for (int k = 1; k <= n; ++k) count += 2 * k * (k - 1) + (k < n ? 4 * k * k : 0);
    return count;
  };
  int n = 1;
  while (contacts_of(n) < contacts) ++n;
  const double r = sphere_radius, rise = std::sqrt(2.0) * r;
  for (int layer = 0; layer < n && int(scene.contacts.size()) < contacts; ++layer) {
    for (int i = 0; i < n - layer && int(scene.contacts.size()) < contacts; ++i) {
      for (int j = 0; j < n - layer && int(scene.contacts.size()) < contacts; ++j) {
        const SceneBody ball = sphere(r, {r * (2 * i + layer), r * (2 * j + layer), r + rise * layer});
        const int index = int(scene.bodies.size());
        if (layer == 0) scene.contacts.push_back(touch(index, world, {ball.position[0], ball.position[1], 0}, up, mu));
        for (int other = 0; other < index; ++other) {
          const SceneBody& body = scene.bodies[other];
          if (length(ball.position - body.position) > 2.001 * r) continue;
          scene.contacts.push_back({.a = index, .b = other, .mu = mu});
          meet(ball, body, scene.contacts.back());
        }
        scene.bodies.push_back(ball);
      }
    }
  }
  return scene;
}

// ---- the problem ----

// (1): rows n, t1, t2 of one body, 3 x 6, row by row.
std::array<double, 18> rows_of(const SceneContact& contact, const SceneBody& body, double sign) {
  std::array<double, 18> rows{};
  const Vector3 arm = contact.point - body.position;
  const Vector3 directions[3] = {contact.normal, contact.tangent1, contact.tangent2};
  for (std::size_t d = 0; d < 3; ++d) {
    const Vector3 turn = cross(arm, directions[d]);
    for (std::size_t k = 0; k < 3; ++k) {
      rows[6 * d + k] = sign * turn[k];
      rows[6 * d + 3 + k] = sign * directions[d][k];
    }
  }
  return rows;
}

BlockSparse contact_rows(const ContactScene& scene) {
  BlockSparse H;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) H.column_start.push_back(6 * int(i + 1));
  for (const SceneContact& contact : scene.contacts) {
    const auto add = [&](int body, double sign) {
      if (body == world) return;
      const std::array<double, 18> rows = rows_of(contact, scene.bodies[body], sign);
      H.column.push_back(body);
      H.value_start.push_back(H.values.size());
      H.values.insert(H.values.end(), rows.begin(), rows.end());
    };
    const bool a_first = contact.a < contact.b;
    if (a_first) add(contact.a, 1);
    add(contact.b, -1);
    if (!a_first) add(contact.a, 1);
    H.first.push_back(int(H.column.size()));
    H.row_start.push_back(H.row_start.back() + 3);
  }
  return H;
}

std::array<double, 6> masses_of(const SceneBody& body) {
  return {body.inertia[0], body.inertia[1], body.inertia[2], body.mass, body.mass, body.mass};
}

// The velocities of the bodies at the end of the step without contacts.
std::vector<double> free_velocities(const ContactScene& scene) {
  std::vector<double> v;
  for (const SceneBody& body : scene.bodies) {
    v.insert(v.end(), body.velocity.begin(), body.velocity.end());
    v.back() -= scene.gravity * scene.dt;
  }
  return v;
}

// H v or, with `transposed`, H' z.
std::vector<double> product(const BlockSparse& H, std::span<const double> x, bool transposed) {
  std::vector<double> y(transposed ? H.columns() : H.rows());
  for (int i = 0; i < H.row_blocks(); ++i)
    for (int e = H.first[i]; e < H.first[i + 1]; ++e) {
      const double* value = &H.values[H.value_start[e]];
      const int column_block = H.column[e];
      for (int r = H.row_start[i]; r < H.row_start[i + 1]; ++r)
        for (int c = H.column_start[column_block]; c < H.column_start[column_block + 1]; ++c) {
          const double h = *value++;
          if (transposed)
            y[c] += h * x[r];
          else
            y[r] += h * x[c];
        }
    }
  return y;
}

}  // namespace

double Dice::between(double low, double high) { return low + (high - low) * unit(); }
int Dice::below(int n) { return int(((next() >> 32) * std::uint64_t(n)) >> 32); }

ContactScene separate_boxes_scene(int boxes, std::uint64_t seed, const SceneOptions& options) {
  Dice dice(seed);
  ContactScene scene;
  for (int i = 0; i < boxes; ++i) {
    scene.bodies.push_back(box({1, 1, 1}, {2.0 * i, 0, 0.5}, dice, options.degenerate));
    add_patch(scene, i, world, {2.0 * i, 0, 0}, 0.5, 0.5, options.mu, dice, options.degenerate);
  }
  return finish(std::move(scene), dice, options);
}

ContactScene stack_of_boxes_scene(int boxes, std::uint64_t seed, const SceneOptions& options) {
  Dice dice(seed);
  ContactScene scene;
  for (int i = 0; i < boxes; ++i) {
    scene.bodies.push_back(box({1, 1, 1}, {0, 0, i + 0.5}, dice, options.degenerate));
    add_patch(scene, i, i - 1, {0, 0, double(i)}, 0.5, 0.5, options.mu, dice, options.degenerate);
  }
  return finish(std::move(scene), dice, options);
}

ContactScene wall_of_bricks_scene(int courses, int bricks, std::uint64_t seed, const SceneOptions& options) {
  check(courses <= bricks, "there are ", courses, " courses above ", bricks, " bricks, each of one brick fewer");
  constexpr Vector3 size{1, 0.5, 0.25};
  Dice dice(seed);
  ContactScene scene;
  int below = 0;  // the first brick of the course below
  for (int course = 0; course < courses; ++course) {
    const int first = int(scene.bodies.size());
    for (int i = 0; i < bricks - course; ++i) {
      const double x = i + 0.5 * course, floor = size[2] * course;
      scene.bodies.push_back(box(size, {x, 0, floor + size[2] / 2}, dice, options.degenerate));
      const auto lie_on = [&](int other, double centre, double half) {
        add_patch(scene, first + i, other, {centre, 0, floor}, half, size[1] / 2, options.mu, dice, options.degenerate);
      };
      if (course == 0) {
        lie_on(world, x, 0.5);
      } else {
        lie_on(below + i, x - 0.25, 0.25);
        lie_on(below + i + 1, x + 0.25, 0.25);
      }
    }
    below = first;
  }
  return finish(std::move(scene), dice, options);
}

ContactScene pile_of_spheres_scene(int contacts, std::uint64_t seed, const SceneOptions& options) {
  Dice dice(seed);
  ContactScene scene =
      options.degenerate ? cannonballs(contacts, options.mu) : dropped_spheres(contacts, dice, options.mu);
  return finish(std::move(scene), dice, options);
}

Problem contact_problem(const ContactScene& scene, Matrix::Kind kind) {
  Problem problem;
  Factored M{contact_rows(scene), {}};
  for (const SceneBody& body : scene.bodies) {
    const std::array<double, 6> masses = masses_of(body);
    for (std::size_t r = 0; r < 6; ++r)
      for (std::size_t c = 0; c < 6; ++c) M.A.push_back(r == c ? masses[r] : 0);
  }
  problem.q = product(M.H, free_velocities(scene), false);  // (2)
  problem.M = Matrix::factored(std::move(M));
  for (std::size_t i = 0; i < scene.contacts.size(); ++i)
    problem.blocks.push_back({BlockKind::cone, 3 * int(i), 3, scene.contacts[i].mu});
  return kind == Matrix::Kind::factored ? problem : with_matrix(problem, kind);
}

ContactScene after_step(const ContactScene& scene, std::span<const double> z) {
  check(z.size() == 3 * scene.contacts.size(), "z has ", z.size(), " numbers, the scene needs ",
        3 * scene.contacts.size());
  ContactScene after = scene;
  const std::vector<double> v = free_velocities(scene), impulse = product(contact_rows(scene), z, true);
  for (std::size_t i = 0; i < after.bodies.size(); ++i) {
    SceneBody& body = after.bodies[i];
    const std::array<double, 6> masses = masses_of(body);
    for (std::size_t k = 0; k < 6; ++k) body.velocity[k] = v[6 * i + k] + impulse[6 * i + k] / masses[k];
    for (std::size_t k = 0; k < 3; ++k) body.position[k] += scene.dt * body.velocity[3 + k];
  }
  for (std::size_t i = 0; i < after.contacts.size(); ++i) {
    SceneContact& contact = after.contacts[i];
    const SceneBody& a = after.bodies[contact.a];
    const Vector3 turn{a.velocity[0], a.velocity[1], a.velocity[2]}, move{a.velocity[3], a.velocity[4], a.velocity[5]};
    if (a.radius > 0 && contact.b != world)
      meet(a, after.bodies[contact.b], contact);
    else if (a.radius > 0)
      contact.point = contact.point + scene.dt * move;
    else
      contact.point = contact.point + scene.dt * (move + cross(turn, contact.point - scene.bodies[contact.a].position));
  }
  return after;
}

Problem with_matrix(const Problem& problem, Matrix::Kind kind) {
  Problem other = problem;
  if (kind == problem.M.kind()) return other;
  check(kind != Matrix::Kind::factored, "a matrix that is formed cannot be taken apart into H A^-1 H'");
  if (kind == Matrix::Kind::dense) {
    const std::size_t n = std::size_t(problem.M.size());
    std::vector<double> values(n * n);
    problem.M.to_dense(values.data(), int(n));
    other.M = Matrix::dense(int(n), std::move(values));
    return other;
  }
  std::vector<int> start{0};
  for (const Block& block : problem.blocks) start.push_back(block.start + block.size);
  other.M = Matrix::sparse(problem.M.formed(start));
  return other;
}

}  // namespace linchpin
