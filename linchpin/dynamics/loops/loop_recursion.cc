#include "linchpin/dynamics/loops/loop_recursion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "linchpin/algebra/rank.h"
#include "linchpin/algebra/semidefinite.h"
#include "linchpin/dynamics/loops/loop_order.h"

namespace linchpin {
namespace {

// Six numbers, angular then linear, at a link's origin in the world's axes.
using Six = std::array<double, 6>;
struct Six6 {
  double at[6][6];
};

Six six(const Force<double>& f) { return {f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z}; }
Six six(const Motion<double>& m) { return {m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z}; }
Vec3<double> upper(const Six& a) { return {a[0], a[1], a[2]}; }
Vec3<double> lower(const Six& a) { return {a[3], a[4], a[5]}; }
double dot(const Six& a, const Six& b) {
  double sum = 0;
  for (std::size_t k = 0; k < 6; ++k) sum += a[k] * b[k];
  return sum;
}
void add(double s, const Six& a, Six& to) {
  for (std::size_t k = 0; k < 6; ++k) to[k] += s * a[k];
}
Six times(const Six6& A, const Six& x) {
  Six y{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t k = 0; k < 6; ++k) y[i] += A.at[i][k] * x[k];
  return y;
}
// X a: the acceleration of a point at r on the same body; X' f: the force there, about the origin.
Six moved(const Vec3<double>& r, const Six& a) { return six(Motion<double>{upper(a), lower(a) + cross(upper(a), r)}); }
Six moved_back(const Vec3<double>& r, const Six& f) {
  return six(Force<double>{upper(f) + cross(r, lower(f)), lower(f)});
}

}  // namespace

struct LoopRecursion::Parts {
  Parts(const Model& m, const ConstraintPlan& c);

  void place(const Kinematics<double>& kin, const Velocities& vel, const ConstraintRows& rows, bool holonomic_only);
  void load_motion(const Kinematics<double>& kin, const Velocities& vel, const ConstraintRows& rows,
                   std::span<const double> v, std::span<const double> tau, std::span<const double> f_ext);
  void load_rest(std::span<const double> b);
  int run(std::span<double> x, std::span<double> reactions);
  void pass_joint(std::size_t i);
  void eliminate(int constraint, std::size_t link);
  void find_reactions(int constraint, std::size_t link);
  void outward(std::size_t i, std::span<double> x);

  const Model& model;
  const ConstraintPlan& constraints;

  LoopOrder order;
  std::vector<std::vector<double>> blocks;  // rows of the earlier constraint x rows of the later one
  std::vector<SemidefiniteSolver> inverse;  // per constraint: C_dd^+

  std::vector<Six6> IA;
  std::vector<Six> pA, a, c, K;
  std::vector<double> K_moment;                  // per row of K: the size of its moment's terms
  std::vector<Vec3<double>> r;                   // from the parent's origin
  std::vector<std::array<Six, 6>> S, U;          // per link: its axes, at most six
  std::vector<std::array<double, 36>> D_factor;  // Cholesky, nv x nv
  std::vector<Six> u;
  std::vector<double> SK, k, size, give, lambda;
  double damping = 0;
  std::vector<double> column, tau;
};

namespace {

// Cholesky factor of an n x n matrix stored at [i * 6 + j], and solve with it.
void cholesky(std::array<double, 36>& A, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = A[6 * i + j];
      for (int l = 0; l < j; ++l) sum -= A[6 * i + l] * A[6 * j + l];
      A[6 * i + j] = i == j ? std::sqrt(sum) : sum / A[6 * j + j];
    }
}
void solve_cholesky(const std::array<double, 36>& L, int n, double* x) {
  for (int i = 0; i < n; ++i) {
    for (int l = 0; l < i; ++l) x[i] -= L[6 * i + l] * x[l];
    x[i] /= L[6 * i + i];
  }
  for (int i = n; i-- > 0;) {
    for (int l = i + 1; l < n; ++l) x[i] -= L[6 * l + i] * x[l];
    x[i] /= L[6 * i + i];
  }
}

}  // namespace

