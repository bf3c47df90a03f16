// The campaign: thousands or millions of random and degenerate problems, each solved by `automatic` and by one other
// solver. Every answer is checked by a witness (Judge) that shares no code with residual.h. For campaign_test.cc and
// campaign_long_test.cc.
//
// A wrong answer is
//     "solved" if Judge, below, finds more than twice the tolerance: it works in long double with its own formulas, and
//         the factor of two only allows for the rounding of residual();
//     "unsolvable" if there is a solution: planted, known from theory (contact), or found by enumeration;
//     "solved" if the problem was made to have no solution;
//     "bad input" for a valid problem.
// A problem that is not solved is not a wrong answer; those are counted, family by family. So are z that are not
// finite, which no solver may return.
//
// A problem is determined by its seed: Campaign::run_problem(seed) repeats it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/solvers/pivoting/enumeration.h"
#include "linchpin/solvers/problem/polyhedral.h"
#include "linchpin/solvers/problem/testing.h"
#include "linchpin/solvers/problem/unsolvable.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {

// ---- an independent judge ----

using Exact = long double;  // eleven bits more than double

// z - P(z - w~) with the projection onto the cone by its spectral decomposition instead of by cases: the vectors
// (1, mu e) and (mu, -e), e = x_T / |x_T|, are orthogonal, the first lies on the cone's surface, and
//     P(x) = (max(x_N + mu |x_T|, 0) (1, mu e) + max(mu x_N - |x_T|, 0) (mu, -e)) / (1 + mu^2)
// [Zhou, Chen 2013, "Properties of circular cone and spectral factorization"].
class Judge {
 public:
  // The larger of the two relative figures that residual.h defines.
  Exact figure(const Problem& p, const std::vector<double>& z) {
    velocities(p, z);
    units(p);
    Exact scaled = 0, scaled_q = 0, plain = 0, plain_q = 0;
    for (const Block& block : p.blocks) {
      const std::size_t at = std::size_t(block.start);
      if (block.kind == BlockKind::cone) {
        scaled += cone(block.mu, at, z, s_[at]);
        plain += cone(block.mu, at, z, 1);
      } else {
        for (std::size_t i = at; i < at + std::size_t(block.size); ++i) {
          const Exact a = row(p, block.kind, i, z, s_[i]), b = row(p, block.kind, i, z, 1);
          scaled += a * a;
          plain += b * b;
        }
      }
    }
    for (std::size_t i = 0; i < p.q.size(); ++i) {
      scaled_q += Exact(p.q[i]) / s_[i] * (Exact(p.q[i]) / s_[i]);
      plain_q += Exact(p.q[i]) * Exact(p.q[i]);
    }
    const Exact a = scaled_q > 0 ? std::sqrt(scaled / scaled_q) : std::sqrt(scaled);
    const Exact b = plain_q > 0 ? std::sqrt(plain / plain_q) : std::sqrt(plain);
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<Exact>::infinity() : std::max(a, b);
  }

 private:
  // w = M z + q; for a product H A^-1 H' from H and A, by elimination.
  void velocities(const Problem& p, const std::vector<double>& z) {
    const std::size_t n = p.q.size();
    M_.resize(n * n);
    p.M.to_dense(M_.data(), int(n));
    w_.assign(p.q.begin(), p.q.end());
    if (p.M.kind() == Matrix::Kind::factored) {
      product(p.M.blocks(), p.M.A(), z);
      return;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) w_[i] += Exact(M_[i * n + j]) * z[j];
  }
  void product(const BlockSparse& H, const std::vector<double>& A, const std::vector<double>& z) {
    const auto each = [&](auto&& f) {  // f(row, column, value) of every number in H
      for (int rb = 0; rb < H.row_blocks(); ++rb)
        for (int e = H.first[rb]; e < H.first[rb + 1]; ++e) {
          const double* value = &H.values[H.value_start[e]];
          const std::size_t cb = std::size_t(H.column[e]);
          for (int r = H.row_start[rb]; r < H.row_start[rb + 1]; ++r)
            for (int c = H.column_start[cb]; c < H.column_start[cb + 1]; ++c) f(r, std::size_t(c), Exact(*value++));
        }
    };
    std::vector<Exact> x(H.columns(), 0);
    each([&](std::size_t r, std::size_t c, Exact value) { x[c] += value * z[r]; });
    const double* block = A.data();
    for (int b = 0; b < H.column_blocks(); ++b) {  // x <- A^-1 x; A is positive definite: no pivoting
      const std::size_t at = std::size_t(H.column_start[b]);
      const std::size_t k = std::size_t(H.column_start[b + 1]) - at;
      std::vector<Exact> a(block, block + k * k);
      block += k * k;
      for (std::size_t i = 0; i < k; ++i)
        for (std::size_t r = i + 1; r < k; ++r) {
          const Exact factor = a[r * k + i] / a[i * k + i];
          for (std::size_t c = i; c < k; ++c) a[r * k + c] -= factor * a[i * k + c];
          x[at + r] -= factor * x[at + i];
        }
      for (std::size_t i = k; i-- > 0;) {
        for (std::size_t c = i + 1; c < k; ++c) x[at + i] -= a[i * k + c] * x[at + c];
        x[at + i] /= a[i * k + i];
      }
    }
    each([&](std::size_t r, std::size_t c, Exact value) { w_[r] += value * x[c]; });
  }

