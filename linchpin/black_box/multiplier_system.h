// A mechanism in maximal coordinates, made of bodies and constraints that are black boxes to each other (black_box.h),
// and solved by Lagrange multipliers in linear time [004].
//
// There are three laws [004 s.3], all of the form M y = F + J' l, J y + E l = r (constraint_forest.h), with auxiliary
// constraints in addition (auxiliary_rows.h):
//     accelerations   f = m a    y = vdot   F: forces      r = -c - 2 alpha (J v - speed) - beta^2 error
//     velocities      f = m v    y = v      F: dragging    r = speed - gain error
//     impulses        m dv = j   y = dv     F: impulses    r = speed - J v
// (004 writes the last as dv = m j.) alpha and beta are Baumgarte's stabilisation; zero by default, since projection
// with the same factors removes drift better and changes nothing if there is none [004 s.2.1]:
//     positions    M d = J' l,  J d = -error,          q <- q (+) d      Newton steps, J and its factors kept     (1)
//     velocities   M d = J' l,  J d = speed - J v,     v <- v + d                                                 (2)
// Both are the shortest motions in the metric of the mass matrix.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/black_box/black_box.h"
#include "linchpin/dynamics/maximal/auxiliary_rows.h"
#include "linchpin/dynamics/maximal/constraint_forest.h"

namespace linchpin {

inline constexpr int world_body = -1;

// How a constraint is solved: primary by the forest, in linear time; auxiliary by the k x k matrix in addition to it;
// either: by the forest if possible, in the order of the spec.
enum class Role { primary, auxiliary, either };

// The mechanism as the user describes it. A body or constraint object may be used several times.
struct MultiplierSpec {
  struct Held {
    std::shared_ptr<const AnyConstraint> constraint;
    std::vector<int> bodies;  // in the constraint's order; world_body where it acts on the world
    Role role = Role::primary;
  };
  std::vector<std::shared_ptr<const AnyBody>> bodies;
  std::vector<Held> constraints;
  Vec3<double> gravity{0, 0, -9.81};

  int add(std::shared_ptr<const AnyBody> body);
  int add(std::shared_ptr<const AnyConstraint> constraint, std::vector<int> on, Role role = Role::primary);
};

struct MultiplierState {
  double t = 0;
  std::vector<double> q, v;
};

enum class MultiplierStatus {
  solved,
  singular,    // a body without mass in some direction, or a primary constraint with dependent rows: see failed()
  unsolved,    // the solver of auxiliary constraints gave up
  not_settled  // errors remain above the tolerance: the constraints may contradict each other
};
std::string_view to_string(MultiplierStatus status);

struct Baumgarte {
  double alpha = 0, beta = 0;  // 1/s
};

struct SettleOptions {
  // Of errors, in their units (m, rad; per second for velocities), times the largest number of q or v if that is above
  // 1, since rounding is proportional to it.
  double tolerance = 1e-12;
  int steps = 20;  // Newton steps; the matrix is factored again only after a step that reduced errors less than tenfold
};

class MultiplierSystem {
 public:
  // Returns the Error of ConstraintForest::make if a primary constraint cannot be primary, with the numbers of this
  // spec.
  static Result<MultiplierSystem> make(MultiplierSpec spec);
  MultiplierSystem(MultiplierSystem&&) noexcept;
  MultiplierSystem& operator=(MultiplierSystem&&) noexcept;
  ~MultiplierSystem();

  int bodies() const { return int(spec_.bodies.size()); }
  int constraints() const { return int(spec_.constraints.size()); }
  const MultiplierSpec& spec() const { return spec_; }
  int positions() const { return int(first_q_.back()); }
  int velocities() const { return int(first_v_.back()); }
  bool is_primary(int constraint) const { return places_[constraint].primary >= 0; }
  const ConstraintForest& forest() const { return *forest_; }

  // All bodies at their start positions, at rest.
  MultiplierState make_state() const;
  std::span<double> q(MultiplierState& state, int body) const;
  std::span<double> v(MultiplierState& state, int body) const;
  std::span<const double> q(const MultiplierState& state, int body) const;
  std::span<const double> v(const MultiplierState& state, int body) const;

  // Switches an auxiliary constraint on or off: a contact that opens, a limit far away. Primary ones are always active.
  void set_active(int constraint, bool active);
  bool active(int constraint) const { return places_[constraint].active; }
  // The solver for constraints that are not equalities, such as AuxiliaryProblem (auxiliary_problem.h).
  void set_solver(std::shared_ptr<AuxiliarySolver> solver);

  // The three laws. F is added to the bodies' own forces and may be empty.
  MultiplierStatus accelerations(const MultiplierState& state, std::span<const double> F, std::span<double> vdot,
                                 const Baumgarte& baumgarte = {});
  MultiplierStatus velocities(double t, std::span<const double> q, std::span<const double> F, std::span<double> v,
                              double gain = 0);
  // Changes state.v. Inequalities, and the normals of cones, have the coefficient of restitution `restitution`.
  MultiplierStatus impulses(MultiplierState& state, std::span<const double> impulse = {}, double restitution = 0);
  // The multipliers of a constraint's rows in the last law computed; zero if it is not active.
  std::span<const double> multipliers(int constraint) const;
  int failed() const;  // body

