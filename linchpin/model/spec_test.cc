#include "linchpin/model/spec.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "linchpin/base/check.h"
#include "linchpin/geometry/shapes/solid.h"

namespace linchpin {
namespace {

double volume(const Shape& shape) { return solid(shape).value().volume; }
Sym3<double> moments_of_inertia(const Shape& shape, double mass) {
  return (mass / volume(shape)) * solid(shape).value().moments;
}

constexpr double pi = std::numbers::pi;

void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}
void expect_near(const Mat3<double>& a, const Mat3<double>& b, double tolerance) {
  expect_near(a.x, b.x, tolerance);
  expect_near(a.y, b.y, tolerance);
  expect_near(a.z, b.z, tolerance);
}
void expect_near(const Sym3<double>& a, const Sym3<double>& b, double tolerance) {
  expect_near(Vec3<double>{a.xx, a.yy, a.zz}, Vec3<double>{b.xx, b.yy, b.zz}, tolerance);
  expect_near(Vec3<double>{a.xy, a.xz, a.yz}, Vec3<double>{b.xy, b.xz, b.yz}, tolerance);
}
void expect_rotation(const Mat3<double>& R) {
  expect_near(transpose(R) * R, Mat3<double>::identity(), 2e-15);
  EXPECT_NEAR(dot(cross(R.x, R.y), R.z), 1, 2e-15);
}

TEST(JointTypes, NamesGoThereAndBack) {
  for (int i = 0; i < joint_type_count; ++i) {
    const JointType type = static_cast<JointType>(i);
    EXPECT_EQ(joint_type_from(to_string(type)), type);
  }
  EXPECT_EQ(to_string(JointType::translational), "translational");
  EXPECT_EQ(joint_type_from("hinge"), std::nullopt);
  EXPECT_EQ(joint_type_from(""), std::nullopt);
  EXPECT_EQ(joint_type_from("Free"), std::nullopt);
}

TEST(JointTypes, CountsAreThoseOfTheTable) {
  const struct {
    JointType type;
    int q, v;
  } table[] = {{JointType::weld, 0, 0},   {JointType::revolute, 1, 1},  {JointType::prismatic, 1, 1},
               {JointType::screw, 1, 1},  {JointType::universal, 2, 2}, {JointType::cylindrical, 2, 2},
               {JointType::planar, 3, 3}, {JointType::ball, 4, 3},      {JointType::translational, 3, 3},
               {JointType::free, 7, 6}};
  for (const auto& [type, q, v] : table) {
    EXPECT_EQ(position_count(type), q) << to_string(type);
    EXPECT_EQ(velocity_count(type), v) << to_string(type);
  }
  EXPECT_THROW(to_string(static_cast<JointType>(joint_type_count)), CheckFailed);
}

TEST(AddSolid, OneSolidIsItself) {
  BodySpec body;
  add_solid(body, Sphere{0.5}, 2, translation(1, 2, 3), "ball");
  EXPECT_EQ(body.inertia.mass, 2);
  expect_near(body.inertia.centre, {1, 2, 3}, 0);
  expect_near(body.inertia.moments, Sym3<double>::diagonal(0.2, 0.2, 0.2), 1e-16);
  ASSERT_EQ(body.geometry.size(), 1u);
  EXPECT_EQ(body.geometry[0].name, "ball");
  EXPECT_EQ(std::get<Sphere>(body.geometry[0].shape).radius, 0.5);
  expect_near(body.geometry[0].X_BG.p, {1, 2, 3}, 0);
}

// Two spheres on x: moments 2/5 m r^2 each, and m d^2 about the common centre.
TEST(AddSolid, DumbbellByHand) {
  BodySpec body;
  add_solid(body, Sphere{0.1}, 1, translation(-1, 0, 5), "a");
  add_solid(body, Sphere{0.2}, 3, translation(1, 0, 5), "b");
  EXPECT_DOUBLE_EQ(body.inertia.mass, 4);
  expect_near(body.inertia.centre, {0.5, 0, 5}, 1e-15);
  const double own = 0.4 * (0.01 + 3 * 0.04), apart = 1 * 1.5 * 1.5 + 3 * 0.5 * 0.5;
  expect_near(body.inertia.moments, Sym3<double>::diagonal(own, own + apart, own + apart), 1e-14);
  EXPECT_EQ(body.geometry.size(), 2u);
}

// Half a turn exchanges nothing, a quarter turn about z exchanges x and y, an eighth mixes them.
TEST(AddSolid, TurnsTheMoments) {
  const Box box{{1, 2, 3}};
  const Sym3<double> I = moments_of_inertia(box, 6);
  BodySpec quarter, eighth;
  add_solid(quarter, box, 6, {rotation_z(pi / 2), {0, 0, 0}});
  expect_near(quarter.inertia.moments, Sym3<double>::diagonal(I.yy, I.xx, I.zz), 1e-13);
  add_solid(eighth, box, 6, {rotation_z(pi / 4), {0, 0, 0}});
  const double mean = (I.xx + I.yy) / 2;
  expect_near(eighth.inertia.moments, Sym3<double>{mean, mean, I.zz, (I.xx - I.yy) / 2, 0, 0}, 1e-13);
}

// A box cut into eight unequal parts and put together again, seen from a turned and shifted frame.
TEST(AddSolid, PartsMakeTheWhole) {
  const Transform<double> X{rotation_x(0.3) * rotation_y(-1.1) * rotation_z(2), {3, -1, 2}};
  const Vec3<double> half{0.5, 0.8, 1.1}, cut{0.2, -0.3, 0.7};
  const double mass = 5;
  BodySpec whole, parts;
  add_solid(whole, Box{half}, mass, X);
  for (int corner = 0; corner < 8; ++corner) {
    const auto side = [&](double h, double c, bool upper) { return upper ? (h - c) / 2 : (h + c) / 2; };
    const auto middle = [&](double h, double c, bool upper) { return upper ? (h + c) / 2 : (c - h) / 2; };
    const bool x = corner & 1, y = corner & 2, z = corner & 4;
    const Box part{{side(half.x, cut.x, x), side(half.y, cut.y, y), side(half.z, cut.z, z)}};
    const Transform<double> X_part =
        X * translation(middle(half.x, cut.x, x), middle(half.y, cut.y, y), middle(half.z, cut.z, z));
    add_solid(parts, part, mass * volume(part) / volume(Box{half}), X_part);
  }
  EXPECT_NEAR(parts.inertia.mass, mass, 1e-14);
  expect_near(parts.inertia.centre, whole.inertia.centre, 1e-14);
  expect_near(parts.inertia.moments, whole.inertia.moments, 1e-13);
  EXPECT_EQ(parts.geometry.size(), 8u);
}

TEST(AddSolid, AgreesWithAddingInertiasAboutTheOrigin) {
  const Transform<double> X1{rotation_x(1) * rotation_z(0.2), {0.1, 0.2, -0.3}},
      X2{rotation_y(2) * rotation_x(-0.4), {-0.4, 0.1, 0.6}};
  const Capsule capsule{0.1, 0.4};
  const Cylinder cylinder{0.3, 0.2};
  BodySpec body;
  add_solid(body, capsule, 1.5, X1);
  add_solid(body, cylinder, 2.5, X2);
  const auto centred = [](const Shape& shape, double mass) {
    return RigidInertia<double>::about_centre(mass, {0, 0, 0}, moments_of_inertia(shape, mass));
  };
  const RigidInertia<double> sum =
      inertia_to_parent(X1, centred(capsule, 1.5)) + inertia_to_parent(X2, centred(cylinder, 2.5));
  const InertiaSpec& i = body.inertia;
  const RigidInertia<double> ours = RigidInertia<double>::about_centre(i.mass, i.centre, i.moments);
  EXPECT_DOUBLE_EQ(ours.mass, sum.mass);
  expect_near(ours.h, sum.h, 1e-15);
  expect_near(ours.I, sum.I, 1e-15);
}

// A cone's centre of mass is a quarter of its height above the base, not where its frame is.
TEST(AddSolid, TakesTheCentreFromTheShape) {
  BodySpec body;
  add_solid(body, Cone{1, 2}, 3, {rotation_x(pi), {0, 0, 5}});
  expect_near(body.inertia.centre, {0, 0, 5 + 1}, 1e-15);
  EXPECT_THROW(add_solid(body, HalfSpace{}, 1, translation(0, 0, 0)), CheckFailed);
}

TEST(AddSolid, WithoutMassOnlyTheShapeIsAdded) {
  BodySpec body;
  add_solid(body, Sphere{1}, 0, translation(7, 0, 0));
  EXPECT_EQ(body.inertia.mass, 0);
  expect_near(body.inertia.centre, {0, 0, 0}, 0);
  add_solid(body, Sphere{1}, 2, translation(0, 1, 0));
  add_solid(body, Sphere{1}, 0, translation(0, 9, 0));
  EXPECT_EQ(body.inertia.mass, 2);
  expect_near(body.inertia.centre, {0, 1, 0}, 0);
  expect_near(body.inertia.moments, Sym3<double>::diagonal(0.8, 0.8, 0.8), 1e-15);
  EXPECT_EQ(body.geometry.size(), 3u);
  EXPECT_THROW(add_solid(body, Sphere{1}, -1, translation(0, 0, 0)), CheckFailed);
  EXPECT_THROW(add_solid(body, Sphere{1}, std::nan(""), translation(0, 0, 0)), CheckFailed);
}

TEST(Rotations, TurnTheAxesTheRightWay) {
  expect_near(rotation_x(pi / 2) * Vec3<double>{0, 1, 0}, {0, 0, 1}, 1e-16);
  expect_near(rotation_y(pi / 2) * Vec3<double>{0, 0, 1}, {1, 0, 0}, 1e-16);
  expect_near(rotation_z(pi / 2) * Vec3<double>{1, 0, 0}, {0, 1, 0}, 1e-16);
  for (const double angle : {-3.0, -0.5, 0.0, 1e-9, 0.7, 2.0, 30.0})
    for (const Mat3<double>& R : {rotation_x(angle), rotation_y(angle), rotation_z(angle)}) {
      expect_rotation(R);
      EXPECT_NEAR(R.x.x + R.y.y + R.z.z, 1 + 2 * std::cos(angle), 1e-15);
    }
}

// It takes z to the axis by the smallest rotation, one about an axis in the x-y plane: R.x.y - R.y.x is 0.
void expect_shortest_turn(const Vec3<double>& axis) {
  SCOPED_TRACE(testing::Message() << axis.x << " " << axis.y << " " << axis.z);
  const Mat3<double> R = frame_with_z(axis);
  expect_rotation(R);
  const double largest = std::max({std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)});
  const Vec3<double> scaled{axis.x / largest, axis.y / largest, axis.z / largest};
  expect_near(R.z, (1 / norm(scaled)) * scaled, 3e-16);
  EXPECT_EQ(R.x.y, R.y.x);
}

