#include "linchpin/contact/contact_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>

#include "linchpin/geometry/shapes/bounds.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

bool is_bounded(const Aabb& box) { return std::isfinite(norm(box.lower)) && std::isfinite(norm(box.upper)); }

// The distance from p to the farthest corner of a box.
double farthest(const Aabb& box, const Vec3<double>& p) {
  const auto far = [](double lower, double upper) { return std::max(std::abs(lower), std::abs(upper)); };
  const Vec3<double> lower = box.lower - p, upper = box.upper - p;
  return norm(Vec3<double>{far(lower.x, upper.x), far(lower.y, upper.y), far(lower.z, upper.z)});
}

// An order of materials, in which equal ones are neighbours.
struct BeforeInOrder {
  static auto key(const Material& m) {
    const auto d = m.directional.value_or(Material::Directional{});
    return std::tuple(std::string_view(m.name), m.friction.mu_static, m.friction.mu_kinetic, m.restitution,
                      m.directional.has_value(), d.direction.x, d.direction.y, d.direction.z, d.along.mu_static,
                      d.along.mu_kinetic);
  }
  bool operator()(const Material* a, const Material* b) const { return key(*a) < key(*b); }
};

// The material of a pair: its own if it is named, else from the table, which is empty if it would be too large.
PairMaterial material_of(const ContactPlan& plan, const ShapePair& pair) {
  if (plan.pairs.empty()) return plan.scene.material(pair.a, pair.b);
  if (const ScenePair* named = plan.scene.named(pair.a, pair.b); named && named->material) return *named->material;
  return plan.pairs[index(plan.material[pair.a]) * plan.distinct + plan.material[pair.b]];
}