  // (1), (2), and both.
  MultiplierStatus settle_positions(MultiplierState& state, const SettleOptions& options = {});
  MultiplierStatus settle_velocities(MultiplierState& state, const SettleOptions& options = {});
  MultiplierStatus settle(MultiplierState& state, const SettleOptions& options = {});

  // rate(), settle() and advance() of black_box.h for all bodies.
  void rate(std::span<const double> q, std::span<const double> v, std::span<double> qdot) const;
  void settle_manifold(std::span<double> q) const;
  void advance(std::span<double> q, std::span<const double> v, double dt) const;

  // Diagnostics.
  double kinetic_energy(const MultiplierState& state);
  double potential_energy(const MultiplierState& state) const;
  // The largest error, and the largest |J v - speed|, of active constraints without soft rows.
  double position_error(const MultiplierState& state);
  double velocity_error(const MultiplierState& state);
  Vec3<double> place(const MultiplierState& state, int body, const Vec3<double>& X);
  Vec3<double> velocity(const MultiplierState& state, int body, const Vec3<double>& X);
  // The energy of the soft rows as springs: sum of speed^2 / (2 softness).
  double strain(const MultiplierState& state);
  // J v of a row, after evaluate().
  double speed_of(const MultiplierState& state, int constraint, int row) const {
    return row_times(constraint, row, state.v);
  }
  // The rows of a constraint at a state.
  const RowBlocks& evaluate(const MultiplierState& state, int constraint);
  // The auxiliary rows and matrix of the last law computed.
  const AuxiliaryRows& auxiliary() const { return *auxiliary_; }
  std::span<const double> auxiliary_matrix() const { return auxiliary_matrix_; }

 private:
  enum class Level { acceleration, velocity, impulse, settle_velocity, settle_position };
  // Indices and offsets of a constraint.
  struct Place {
    int primary = -1;  // its constraint in the forest, -1 for an auxiliary one
    int rows = 0, holonomic = 0;
    std::size_t first = 0;  // offset in vectors over all rows
    bool active = true, own_directions = false;
    RowLaw law;
    int first_auxiliary = -1;                   // its first row among the current auxiliary rows
    std::size_t numbers = 0, number_count = 0;  // its range in blocks_
    std::vector<std::span<double>> J, K;        // per body, in blocks_
    RowBlocks out;
  };

  explicit MultiplierSystem(MultiplierSpec spec);
  void lay_out();
  void evaluate_one(double t, std::span<const double> q, std::span<const double> v, int constraint);
  void evaluate_all(double t, std::span<const double> q, std::span<const double> v);
  // J y of a constraint's row.
  double row_times(int constraint, int row, std::span<const double> y) const;
  // Whether a row is used at a level.
  bool counts(const Place& place, int row, Level level) const;
  double largest_error(Level level, std::span<const double> v) const;
  void load(std::span<const double> q, Level level);
  // Computes y_ and multipliers_ from F_ and r_. solve_anew() also loads and factors the matrix.
  MultiplierStatus solve_anew(std::span<const double> q, Level level);
  MultiplierStatus solve_again(Level level);
  MultiplierStatus solve_auxiliary(Level level, bool anew);
  void gather_primary(Level level);
  void gather_auxiliary(Level level);
  MultiplierStatus settle_velocities(MultiplierState& state, const SettleOptions& options, bool have_factors);
  template <class Errors, class Move>
  MultiplierStatus settle_level(Level level, std::span<const double> q, std::span<const double> numbers,
                                const SettleOptions& options, bool have_factors, const Errors& find_errors,
                                const Move& move);

  MultiplierSpec spec_;
  std::vector<std::size_t> first_q_, first_v_;
  std::unique_ptr<ConstraintForest> forest_;
  std::unique_ptr<ForestFactors> factors_;
  std::unique_ptr<AuxiliaryRows> auxiliary_;
  std::shared_ptr<AuxiliarySolver> solver_;
  std::vector<Place> places_;
  std::vector<double> blocks_;                                          // J and K of all constraints
  std::vector<double> c_, speed_, error_, softness_, r_, multipliers_;  // over all rows
  std::vector<double> F_, y_, l_, r_primary_, M_, zero_, left_out_, left_out_softness_;
  std::vector<AuxiliaryBlock> auxiliary_blocks_;
  std::vector<double> b_, mu_;
  std::span<const double> auxiliary_matrix_;
  std::vector<BodyView> views_;
  BlockArena arena_;
  bool differs_by_level_ = false;  // some row is used for velocities but not for positions
  bool settled_anew_ = false;      // whether settle_positions() factored the matrix
};

}  // namespace linchpin
