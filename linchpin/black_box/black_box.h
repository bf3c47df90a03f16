// Interfaces of bodies, constraints and surfaces that are black boxes to each other [004 s.2.2].
//
// A body gives the position and motion of its points, and its angular velocity. A constraint asks for these and does
// not depend on the kind of body; a surface depends on neither. So N kinds of body and M kinds of constraint take N + M
// pieces of code.
//
// Motions are linear in the velocity v of a body, whatever its coordinates. With x the position of a point,
//     xdot = J v,     xddot = J vdot + bias                                                                      (1)
// and for a constraint with the rows J over its bodies [004 (2), (5)], which may depend on time,
//     J v = speed,    J vdot + c = 0,     c = d/dt (J v - speed) at vdot = 0                                     (2)
// Rows that derive from an equation error(t, q) = 0 have d/dt error = J v - speed; these come first. The others are
// nonholonomic and have no error.
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
// rate is the angular velocity, R the body's axes; all in the world's axes.
struct SpinMotion : Moving {
  Mat3<double> R = Mat3<double>::identity();
};

// A body of any dimension. All functions are called in every step and must not allocate.
class AnyBody {
 public:
  virtual ~AnyBody() = default;
  virtual int dimension() const = 0;                     // size of v
  virtual int positions() const { return dimension(); }  // size of q
  virtual bool spins() const { return false; }           // whether it has axes, so that spin() is defined
  // Whether a point X of the body is at x0 + G X. Needed for surfaces on the body.
  virtual bool affine() const { return true; }
  // The initial q: at the origin, axes those of the world, natural size.
  virtual void start(std::span<double> q) const;

  // The mass matrix, symmetric and positive definite; both halves, row by row.
  virtual void mass(std::span<const double> q, std::span<double> M) const = 0;
  // The force of gravity (an acceleration) and of its own springs, minus the inertial forces due to velocity.
  virtual void force(std::span<const double> q, std::span<const double> v, const Vec3<double>& gravity,
                     std::span<double> F) const = 0;
  virtual double potential_energy(std::span<const double> q, const Vec3<double>& gravity) const = 0;

  // qdot, linear in v. Default: v itself.
  virtual void rate(std::span<const double> q, std::span<const double> v, std::span<double> qdot) const;
  // Projects q back onto its manifold: normalises quaternions.
  virtual void settle(std::span<double> q) const;
  // Moves q at constant velocity for a time dt, on the manifold. Default: q + dt rate, then settle().
  virtual void advance(std::span<double> q, std::span<const double> v, double dt) const;

  // The motion of the point X, given in the body's coordinates. out.J is zero before the call.
  virtual void point(std::span<const double> q, std::span<const double> v, const Vec3<double>& X,
                     PointMotion& out) const = 0;
  virtual void spin(std::span<const double> q, std::span<const double> v, SpinMotion& out) const;
};

// Memory for Jacobians. Blocks stay valid until reset(); memory is reused, never freed.
class BlockArena {
 public:
  std::span<double> take(std::size_t count);  // zeros
  void reset() { chunk_ = used_ = 0; }

 private:
  std::vector<std::vector<double>> chunks_;
  std::size_t chunk_ = 0, used_ = 0;
};

// What a constraint sees of one of its bodies, or of the world, whose points and axes are at rest.
class BodyView {
 public:
  explicit BodyView(BlockArena& arena) : arena_(&arena) {}  // the world
  BodyView(const AnyBody& body, std::span<const double> q, std::span<const double> v, BlockArena& arena)
      : body_(&body), q_(q), v_(v), arena_(&arena) {}

  int dimension() const { return body_ ? body_->dimension() : 0; }
  PointMotion point(const Vec3<double>& X) const;
  // A failed check if the body has no axes: a constraint on axes cannot act on a particle.
  SpinMotion spin() const;
  bool affine() const { return !body_ || body_->affine(); }

 private:
  const AnyBody* body_ = nullptr;
  std::span<const double> q_, v_;
  BlockArena* arena_;
};

// The rows of a constraint at one moment. All zero before evaluate().
class RowBlocks {
 public:
  // The block of J for body k of the constraint: rows x dimension, row by row; empty for the world.
  std::span<double> J(int k) const { return J_[k]; }
  // Directions of forces, the k_i of 004 (11), as rows; only for a constraint with own_directions().
  std::span<double> K(int k) const { return K_[k]; }
  std::span<double> c, speed, error;  // error: of the holonomic rows
  std::span<double> softness;         // J y + softness l = r, as in constraint_forest.h (1)

  // Adds n' m.J to row `row` of J(k), and n . m.bias to its c.
  void add(int k, int row, const Vec3<double>& n, const Moving& m) const;
  // Adds n' m.J to row `row` of K(k).
  void add_direction(int k, int row, const Vec3<double>& n, const Moving& m) const;

  std::span<std::span<double>> J_, K_;  // per body; set by the owner of the memory
};

class AnyConstraint {
 public:
  virtual ~AnyConstraint() = default;
  virtual int rows() const = 0;
  virtual int holonomic_rows() const { return rows(); }
  virtual RowLaw law() const { return {}; }
  // Whether its forces are along K instead of J' [004 s.8.1]: such a constraint is auxiliary.
  virtual bool own_directions() const { return false; }
  // `on`: the bodies in the order given in the spec.
  virtual void evaluate(double t, std::span<const BodyView> on, const RowBlocks& out) const = 0;
};

// f of a surface f = 0, positive outside, in the coordinates of the body that has the surface.
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