LoopRecursion::Parts::Parts(const Model& m, const ConstraintPlan& plan)
    : model(m),
      constraints(plan),
      order(m, plan),
      IA(m.links().size()),
      pA(m.links().size()),
      a(m.links().size()),
      c(m.links().size()),
      K(order.K_rows),
      K_moment(order.K_rows),
      r(m.links().size()),
      S(m.links().size()),
      U(m.links().size()),
      D_factor(m.links().size()),
      u(m.links().size()),
      SK(order.SK_numbers),
      k(constraints.rows()),
      size(constraints.rows()),
      give(constraints.rows()),
      lambda(constraints.rows()),
      tau(m.nv()) {
  for (const int numbers : order.block_sizes) blocks.emplace_back(std::size_t(numbers));
  std::size_t widest = 6;
  for (const LoopOrder::Eliminated& e : order.where) {
    inverse.emplace_back(e.rows);
    widest = std::max(widest, std::size_t(e.rows));
  }
  column.resize(widest);
}

// Terms that depend on position only: inertias and axes of the links, and the rows' sides.
void LoopRecursion::Parts::place(const Kinematics<double>& kin, const Velocities& vel, const ConstraintRows& rows,
                                 bool holonomic_only) {
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    const RigidInertia<double> I = inertia_to_parent({kin.X_WL[i].R, Vec3<double>::zero()}, link.inertia);
    r[i] = kin.X_WL[i].p - kin.X_WL[link.parent].p;
    IA[i] = {{{I.I.xx, I.I.xy, I.I.xz, 0, -I.h.z, I.h.y},
              {I.I.xy, I.I.yy, I.I.yz, I.h.z, 0, -I.h.x},
              {I.I.xz, I.I.yz, I.I.zz, -I.h.y, I.h.x, 0},
              {0, I.h.z, -I.h.y, I.mass, 0, 0},
              {-I.h.z, 0, I.h.x, 0, I.mass, 0},
              {I.h.y, -I.h.x, 0, 0, 0, I.mass}}};
    for (int j = 0; j < link.nv; ++j) S[i][j] = six(vel.axis[link.v + j]);
  }
  std::ranges::fill(K, Six{});
  std::ranges::fill(K_moment, 0);
  for (std::vector<double>& block : blocks) std::ranges::fill(block, 0);
  std::ranges::fill(size, 0);
  std::ranges::fill(give, 0);
  for (std::size_t i = 1; i < order.carried.size(); ++i)
    for (const LoopOrder::Carried& item : order.carried[i]) {
      const LoopOrder::Eliminated& e = order.where[item.constraint];
      for (int row = 0; row < e.rows; ++row) {
        if (holonomic_only && !constraints.holonomic(e.first_row + row))
          continue;  // K = 0: its C_dd is zero, so it gets no force
        for (int s = constraints.first_side(e.first_row + row); s < constraints.first_side(e.first_row + row + 1); ++s)
          if (constraints.sides()[s].link == int(i)) {
            add(1, six(rows.force[s]), K[item.K + row]);
            K_moment[item.K + row] += rows.moment_size[s];
          }
      }
    }
}

// Terms that depend on velocities and forces: pA of each link, velocity products c, and the rows' bias.
void LoopRecursion::Parts::load_motion(const Kinematics<double>& kin, const Velocities& vel, const ConstraintRows& rows,
                                       std::span<const double> v, std::span<const double> forces,
                                       std::span<const double> f_ext) {
  const Vec3<double> g = model.gravity();
  for (std::size_t i = 1; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    const RigidInertia<double> I = inertia_to_parent({kin.X_WL[i].R, Vec3<double>::zero()}, link.inertia);
    const Vec3<double>&w = vel.link[i].w, &wp = vel.link[link.parent].w;
    pA[i] = six(Force<double>{cross(w, I.I * w) - cross(I.h, g), cross(w, cross(w, I.h)) - I.mass * g});
    Vec3<double> turning = Vec3<double>::zero(), sliding = Vec3<double>::zero();
    for (int j = link.v; j < link.v + link.nv; ++j) {
      turning += v[j] * vel.axis[j].w;
      sliding += v[j] * vel.axis[j].v;
    }
    // mechanics.h (2) and (3) without the parent's acceleration and without vdot
    c[i] = six(Motion<double>{cross(wp, turning), cross(wp, cross(wp, r[i]) + 2.0 * sliding)});
  }
  if (!f_ext.empty())
    for (std::size_t b = 1; b < model.bodies().size(); ++b) {
      const Body& body = model.bodies()[b];
      if (body.link == 0) continue;
      const double* f = f_ext.data() + 6 * b;
      const Force<double> on_link = force_to_parent(body.X_LB, Force<double>{{f[0], f[1], f[2]}, {f[3], f[4], f[5]}});
      const Mat3<double>& R = kin.X_WL[body.link].R;
      add(-1, six(Force<double>{R * on_link.n, R * on_link.f}), pA[body.link]);
    }
  std::ranges::copy(forces, tau.begin());
  std::ranges::copy(rows.bias, k.begin());
  // gddot of a coupling is a sum over vdot only, but its sides also see the velocity products c: subtract them.
  for (std::size_t d = 0; d < order.where.size(); ++d)
    if (const auto* coupling = std::get_if<Coupling>(&constraints.constraints()[d].what)) {
      int s = constraints.first_side(order.where[d].first_row);
      for (const Coupling::Term& term : coupling->terms) {
        const std::size_t link = std::size_t(term.link);
        k[order.where[d].first_row] -= dot(six(rows.force[s]), c[link]);
        s += model.links()[link].parent == 0 ? 1 : 2;
      }
    }
}