// Two tangents that are continuous functions of the normal, except at n_z = -0.1, a slope that is rare: the impulse
// along them warm-starts the next step. [Duff et al. 2017, with the seam moved off the horizontal.] In a planar model
// t1 lies in the plane and t2 is normal to it, so that polyhedral friction is exact.
void set_tangents(const Vec3<double>& n, const std::optional<Vec3<double>>& plane, Vec3<double>& t1, Vec3<double>& t2) {
  if (plane && std::abs(dot(n, *plane)) < 1e-6) {
    t1 = cross(*plane, n);
    t1 = (1 / norm(t1)) * t1;
    t2 = cross(n, t1);
    return;
  }
  if (std::abs(n.z) < 1e-12 && std::abs(n.y) > 1e-12) {
    t1 = {-n.y, n.x, 0};
    t2 = {0, 0, 1};
    return;
  }
  const double sign = n.z < -0.1 ? -1 : 1, a = -1 / (sign + n.z), b = n.x * n.y * a;
  t1 = {1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
  t2 = {b, sign + n.y * n.y * a, -n.y};
}

// A unit force along d at the point, about the link's origin.
Force<double> force_at(const Vec3<double>& point, const Vec3<double>& d, const Transform<double>& X_WL) {
  return {cross(point - X_WL.p, d), d};
}

void add_row(const Contact& c, const Vec3<double>& d, const Kinematics<double>& kin, double offset, Rows& rows) {
  if (c.link_a != 0) rows.add_side(c.link_a, force_at(c.point, d, kin.X_WL[c.link_a]));
  if (c.link_b != 0) rows.add_side(c.link_b, force_at(c.point, -d, kin.X_WL[c.link_b]));
  rows.end_row(offset);
}

Vec3<double> point_velocity_of(int link, const Vec3<double>& point, const Kinematics<double>& kin,
                               const Velocities& vel) {
  const Motion<double>& m = vel.link[link];
  return m.v + cross(m.w, point - kin.X_WL[link].p);
}

// Sets the tangents and coefficients of directional friction.
void set_directional(const PairMaterial& material, const ContactSet& set, bool slides, Contact& c) {
  const PairMaterial::Directional& along = *material.directional;
  const std::uint32_t shape = along.side == PairMaterial::Side::a ? c.key.shape_a : c.key.shape_b;
  const Vec3<double> d = set.scene.X_WS[shape].R * along.direction;
  const Vec3<double> in_plane = d - dot(d, c.normal) * c.normal;
  const double length = norm(in_plane);
  const auto pick = [&](const Friction& f) { return slides ? f.mu_kinetic : f.mu_static; };
  c.mu = pick(material.friction);
  if (!(length > 1e-9 * norm(d))) return;  // the direction is normal to the surface
  c.t1 = (1 / length) * in_plane;
  c.t2 = cross(c.normal, c.t1);
  const double mu_along = pick(along.along), mu_across = pick(material.friction);
  if (mu_along > 0 && mu_across > 0) {
    c.mu = mu_along;
    c.across = mu_across / mu_along;
  } else {  // one coefficient is zero: the cone needs a positive one, so 1e-9 of the other
    c.mu = std::max(mu_along, mu_across);
    c.across = mu_along > 0 ? 1e-9 : 1;
    if (mu_along == 0 && mu_across > 0) {
      std::swap(c.t1, c.t2);
      c.across = 1e-9;
    }
  }
}

bool has_shapes(const ContactPlan& plan, std::size_t link) { return plan.radius[link] > 0 || plan.unbounded[link]; }

MovingSphere motion_of(const ContactPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                       std::size_t link) {
  const Vec3<double> from_origin = kin.X_WL[link].R * plan.centre[link];
  const Motion<double>& m = vel.link[link];
  return {.centre = kin.X_WL[link].p + from_origin,
          .v = m.v + cross(m.w, from_origin),
          .w = plan.turns[link] ? m.w : Vec3<double>::zero(),
          .radius = plan.unbounded[link] ? std::numeric_limits<double>::infinity() : plan.radius[link]};
}

// The motion of the links of all near pairs.
void find_motion(const ContactPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                 std::span<const BoxPair> near, std::span<MovingSphere> motion) {
  for (const BoxPair& pair : near)
    for (const std::uint32_t shape : {pair.a, pair.b}) {
      const int link = plan.scene.shapes()[shape].frame;
      motion[link] = motion_of(plan, kin, vel, link);
    }
}

// A bound of the speed of all points of a link's shapes, m/s. Of unbounded shapes only points within `extent` of the
// origin of the world can touch anything.
double fastest_point(const ContactPlan& plan, const Kinematics<double>& kin, const Velocities& vel, std::size_t link,
                     double extent) {
  const double r = plan.unbounded[link] ? norm(kin.X_WL[link].p) + extent : plan.radius_about_origin[link];
  return norm(vel.link[link].v) + norm(vel.link[link].w) * r;
}
double extent_of(const ContactPlan& plan, const Kinematics<double>& kin) {
  double r = 0;
  if (plan.moving_planes)
    for (std::size_t i = 0; i < plan.radius.size(); ++i)
      r = std::max(r, norm(kin.X_WL[i].p) + plan.radius_about_origin[i]);
  return r;
}

// The distance that a point may travel within the step: 10 % more than its speed gives, and four times the fall from
// rest (g h^2 / 2), for the velocity that forces add during the step.
struct Reach {
  double h, falling;
  Reach(const Model& model, double step) : h(step), falling(2 * norm(model.gravity()) * h * h) {}
  double operator()(double speed) const { return 1.1 * h * speed + falling; }
};

// Fills set.contacts from set.found.
void list_contacts(const ContactPlan& plan, const Kinematics<double>& kin, const Velocities& vel, ContactSet& set) {
  set.contacts.clear();
  for (const ShapePair& pair : set.found.pairs) {
    const PairMaterial material = material_of(plan, pair);
    const int link_a = plan.scene.shapes()[pair.a].frame;
    const int link_b = plan.scene.shapes()[pair.b].frame;
    for (int k = pair.first; k < pair.first + pair.count; ++k) {
      const Manifold& m = set.found.manifolds[k];
      Vec3<double> t1, t2;
      set_tangents(m.normal, plan.plane, t1, t2);
      for (int i = 0; i < m.count; ++i) {
        const ContactPoint& p = m.points[i];
        Contact c{.key = key(pair, m, p),
                  .link_a = link_a,
                  .link_b = link_b,
                  .point = p.p,
                  .normal = m.normal,
                  .t1 = t1,
                  .t2 = t2,
                  .gap = p.gap,
                  .mu = material.friction.mu_static,
                  .across = 1,
                  .restitution = material.restitution};
        if (material.friction.mu_static != material.friction.mu_kinetic || material.directional) {
          const Vec3<double> u = relative_velocity(c, kin, vel);
          const bool slides = std::hypot(u.y, u.z) > slip_speed;
          if (slides) c.mu = material.friction.mu_kinetic;
          if (material.directional) set_directional(material, set, slides, c);
        }
        set.contacts.push_back(c);
      }
    }
  }
}

// Finds the contacts of the near pairs within set.reach and set.scene_motion().
void find_within_reach(const ContactPlan& plan, const Kinematics<double>& kin, const Velocities& vel, ContactSet& set) {
  find_near_contacts(plan.scene, set.reach, set.scene_motion(), set.scene, set.found);
  list_contacts(plan, kin, vel, set);
}

}  // namespace