  // s as defined in residual.h.
  void units(const Problem& p) {
    const std::size_t n = p.q.size();
    s_.assign(n, 0);
    for (const Block& block : p.blocks)
      for (std::size_t i = std::size_t(block.start), end = i + std::size_t(block.size); i < end; ++i) {
        Exact d = std::abs(Exact(M_[i * n + i]));
        if (block.kind == BlockKind::cone) {
          d = 0;
          for (std::size_t k = std::size_t(block.start); k < end; ++k) d += std::abs(Exact(M_[k * n + k])) / 3;
        }
        s_[i] = std::sqrt(d);
      }
    const std::vector<Exact> own = s_;
    for (const Block& block : p.blocks) {
      const std::size_t at = std::size_t(block.start);
      for (std::size_t i = at; i < at + std::size_t(block.size); ++i) {
        if (own[i] > 0) continue;
        for (std::size_t j = 0; j < n; ++j)
          if (own[j] > 0)
            s_[i] = std::max(s_[i], Exact(std::max(std::abs(M_[i * n + j]), std::abs(M_[j * n + i]))) / own[j]);
        if (s_[i] == 0) s_[i] = 1;
      }
      if (block.kind == BlockKind::cone && own[at] == 0)
        s_[at] = s_[at + 1] = s_[at + 2] = std::max({s_[at], s_[at + 1], s_[at + 2]});
    }
  }

  Exact cone(double friction, std::size_t at, const std::vector<double>& z, Exact s) const {
    const Exact mu = friction, w[3] = {w_[at] / s, w_[at + 1] / s, w_[at + 2] / s};
    const Exact Z[3] = {s * z[at], s * z[at + 1], s * z[at + 2]};
    const Exact x[3] = {Z[0] - w[0] - mu * std::hypot(w[1], w[2]), Z[1] - w[1], Z[2] - w[2]};
    const Exact t = std::hypot(x[1], x[2]), e[2] = {t > 0 ? x[1] / t : 1, t > 0 ? x[2] / t : 0};
    if (std::isnan(t + x[0])) return std::numeric_limits<Exact>::quiet_NaN();  // max() may drop NaN
    const Exact along = (x[0] + mu * t) / (1 + mu * mu), inward = (mu * x[0] - t) / (1 + mu * mu);
    if (along <= 0) return Z[0] * Z[0] + Z[1] * Z[1] + Z[2] * Z[2];
    // Z - P(x), or the equal w~ - (P(x) - x): the smaller one of Z and w~ keeps its digits.
    const bool from_z = std::hypot(Z[0], Z[1], Z[2]) < std::hypot(w[0], w[1], w[2]);
    const Exact i = from_z ? std::max<Exact>(inward, 0) : -std::min<Exact>(inward, 0), a = from_z ? along : 0;
    const Exact P[3] = {a + mu * i, (mu * a - i) * e[0], (mu * a - i) * e[1]};
    const Exact from[3] = {from_z ? Z[0] : w[0] + mu * std::hypot(w[1], w[2]), from_z ? Z[1] : w[1],
                           from_z ? Z[2] : w[2]};
    Exact sum = 0;
    for (int k = 0; k < 3; ++k) sum += (from[k] - P[k]) * (from[k] - P[k]);
    return sum;
  }
  Exact row(const Problem& p, BlockKind kind, std::size_t i, const std::vector<double>& z, Exact s) const {
    const Exact w = w_[i] / s, Z = s * z[i];
    if (kind == BlockKind::free) return w;
    if (!std::isfinite(w + Z)) return std::numeric_limits<Exact>::quiet_NaN();
    const Exact low = kind == BlockKind::box ? s * p.lower[i] : 0;
    const Exact high = kind == BlockKind::box ? s * p.upper[i] : std::numeric_limits<Exact>::infinity();
    const Exact x = Z - w;
    return x < low ? Z - low : x > high ? Z - high : w;
  }