// For a projection: no velocities and no forces, only the rows' right-hand side b.
void LoopRecursion::Parts::load_rest(std::span<const double> b) {
  std::ranges::fill(pA, Six{});
  std::ranges::fill(c, Six{});
  std::ranges::fill(tau, 0);
  std::ranges::copy(b, k.begin());
}

// (5) for one constraint, whose C_dd is complete and is factored here.
void LoopRecursion::Parts::eliminate(int d, std::size_t link) {
  const LoopOrder::Eliminated& e = order.where[d];
  const std::size_t n = std::size_t(e.rows);
  SemidefiniteSolver& inverse_d = inverse[d];
  std::vector<double>& C_dd = blocks[e.own_block];
  for (std::size_t i = 0; i < n; ++i) C_dd[i * n + i] *= 1 + damping;
  inverse_d.factor(C_dd, std::span<const double>(size).subspan(e.first_row, n));
  const double* k_d = &k[e.first_row];
  // k of the others, and C between them.
  for (std::size_t x = 0; x < e.later.size(); ++x) {
    const LoopOrder::Eliminated& o = order.where[e.later[x]];
    const std::vector<double>& C_do = blocks[e.blocks[x]];
    for (int j = 0; j < o.rows; ++j) {
      for (std::size_t i = 0; i < n; ++i) column[i] = C_do[i * std::size_t(o.rows) + std::size_t(j)];
      inverse_d.solve({column.data(), n});  // C_dd^+ C_do, column j
      for (std::size_t i = 0; i < n; ++i) k[o.first_row + j] -= column[i] * k_d[i];
      for (std::size_t y = 0; y < e.later.size(); ++y) {
        const int p = e.later[y];
        const LoopOrder::Eliminated& other = order.where[p];
        const bool same = p == e.later[x];
        if (!same && order.order_at[p] < order.order_at[e.later[x]]) continue;  // each pair once
        const std::vector<double>& C_dp = blocks[e.blocks[y]];
        std::vector<double>& C_op = blocks[order.block_index.at({e.later[x], p})];
        for (int l = 0; l < other.rows; ++l) {
          double sum = 0;
          for (std::size_t i = 0; i < n; ++i) sum += column[i] * C_dp[i * std::size_t(other.rows) + std::size_t(l)];
          C_op[j * other.rows + l] -= sum;
        }
      }
      if (link == 0) continue;
      const auto here = [&](int constraint) {
        return std::ranges::find(order.carried[link], constraint, &LoopOrder::Carried::constraint)->K;
      };
      const int K_d = here(d), K_o = here(e.later[x]);
      for (std::size_t i = 0; i < n; ++i) add(-column[i], K[std::size_t(K_d) + i], K[K_o + j]);
    }
  }
  if (link == 0) return;
  const int K_d = std::ranges::find(order.carried[link], d, &LoopOrder::Carried::constraint)->K;
  for (std::size_t m = 0; m <= 6; ++m) {  // columns of K_d', then k_d
    for (std::size_t i = 0; i < n; ++i) column[i] = m < 6 ? K[std::size_t(K_d) + i][m] : k_d[i];
    inverse_d.solve({column.data(), n});
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t l = 0; l < 6; ++l)
        (m < 6 ? IA[link].at[l][m] : pA[link][l]) += K[std::size_t(K_d) + i][l] * column[i];
  }
}