std::optional<Vec3<double>> motion_plane(const Model& model) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  kinematics<double>(plan, make_state(model).q, kin);
  joint_axes(model, kin, vel);
  std::optional<Vec3<double>> normal;
  for (const Motion<double>& axis : vel.axis)
    if (!normal && norm(axis.w) > 0) normal = (1 / norm(axis.w)) * axis.w;
  if (!normal) return {};
  for (const Motion<double>& axis : vel.axis) {  // rotation about the normal leaves these conditions unchanged
    const bool turns = norm(cross(axis.w, *normal)) <= 1e-12 * norm(axis.w);
    const bool slides = std::abs(dot(axis.v, *normal)) <= 1e-12 * norm(axis.v);
    if (!turns || !slides) return {};
  }
  return normal;
}

Vec3<double> relative_velocity(const Contact& c, const Kinematics<double>& kin, const Velocities& vel) {
  const Vec3<double> u =
      point_velocity_of(c.link_a, c.point, kin, vel) - point_velocity_of(c.link_b, c.point, kin, vel);
  return {dot(c.normal, u), dot(c.t1, u), dot(c.t2, u)};
}

ContactPlan::ContactPlan(const Model& model)
    : scene(model.collision()),
      any(any_may_touch(model.collision())),
      centre(model.links().size(), Vec3<double>::zero()),
      radius(model.links().size(), 0.0),
      radius_about_origin(model.links().size(), 0.0),
      unbounded(model.links().size(), 0),
      turns(model.links().size(), 0),
      material(model.shapes().size()),
      plane(motion_plane(model)) {
  const std::span<const SceneShape> shapes = scene.shapes();
  std::map<const Material*, int, BeforeInOrder> number;  // of each distinct material, in the order of shapes
  std::vector<int> first;                                // for each distinct material: the first shape that has it
  enclose_shapes(shapes);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto [known, is_new] = number.try_emplace(&shapes[i].material, int(first.size()));
    material[i] = known->second;
    if (is_new) first.push_back(int(i));
  }
  distinct = int(first.size());
  if (distinct > most_materials_in_table) return;
  for (const int a : first)
    for (const int b : first) pairs.push_back(combine(shapes[a].material, shapes[b].material, model.collision().rules));
}

void ContactPlan::enclose_shapes(std::span<const SceneShape> shapes) {
  std::vector<Aabb> boxes, of_link(radius.size(), Aabb::none());
  for (const SceneShape& shape : shapes) {
    boxes.push_back(bounds(shape.shape, shape.X_FS));
    if (is_bounded(boxes.back()))
      of_link[shape.frame] = merge(of_link[shape.frame], boxes.back());
    else
      unbounded[shape.frame] = 1;
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const int link = shapes[i].frame;
    if (!is_bounded(boxes[i])) continue;
    centre[link] = 0.5 * (of_link[link].lower + of_link[link].upper);
    const Sphere* sphere = std::get_if<Sphere>(&shapes[i].shape);
    const bool is_round = sphere && norm(shapes[i].X_FS.p - centre[link]) <= 1e-12 * sphere->radius;
    if (!is_round) turns[link] = 1;
    radius[link] = std::max(radius[link], is_round ? sphere->radius : farthest(boxes[i], centre[link]));
    radius_about_origin[link] = std::max(radius_about_origin[link], farthest(boxes[i], Vec3<double>::zero()));
  }
  for (std::size_t i = 0; i < turns.size(); ++i) {
    turns[i] = turns[i] || unbounded[i];
    moving_planes = moving_planes || (i > 0 && unbounded[i]);
  }
}

ContactSet::ContactSet(const ContactPlan& plan)
    : scene(plan.scene), reach(plan.radius.size(), 0.0), motion(plan.radius.size()) {}

void set_friction(const ContactPlan& plan, const ContactSet& set, bool slides, Contact& c) {
  ShapePair pair{};
  pair.a = decltype(pair.a)(c.key.shape_a);
  pair.b = decltype(pair.b)(c.key.shape_b);
  const PairMaterial material = material_of(plan, pair);
  c.mu = slides ? material.friction.mu_kinetic : material.friction.mu_static;
  c.across = 1;
  set_tangents(c.normal, plan.plane, c.t1, c.t2);
  if (material.directional) set_directional(material, set, slides, c);
}

