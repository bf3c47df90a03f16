// Bodies, constraints and geometry as black boxes to each other [004 s.2.2].
//
// A body tells where a point of it is and how that moves, and how it spins; a constraint asks for points and spins, and
// knows no kind of body; a surface knows neither. So N kinds of body and M kinds of constraint are N + M pieces of
// code.
//
// Everything is told as the velocity v of a body makes it, never by coordinates: with x the place of a point,
//     xdot = J v,     xddot = J vdot + bias                                                                      (1)
// and for a constraint with the rows J over its bodies [004 (2), (5)], which may depend on time,
//     J v = speed,    J vdot + c = 0,     c = d/dt (J v - speed) at vdot = 0                                     (2)
// Rows that come from an equation error(t, q) = 0 have d/dt error = J v - speed; those come first. The others, which
// hold velocities only (nonholonomic), have no error.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "linchpin/dynamics/maximal/row_law.h"
#include "linchpin/spatial/spatial.h"

namespace linchpin {

// (1): J has three rows, row by row; empty for the world.
struct Moving {
  Vec3<double> rate{0, 0, 0}, bias{0, 0, 0};
  std::span<double> J;
};
struct PointMotion : Moving {
  Vec3<double> at{0, 0, 0};
};
// rate is the angular velocity, R the body's axes; all in world axes.
struct SpinMotion : Moving {
  Mat3<double> R = Mat3<double>::identity();
};

// A body of any dimension. All functions are called in every step: none should allocate.
class AnyBody {
 public:
  virtual ~AnyBody() = default;
  virtual int dimension() const = 0;                     // numbers of v
  virtual int positions() const { return dimension(); }  // numbers of q
  virtual bool spins() const { return false; }           // whether it has axes of its own
  // Points move as x0 + G X with their place X in the body: surfaces can be on it.
  virtual bool affine() const { return true; }
  // A place to begin with: zero, axes those of the world, natural size.
  virtual void start(std::span<double> q) const;

  // Symmetric and positive definite, all of it, row by row.
  virtual void mass(std::span<const double> q, std::span<double> M) const = 0;
  // Of gravity (an acceleration), of its own springs, and minus all inertial forces that velocity alone causes.
  virtual void force(std::span<const double> q, std::span<const double> v, const Vec3<double>& gravity,
                     std::span<double> F) const = 0;
  virtual double potential_energy(std::span<const double> q, const Vec3<double>& gravity) const = 0;

  // qdot, linear in v. As it is: v itself.
  virtual void rate(std::span<const double> q, std::span<const double> v, std::span<double> qdot) const;
  // Back onto the manifold from beside it: lengths of quaternions.
  virtual void settle(std::span<double> q) const;
  // By a constant velocity for a time dt, on the manifold. As it is: q + dt rate, settled.
  virtual void advance(std::span<double> q, std::span<const double> v, double dt) const;

  // Of the point X in the body's coordinates. out.J comes as zeros.
  virtual void point(std::span<const double> q, std::span<const double> v, const Vec3<double>& X,
                     PointMotion& out) const = 0;
  virtual void spin(std::span<const double> q, std::span<const double> v, SpinMotion& out) const;
};

// Room for Jacobians: what is taken stays where it is until reset(), and no memory is given back.
class BlockArena {
 public:
  std::span<double> take(std::size_t count);  // zeros
  void reset() { chunk_ = used_ = 0; }

 private:
  std::vector<std::vector<double>> chunks_;
  std::size_t chunk_ = 0, used_ = 0;
};

// What a constraint sees of one of its bodies, or of the world, which has points and a spin too but never moves.
class BodyView {
 public:
  explicit BodyView(BlockArena& arena) : arena_(&arena) {}  // the world
  BodyView(const AnyBody& body, std::span<const double> q, std::span<const double> v, BlockArena& arena)
      : body_(&body), q_(q), v_(v), arena_(&arena) {}

  int dimension() const { return body_ ? body_->dimension() : 0; }
  PointMotion point(const Vec3<double>& X) const;
  // A body that has none is the user's mistake: a constraint on axes cannot hold a particle.
  SpinMotion spin() const;
  bool affine() const { return !body_ || body_->affine(); }

 private:
  const AnyBody* body_ = nullptr;
  std::span<const double> q_, v_;
  BlockArena* arena_;
};

// What a constraint says at one moment. All zeros before it speaks.
class RowBlocks {
 public:
  // Of body k of the constraint: rows x dimension, row by row; empty for the world.
  std::span<double> J(int k) const { return J_[k]; }
  // Directions of forces, the k_i of 004 (11) as rows; only for a constraint of own_directions().
  std::span<double> K(int k) const { return K_[k]; }
  std::span<double> c, speed, error;  // error: of the holonomic rows
  std::span<double> softness;         // J y + softness l = r, as in constraint_forest.h (1)

  // Row `row` of J gets n' m.J, its c n . m.bias.
  void add(int k, int row, const Vec3<double>& n, const Moving& m) const;
  // The same for the direction of the force.
  void add_direction(int k, int row, const Vec3<double>& n, const Moving& m) const;

  std::span<std::span<double>> J_, K_;  // by body; for who fills in
};

class AnyConstraint {
 public:
  virtual ~AnyConstraint() = default;
  virtual int rows() const = 0;
  virtual int holonomic_rows() const { return rows(); }
  virtual RowLaw law() const { return {}; }
  // Forces along K instead of J' [004 s.8.1]: such a constraint is auxiliary.
  virtual bool own_directions() const { return false; }
  // `on`: the bodies in the order in which they were named.
  virtual void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const = 0;
};

// f = 0 on the surface, in the coordinates of the body that it is on; positive outside.
struct SurfaceValue {
  double f = 0;
  Vec3<double> gradient{0, 0, 0};
  Sym3<double> hessian = Sym3<double>::zero();
};
class ImplicitSurface {
 public:
  virtual ~ImplicitSurface() = default;
  virtual SurfaceValue at(const Vec3<double>& X) const = 0;
};

}  // namespace linchpin