  std::vector<double> M_;
  std::vector<Exact> w_, s_;
};

// ---- problems ----

enum class Family { conic, polyhedral, planted, degenerate, infeasible_semidefinite, infeasible, tiny };
inline constexpr std::array<std::string_view, 7> family_names{
    "conic contact",      "polyhedral contact", "planted mix", "degenerate integers",
    "infeasible PSD LCP", "infeasible LCP",     "tiny LCP"};

struct CampaignProblem {
  Problem problem;
  Family family = Family::conic;
  bool solvable = false;  // known to be
};

// Contact: random_scene, with a matrix of any kind, as cones or with 4, 6 or 8 directions. A solution exists: M = H
// A^-1 H' and q = H v, so impulses that stop all motion along contacts are within reach [Acary et al. 2011].
inline CampaignProblem campaign_contact(Dice& dice, bool conic) {
  constexpr std::array kinds{Matrix::Kind::dense, Matrix::Kind::block_sparse, Matrix::Kind::factored};
  ContactScene scene = random_scene(dice);
  if (conic) return {contact_problem(scene, kinds[dice.below(3)]), Family::conic, true};
  while (scene.contacts.size() > 8)
    scene = random_scene(dice);  // at most 80 rows: larger ones take too long for a million
  return {polyhedral(contact_problem(scene, Matrix::Kind::dense), 4 + 2 * dice.below(3)).problem, Family::polyhedral,
          true};
}

// Blocks of all kinds. With cones the matrix is positive definite; without, semidefinite of any rank; both also with a
// skew part.
inline CampaignProblem campaign_planted(Dice& dice) {
  const bool cones = dice.chance(0.6);
  const int rows = 1 + dice.below(15);
  const ProblemLayout layout = random_layout(rows, {dice.chance(0.7), true, dice.chance(0.7), cones}, dice);
  const int n = layout.size;
  Square M = random_psd(n, cones ? n : 1 + dice.below(n), dice);
  if (cones)
    for (int i = 0; i < n; ++i) entry(M, n, i, i) += 0.1;
  if (dice.chance(0.2)) add_skew(M, n, 0.3, dice);
  return {plant(layout, Matrix::dense(n, std::move(M)), dice.chance(0.5) ? 0 : 0.3, dice).problem, Family::planted,
          true};
}

// Small integers, so that ratios tie. Half have a planted solution (also free and box rows), half are LCPs with any q.
inline CampaignProblem campaign_degenerate(Dice& dice) {
  const int rows = 1 + dice.below(12);
  if (dice.chance(0.5)) {
    Square M = random_integer_psd(rows, dice);
    return {linear_complementarity(Matrix::dense(rows, std::move(M)), tied_q(rows, dice)), Family::degenerate, false};
  }
  const ProblemLayout layout = random_layout(rows, {dice.chance(0.5), true, dice.chance(0.5), false}, dice);
  Square M = random_integer_psd(layout.size, dice);
  return {plant(layout, Matrix::dense(layout.size, std::move(M)), 0.5, dice).problem, Family::degenerate, true};
}