bool find_contacts(const Model& model, const ContactPlan& plan, const Kinematics<double>& kin, const Velocities& vel,
                   double h, ContactSet& set) {
  set.contacts.clear();
  set.found.pairs.clear();
  set.scene.near.clear();
  if (!plan.any) return true;
  const Reach reach(model, h);
  set.time = h;
  set.extra = reach.falling;
  const double extent = extent_of(plan, kin);
  bool finite = true;
  for (std::size_t i = 1; i < set.reach.size(); ++i) {
    set.reach[i] = has_shapes(plan, i) ? reach(fastest_point(plan, kin, vel, i, extent)) : 0;
    finite = finite && std::isfinite(set.reach[i]);
  }
  if (!finite) return false;
  find_near_pairs(plan.scene, {kin.X_WL.data(), kin.X_WL.size()}, set.reach, set.scene);
  find_motion(plan, kin, vel, set.scene.near, set.motion);
  find_within_reach(plan, kin, vel, set);
  return true;
}

void follow_contacts(const ContactPlan& plan, const ContactSet& set, std::span<const char> followed,
                     const Kinematics<double>& kin, const Velocities& vel, ContactSet& there) {
  const std::span<const SceneShape> shapes = plan.scene.shapes();
  there.found.pairs.clear();
  there.found.manifolds.clear();
  for (std::size_t i = 0; i < set.found.pairs.size(); ++i) {
    if (!followed[i]) continue;
    const auto& [a, b, old_first, old_count] = set.found.pairs[i];
    const SceneShape &A = shapes[a], &B = shapes[b];
    there.scene.X_WS[a] = kin.X_WL[A.frame] * A.X_FS;
    there.scene.X_WS[b] = kin.X_WL[B.frame] * B.X_FS;
    const double margin = plan.scene.margin(a, b) + set.reach[A.frame] + set.reach[B.frame];
    const int first = int(there.found.manifolds.size());
    const int count =
        collide(A.shape, there.scene.X_WS[a], B.shape, there.scene.X_WS[b], margin, there.found.manifolds);
    if (count > 0) there.found.pairs.push_back({a, b, first, count});
  }
  list_contacts(plan, kin, vel, there);
}

bool moves_beyond_reach(const ContactPlan& plan, const Kinematics<double>& kin, const Velocities& after, double h,
                        const ContactSet& set) {
  if (!plan.any) return false;
  const double extent = extent_of(plan, kin);
  for (std::size_t i = 1; i < set.reach.size(); ++i)
    if (has_shapes(plan, i) && h * fastest_point(plan, kin, after, i, extent) > set.reach[i]) return true;
  return false;
}

bool find_more_contacts(const Model& model, const ContactPlan& plan, const Kinematics<double>& kin,
                        const Velocities& vel, const Velocities& after, double h, const ContactSet& set,
                        ContactSet& wider) {
  if (!plan.any) return false;
  const Reach reach(model, h);
  wider.time = h;
  wider.extra = 0;
  const bool farther = moves_beyond_reach(plan, kin, after, h, set);
  if (!farther) {
    find_motion(plan, kin, after, set.scene.near, wider.motion);
    if (!may_miss_contacts(plan.scene, set.reach, set.scene_motion(), wider.scene_motion(), set.scene)) return false;
  }
  const double extent = extent_of(plan, kin);
  for (std::size_t i = 1; i < set.reach.size(); ++i) {
    const double speed = farther && has_shapes(plan, i) ? fastest_point(plan, kin, after, i, extent) : 0;
    wider.reach[i] = h * speed > set.reach[i] ? reach(speed) : set.reach[i];
  }
  wider.extra = reach.falling;
  find_near_pairs(plan.scene, {kin.X_WL.data(), kin.X_WL.size()}, wider.reach, wider.scene);
  find_motion(plan, kin, after, wider.scene.near, wider.motion);
  find_within_reach(plan, kin, vel, wider);
  return true;
}

void add_contact(const Contact& c, const Kinematics<double>& kin, const Vec3<double>& offset, Rows& rows) {
  if (c.mu == 0) return add_normal(c, kin, offset.x, rows);
  rows.begin_block(BlockKind::cone, 3, c.mu);
  add_row(c, c.normal, kin, offset.x, rows);
  add_row(c, c.t1, kin, offset.y, rows);
  add_row(c, c.across * c.t2, kin, c.across * offset.z, rows);
}

void add_normal(const Contact& c, const Kinematics<double>& kin, double offset, Rows& rows) {
  rows.begin_block(BlockKind::nonnegative, 1);
  add_row(c, c.normal, kin, offset, rows);
}

}  // namespace linchpin