// (2), (3)
void LoopRecursion::Parts::pass_joint(std::size_t i) {
  const Link& link = model.links()[i];
  const std::size_t p = std::size_t(link.parent), nv = std::size_t(link.nv);
  for (std::size_t j = 0; j < nv; ++j) U[i][j] = times(IA[i], S[i][j]);
  Six force = times(IA[i], c[i]);
  add(1, pA[i], force);
  for (std::size_t j = 0; j < nv; ++j) {
    u[i][j] = tau[std::size_t(link.v) + j] - dot(S[i][j], force);
    for (std::size_t l = 0; l <= j; ++l) D_factor[i][6 * j + l] = dot(S[i][j], U[i][l]);
    D_factor[i][6 * j + j] += link.armature;
  }
  cholesky(D_factor[i], link.nv);

  for (const LoopOrder::Carried& item : order.carried[i]) {
    const LoopOrder::Eliminated& e = order.where[item.constraint];
    if (e.link == int(i)) continue;  // closed: its part is in IA and pA
    for (int row = 0; row < e.rows; ++row) {
      Six& K_row = K[item.K + row];
      double* SK_row = &SK[std::size_t(item.SK) + 2 * nv * std::size_t(row)];
      double* DSK_row = SK_row + nv;
      const double moment = K_moment[item.K + row], force_size = norm(lower(K_row));
      double most = 0;
      for (std::size_t j = 0; j < nv; ++j) {
        SK_row[j] = DSK_row[j] = dot(S[i][j], K_row);
        const double work = norm(upper(S[i][j])) * moment + norm(lower(S[i][j])) * force_size;
        most += work * work / (D_factor[i][6 * j + j] * D_factor[i][6 * j + j]);
      }
      size[e.first_row + row] += most;
      solve_cholesky(D_factor[i], link.nv, DSK_row);
      for (std::size_t j = 0; j < nv; ++j) give[e.first_row + row] += SK_row[j] * DSK_row[j];
      double& k_row = k[e.first_row + row];
      k_row += dot(K_row, c[i]);
      for (std::size_t j = 0; j < nv; ++j) k_row += DSK_row[j] * u[i][j];
      if (item.parent_K < 0) continue;
      Six felt = K_row;
      for (std::size_t j = 0; j < nv; ++j) add(-DSK_row[j], U[i][j], felt);
      add(1, moved_back(r[i], felt), K[item.parent_K + row]);
      K_moment[item.parent_K + row] +=
          std::max(norm(upper(felt)), rank::resisted_share * moment) + norm(r[i]) * norm(lower(felt));
    }
  }
  for (const LoopOrder::Meeting& meeting : order.meetings[i]) {
    const LoopOrder::Carried &x = order.carried[i][meeting.first], &y = order.carried[i][meeting.second];
    const int x_rows = order.where[x.constraint].rows, y_rows = order.where[y.constraint].rows;
    std::vector<double>& block = blocks[meeting.block];
    for (int j = 0; j < x_rows; ++j)
      for (int l = 0; l < y_rows; ++l)
        for (std::size_t m = 0; m < nv; ++m)
          block[j * y_rows + l] += SK[std::size_t(x.SK) + 2 * nv * std::size_t(j) + m] *
                                   SK[std::size_t(y.SK) + 2 * nv * std::size_t(l) + nv + m];
  }
  if (p == 0) return;
  double Du[6];
  std::copy_n(u[i].begin(), 6, Du);
  solve_cholesky(D_factor[i], link.nv, Du);
  for (std::size_t j = 0; j < nv; ++j) add(Du[j], U[i][j], force);
  add(1, moved_back(r[i], force), pA[p]);
  Six6 seen = IA[i];
  for (std::size_t m = 0; m < 6; ++m) {
    double DU[6];
    for (std::size_t j = 0; j < nv; ++j) DU[j] = U[i][j][m];
    solve_cholesky(D_factor[i], link.nv, DU);
    for (std::size_t j = 0; j < nv; ++j)
      for (std::size_t l = 0; l < 6; ++l) seen.at[l][m] -= U[i][j][l] * DU[j];
  }
  // X' (.) X, column by column: for each unit acceleration of the parent.
  for (std::size_t m = 0; m < 6; ++m) {
    Six unit{};
    unit[m] = 1;
    const Six column_m = moved_back(r[i], times(seen, moved(r[i], unit)));
    for (std::size_t l = 0; l < 6; ++l) IA[p].at[l][m] += column_m[l];
  }
}