// y'M = 0 and y'q < 0 for some y >= 0, y != 0, so that no z >= 0 has M z + q >= 0; exactly, with integers. Half are
// symmetric and semidefinite, for which Lemke's ray is a proof; the others are of no class, and it need not be one.
inline CampaignProblem campaign_infeasible(Dice& dice) {
  const int n = 2 + dice.below(9);
  const bool symmetric = dice.chance(0.5);
  const int columns = symmetric ? 1 + dice.below(n) : n;
  std::vector<int> y(static_cast<std::size_t>(n)), G(std::size_t(n) * std::size_t(columns));
  for (int& x : y) x = dice.below(3);
  y.back() = 1;
  for (int j = 0; j < columns; ++j) {  // the last row makes the sum zero
    int sum = 0;
    for (int i = 0; i < n - 1; ++i) sum += y[i] * (G[i * columns + j] = dice.below(7) - 3);
    G[(n - 1) * columns + j] = -sum;
  }
  Square M = zero_square(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = symmetric ? 0 : G[i * columns + j];
      for (int k = 0; symmetric && k < columns; ++k) sum += G[i * columns + k] * G[j * columns + k];
      entry(M, n, i, j) = sum;
    }
  std::vector<double> q(static_cast<std::size_t>(n));
  double yq = 0;
  for (std::size_t i = 0; i + 1 < q.size(); ++i) yq += y[i] * (q[i] = dice.below(7) - 3);
  q.back() = -yq - (1 + dice.below(3));
  return {linear_complementarity(Matrix::dense(n, std::move(M)), std::move(q)),
          symmetric ? Family::infeasible_semidefinite : Family::infeasible, false};
}

// Up to five rows, of any class or none, for enumeration.
inline CampaignProblem campaign_tiny(Dice& dice) {
  const int n = 1 + dice.below(5);
  Square M = zero_square(n);
  switch (dice.below(5)) {
    case 0:
      M = random_p(n, dice);
      break;
    case 1:
      M = random_psd(n, 1 + dice.below(n), dice);
      break;
    case 2:
      M = random_copositive(n, dice.chance(0.5), dice);
      break;
    case 3:
      M = random_integer_psd(n, dice);
      break;
    default:
      for (double& x : M) x = dice.below(5) - 2;
  }
  std::vector<double> q = dice.chance(0.5) ? tied_q(n, dice) : random_q(n, dice);
  return {linear_complementarity(Matrix::dense(n, std::move(M)), std::move(q)), Family::tiny, false};
}

inline CampaignProblem campaign_problem(Dice& dice) {
  const int die = dice.below(100);
  if (die < 40) return campaign_contact(dice, true);
  if (die < 50) return campaign_contact(dice, false);
  if (die < 70) return campaign_planted(dice);
  if (die < 80) return campaign_degenerate(dice);
  if (die < 90) return campaign_infeasible(dice);
  return campaign_tiny(dice);
}

// ---- the campaign ----

struct CampaignCount {
  long problems = 0;
  long solved = 0, unsolvable = 0;  // by `automatic`
  // Neither solved by `automatic` nor proved to have no solution. missed: there is a solution, known or found by
  // enumeration; open: the others.
  long missed = 0, open = 0;
  long others = 0, others_solved = 0;  // the second solver
};

struct CampaignResult {
  std::array<CampaignCount, family_names.size()> family{};
  long wrong = 0, not_finite = 0;
  long not_enumerated = 0;  // tiny problems solved although enumeration found no solution
  std::vector<std::string> wrong_answers, not_finite_answers, missed;  // the first few, with their seeds

  const CampaignCount& of(Family f) const { return family[std::size_t(f)]; }
  std::string text() const {
    std::ostringstream out;
    out << "family                 problems    solved  unsolvable  missed  open   second solver\n";
    for (std::size_t i = 0; i < family.size(); ++i) {
      const CampaignCount& c = family[i];
      char line[160];
      std::snprintf(line, sizeof line, "%-20s %10ld %9ld %11ld %7ld %5ld   %ld of %ld\n", family_names[i].data(),
                    c.problems, c.solved, c.unsolvable, c.missed, c.open, c.others_solved, c.others);
      out << line;
    }
    out << "wrong answers: " << wrong << ", z not finite: " << not_finite
        << ", solutions that enumeration did not find: " << not_enumerated << "\n";
    return out.str();
  }
};

class Campaign {
 public:
  static constexpr double tolerance = 1e-10;
  CampaignResult result;

  void run(std::uint64_t first_seed, long problems) {
    for (long i = 0; i < problems; ++i) run_problem(first_seed + std::uint64_t(i));
  }