TEST(FrameWithZ, CoordinateAxes) {
  expect_near(frame_with_z({0, 0, 1}), Mat3<double>::identity(), 0);
  expect_near(frame_with_z({0, 0, 17}), Mat3<double>::identity(), 0);
  expect_near(frame_with_z({0, 0, -1}), {{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, 0);
  expect_near(frame_with_z({1, 0, 0}), rotation_y(pi / 2), 1e-16);
  expect_near(frame_with_z({0, 1, 0}), rotation_x(-pi / 2), 1e-16);
  expect_near(frame_with_z({0, -2, 0}), {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, 0);
}

TEST(FrameWithZ, AnyAxisOfAnyLength) {
  // A low-discrepancy walk over the sphere: golden-angle spiral.
  const int n = 2000;
  for (int i = 0; i < n; ++i) {
    const double z = 1 - 2 * (i + 0.5) / n, s = std::sqrt(1 - z * z), angle = i * pi * (3 - std::sqrt(5.0));
    const double length = std::pow(10.0, i % 7 - 3);
    expect_shortest_turn({length * s * std::cos(angle), length * s * std::sin(angle), length * z});
  }
}

TEST(FrameWithZ, NearThePolesAndAtExtremeLengths) {
  for (const double off : {1e-1, 1e-4, 1e-8, 1e-12, 1e-17, 1e-100, 1e-200, 1e-310})
    for (const double z : {1.0, -1.0}) {
      expect_shortest_turn({off, 0, z});
      expect_shortest_turn({0, off, z});
      expect_shortest_turn({0.6 * off, -0.8 * off, z});
    }
  for (const double length : {1e-300, 1e-160, 1e160, 1e300}) expect_shortest_turn({length, -2 * length, 0.5 * length});
  EXPECT_THROW(frame_with_z({0, 0, 0}), CheckFailed);
  EXPECT_THROW(frame_with_z({0, std::nan(""), 1}), CheckFailed);
  EXPECT_THROW(frame_with_z({0, 0, unlimited}), CheckFailed);
}

}  // namespace
}  // namespace linchpin