// (4)
void LoopRecursion::Parts::find_reactions(int d, std::size_t link) {
  const LoopOrder::Eliminated& e = order.where[d];
  const std::size_t n = std::size_t(e.rows);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = k[std::size_t(e.first_row) + i];
    for (std::size_t x = 0; x < e.later.size(); ++x) {
      const LoopOrder::Eliminated& o = order.where[e.later[x]];
      const std::vector<double>& C_do = blocks[e.blocks[x]];
      for (int j = 0; j < o.rows; ++j) sum += C_do[i * std::size_t(o.rows) + std::size_t(j)] * lambda[o.first_row + j];
    }
    if (link != 0) {
      const int K_d = std::ranges::find(order.carried[link], d, &LoopOrder::Carried::constraint)->K;
      sum += dot(K[std::size_t(K_d) + i], a[link]);
    }
    column[i] = -sum;
  }
  inverse[d].solve({column.data(), n});
  std::copy_n(column.begin(), n, lambda.begin() + e.first_row);
}

void LoopRecursion::Parts::outward(std::size_t i, std::span<double> x) {
  const Link& link = model.links()[i];
  const std::size_t nv = std::size_t(link.nv);
  a[i] = moved(r[i], a[link.parent]);
  double rate[6];
  for (std::size_t j = 0; j < nv; ++j) rate[j] = u[i][j] - dot(U[i][j], a[i]);
  for (const LoopOrder::Carried& item : order.carried[i]) {
    const LoopOrder::Eliminated& e = order.where[item.constraint];
    if (e.link == int(i)) continue;
    for (int row = 0; row < e.rows; ++row)
      for (std::size_t j = 0; j < nv; ++j)
        rate[j] += SK[std::size_t(item.SK) + 2 * nv * std::size_t(row) + j] * lambda[e.first_row + row];
  }
  solve_cholesky(D_factor[i], link.nv, rate);
  add(1, c[i], a[i]);
  for (std::size_t j = 0; j < nv; ++j) {
    x[std::size_t(link.v) + j] = rate[j];
    add(rate[j], S[i][j], a[i]);
  }
}

int LoopRecursion::Parts::run(std::span<double> x, std::span<double> reactions) {
  const std::size_t links = model.links().size();
  for (std::size_t i = links; i-- > 0;) {
    for (const int d : order.meets_at[i]) eliminate(d, i);
    if (i > 0) pass_joint(i);
  }
  a[0] = Six{};
  for (std::size_t i = 0; i < links; ++i) {
    if (i > 0) outward(i, x);
    for (std::size_t n = order.meets_at[i].size(); n-- > 0;) find_reactions(order.meets_at[i][n], i);
  }
  std::ranges::copy(lambda, reactions.begin());
  int rank = 0;
  for (const SemidefiniteSolver& one : inverse) {
    if (one.rank() < 0) return -1;
    rank += one.rank();
  }
  return rank;
}

LoopRecursion::LoopRecursion(const Model& model, const ConstraintPlan& constraints)
    : parts_(std::make_unique<Parts>(model, constraints)) {}
LoopRecursion::~LoopRecursion() = default;
LoopRecursion::LoopRecursion(LoopRecursion&&) noexcept = default;

int LoopRecursion::blocks() const { return int(parts_->blocks.size()); }

int LoopRecursion::accelerations(const Kinematics<double>& kin, const Velocities& vel, const ConstraintRows& rows,
                                 std::span<const double> v, std::span<const double> tau, std::span<const double> f_ext,
                                 std::span<double> vdot, std::span<double> reactions) {
  parts_->place(kin, vel, rows, false);
  parts_->load_motion(kin, vel, rows, v, tau, f_ext);
  parts_->damping = 0;
  return parts_->run(vdot, reactions);
}

int LoopRecursion::least_motion(const Kinematics<double>& kin, const Velocities& vel, const ConstraintRows& rows,
                                std::span<const double> b, bool holonomic_only, double damping, std::span<double> x,
                                std::span<double> reactions, std::span<double> give) {
  parts_->place(kin, vel, rows, holonomic_only);
  parts_->load_rest(b);
  parts_->damping = damping;
  const int rank = parts_->run(x, reactions);
  for (std::size_t r = 0; r < give.size(); ++r)
    give[r] = SemidefiniteSolver::counts(parts_->give[r], parts_->size[r]) ? parts_->give[r] : 0;
  return rank;
}

}  // namespace linchpin