  void run_problem(std::uint64_t seed) {
    Dice dice(seed);
    CampaignProblem c = campaign_problem(dice);
    const Problem& p = c.problem;
    CampaignCount& count = result.family[std::size_t(c.family)];
    ++count.problems;
    if (const auto fault = find_fault(p)) {
      wrong(seed, c, "no problem: " + fault->message);
      return;
    }
    bool none =
        c.family == Family::infeasible || c.family == Family::infeasible_semidefinite;  // known to have no solution
    bool exhausted = false;
    z_.assign(p.q.size(), 0);
    if (c.family == Family::tiny) {
      const Stop stop = enumeration(p, {}, enumeration_, z_).stop;
      c.solvable = stop == Stop::finished;
      exhausted = stop == Stop::exhausted;
    }
    // Without warm start z on entry must not matter. With it, no guess, however bad, may lead to a wrong answer.
    const auto entry = [&](bool warm) {
      for (double& x : z_) x = !warm ? std::nan("") : dice.chance(0.5) ? 0 : dice.near_zero(2);
    };
    const bool warm = dice.chance(0.2);
    entry(warm);
    const SolveReport report = solver_.solve(p, SolverId::automatic, {.tolerance = tolerance, .warm_start = warm}, z_);
    check_answer(seed, c, none, report);
    count.solved += report.status == Status::solved;
    count.unsolvable += report.status == Status::unsolvable;
    result.not_enumerated += exhausted && report.status == Status::solved;
    if (report.status == Status::not_solved) {
      ++(c.solvable ? count.missed : count.open);
      if (c.solvable && result.missed.size() < 20) result.missed.push_back(told(seed, c, report));
    }

    const SolverId other = other_solver(p, dice);
    // The baselines may take thousands of sweeps; a few are enough here.
    const bool pivots = other == SolverId::lemke || other == SolverId::dantzig || other == SolverId::enumeration;
    const bool other_warm = dice.chance(0.3);
    if (!other_warm || dice.chance(0.5)) entry(other_warm);  // else from the result of `automatic`
    const SolveReport second = solver_.solve(
        p, other, {.tolerance = tolerance, .max_iterations = pivots ? 0 : 60, .warm_start = other_warm}, z_);
    check_answer(seed, c, none, second);
    ++count.others;
    count.others_solved += second.status == Status::solved;
  }

 private:
  static SolverId other_solver(const Problem& p, Dice& dice) {
    std::array<SolverId, 8> takers{};
    int count = 0;
    for (const SolverInfo& s : solvers()) {
      if (s.id == SolverId::automatic || find_refusal(s, p)) continue;
      if (s.id == SolverId::enumeration && p.size() > 5) continue;  // takes too long
      takers[count++] = s.id;
    }
    return takers[dice.below(count)];
  }

  static std::string told(std::uint64_t seed, const CampaignProblem& c, const SolveReport& report) {
    std::ostringstream out;
    out << "seed " << seed << ", " << family_names[std::size_t(c.family)] << " of " << c.problem.size()
        << " rows: " << info(report.solver).name << " says " << to_string(report.status) << " ("
        << to_string(report.stop) << "), residual " << report.residual.relative << " and "
        << report.residual.plain_relative;
    return out.str();
  }
  void wrong(std::uint64_t seed, const CampaignProblem& c, const std::string& what) {
    ++result.wrong;
    if (result.wrong_answers.size() < 20)
      result.wrong_answers.push_back("seed " + std::to_string(seed) + ", " +
                                     std::string(family_names[std::size_t(c.family)]) + ": " + what);
  }

  void check_answer(std::uint64_t seed, const CampaignProblem& c, bool none, const SolveReport& report) {
    for (const double x : z_)
      if (!std::isfinite(x)) {
        if (result.not_finite++ < 20) result.not_finite_answers.push_back(told(seed, c, report));
        break;
      }
    if (report.status == Status::bad_input) return wrong(seed, c, told(seed, c, report));
    if (report.status == Status::unsolvable && c.solvable)
      return wrong(seed, c, told(seed, c, report) + ", there is a solution");
    if (report.status != Status::solved) return;
    if (none) return wrong(seed, c, told(seed, c, report) + ", there is no solution");
    const Exact figure = judge_.figure(c.problem, z_);
    if (!(figure <= 2 * tolerance))
      wrong(seed, c,
            told(seed, c, report) + ", in fact " + std::to_string(std::log10(double(figure))) + " (power of ten)");
  }

  Solver solver_;
  EnumerationWorkspace enumeration_;
  Judge judge_;
  std::vector<double> z_;
};

}  // namespace linchpin
