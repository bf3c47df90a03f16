#include <algorithm>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/maximal/constraint_forest.h"
#include "linchpin/dynamics/maximal/forest_kernels.h"
#include "linchpin/spatial/pack.h"
#include "linchpin/spatial/scalar.h"

namespace linchpin {

using Node = ConstraintForest::Node;

namespace {

// Element i of a vector with one column, or with eight columns side by side.
template <class T>
constexpr std::size_t columns = sizeof(T) / sizeof(double);
template <class T>
T number(std::span<const double> x, int i) {
  if constexpr (columns<T> == 1)
    return x[i];
  else
    return T::load(x.data() + columns<T> * std::size_t(i));
}
template <class T>
void put(const T& value, std::span<double> x, int i) {
  if constexpr (columns<T> == 1)
    x[i] = value;
  else
    value.store(x.data() + columns<T> * std::size_t(i));
}

}  // namespace

ForestFactors::ForestFactors(const ConstraintForest& forest)
    : forest_(&forest),
      numbers_(forest.numbers()),
      pending_(forest.pending_numbers()),
      softness_(forest.total_rows(), 0.0),
      zero_(std::max(forest.total_size(), forest.total_rows()), 0.0),
      f_(std::size_t(forest.stride()) * forest.nodes().size()),
      scratch_(std::size_t(forest.stride() + 1) * std::size_t(forest.stride())),
      rest_F_(forest.total_size()),
      rest_r_(forest.total_rows()),
      more_y_(rest_F_),
      more_l_(rest_r_) {
  std::fill_n(numbers_.data(), numbers_.size(), 0.0);
}

void ForestFactors::set_mass(int body, std::span<const double> M) {
  const Node& node = forest_->nodes()[forest_->node_of_body(body)];
  const std::size_t n = std::size_t(node.size), stride = std::size_t(forest_->stride());
  check(M.size() == n * n, "a mass matrix of ", M.size(), " numbers for body ", body, " of dimension ", n);
  for (std::size_t k = 0; k < n; ++k) {
    double* row = numbers_.data() + node.M + k * stride;
    std::copy_n(M.data() + k * n, n, row);
    std::fill(row + n, row + stride, 0.0);
  }
}

void ForestFactors::set_constraint(int constraint, std::span<const double> J_a, std::span<const double> J_b,
                                   std::span<const double> softness) {
  const Node& node = forest_->nodes()[forest_->node_of_constraint(constraint)];
  const std::size_t n = std::size_t(node.size), m = std::size_t(node.rows), p = std::size_t(node.parent_size),
                    stride = std::size_t(forest_->stride());
  const std::span<const double>&child = node.flipped ? J_b : J_a, &parent = node.flipped ? J_a : J_b;
  check((node.held != 0 || child.size() == m * n) && parent.size() == m * p, "blocks of ", J_a.size(), " and ",
        J_b.size(), " numbers for constraint ", constraint, " of ", m, " rows on bodies of dimension ",
        node.flipped ? p : n, " and ", node.flipped ? n : p);
  check(softness.empty() || softness.size() == m, "softness of ", softness.size(), " rows for ", m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < n && node.held == 0; ++k) numbers_.data()[node.Jb + k * stride + i] = child[i * n + k];
    for (std::size_t k = 0; k < p; ++k) numbers_.data()[node.Jp + i * stride + k] = parent[i * p + k];
    softness_[std::size_t(node.l) + i] = softness.empty() ? 0 : softness[i];
  }
}

ForestWork ForestFactors::work() {
  return {forest_->nodes(),  softness_.data(), numbers_.data(), pending_.data(),
          forest_->stride(), f_.data(),        scratch_.data()};
}

// Calls f(kernels, first, end) for each run of nodes, in the order from the tips inward or outward.
template <class F>
void ForestFactors::inward(const F& f) const {
  for (const ConstraintForest::Run& run : forest_->runs())
    f(kernels_for(forest_->nodes()[run.first], forest_->stride()), run.first, run.end);
}
template <class F>
void ForestFactors::outward(const F& f) const {
  for (std::size_t i = forest_->runs().size(); i-- > 0;) {
    const ConstraintForest::Run& run = forest_->runs()[i];
    f(kernels_for(forest_->nodes()[run.first], forest_->stride()), run.first, run.end);
  }
}

bool ForestFactors::factor_with(const double* F, const double* r, bool keep) {
  const ForestWork work = this->work();
  failed_ = -1;
  inward([&](const ForestKernels& kernels, int first, int end) {
    if (failed_ >= 0) return;
    const int bad = kernels.factor(work, first, end, F, r, keep);
    if (bad >= 0) failed_ = work.nodes[bad].body;
  });
  return failed_ < 0;
}

bool ForestFactors::factor() { return factor_with(zero_.data(), zero_.data(), true); }

bool ForestFactors::factor_and_solve(std::span<const double> F, std::span<const double> r, std::span<double> y,
                                     std::span<double> l, bool keep) {
  check_sizes(F, r, y, l, 1);
  const double* given = r.empty() ? zero_.data() : r.data();
  if (!factor_with(F.data(), given, keep)) return false;
  const ForestWork work = this->work();
  outward([&](const ForestKernels& kernels, int first, int end) {
    kernels.outward(work, first, end, given, y.data(), l.data());
  });
  return true;
}

void ForestFactors::solve(std::span<const double> F, std::span<const double> r, std::span<double> y,
                          std::span<double> l) {
  check_sizes(F, r, y, l, 1);
  const ForestWork work = this->work();
  for (std::size_t i = 0; i < work.nodes.size(); ++i)
    std::copy_n(F.data() + work.nodes[i].y, work.nodes[i].size, f_.data() + i * std::size_t(work.stride));
  const double* given = r.empty() ? zero_.data() : r.data();
  inward(
      [&](const ForestKernels& kernels, int first, int end) { kernels.solve_in(work, first, end, given, l.data()); });
  outward([&](const ForestKernels& kernels, int first, int end) {
    kernels.solve_out(work, first, end, y.data(), l.data());
  });
}

// of_F holds F before the call.
template <class T>
void ForestFactors::subtract(const Node& node, std::span<const double> r, std::span<const double> y,
                             std::span<const double> l, std::span<double> of_F, std::span<double> of_r) const {
  const int stride = forest_->stride();
  const double *M = numbers_.data() + node.M, *Jb = numbers_.data() + node.Jb, *Jp = numbers_.data() + node.Jp;
  const int parent = node.parent < 0 ? 0 : forest_->nodes()[node.parent].y;
  for (int k = 0; k < node.size; ++k) {
    T own = number<T>(of_F, node.y + k);
    for (int j = 0; j < node.size; ++j) own = fma(T(-M[k * stride + j]), number<T>(y, node.y + j), own);
    for (int i = 0; i < node.rows && node.held == 0; ++i)
      own = fma(T(Jb[k * stride + i]), number<T>(l, node.l + i), own);
    put<T>(own, of_F, node.y + k);
  }
  for (int k = 0; k < node.parent_size; ++k) {
    T on_parent = number<T>(of_F, parent + k);
    for (int i = 0; i < node.rows; ++i) on_parent = fma(T(Jp[i * stride + k]), number<T>(l, node.l + i), on_parent);
    put<T>(on_parent, of_F, parent + k);
  }
  for (int i = 0; i < node.rows; ++i) {
    const T l_i = number<T>(l, node.l + i);
    T rest = fma(T(-softness_[node.l + i]), l_i, r.empty() ? T(0.0) : number<T>(r, node.l + i));
    if (node.held != 0) {
      const int k = node.y + lane_of(node.held, i);
      put<T>(number<T>(of_F, k) + l_i, of_F, k);
      rest = rest - number<T>(y, k);
    } else {
      for (int k = 0; k < node.size; ++k) rest = fma(T(-Jb[k * stride + i]), number<T>(y, node.y + k), rest);
    }
    for (int k = 0; k < node.parent_size; ++k) rest = fma(T(-Jp[i * stride + k]), number<T>(y, parent + k), rest);
    put<T>(rest, of_r, node.l + i);
  }
}

void ForestFactors::residual(std::span<const double> F, std::span<const double> r, std::span<const double> y,
                             std::span<const double> l, std::span<double> of_F, std::span<double> of_r) const {
  check_sizes(F, r, y, l, 1);
  check_sizes(of_F, {}, of_F, of_r, 1);
  std::ranges::copy(F, of_F.begin());
  for (const Node& node : forest_->nodes()) subtract<double>(node, r, y, l, of_F, of_r);
}

void ForestFactors::refine(std::span<const double> F, std::span<const double> r, std::span<double> y,
                           std::span<double> l) {
  residual(F, r, y, l, rest_F_, rest_r_);
  solve(rest_F_, rest_r_, more_y_, more_l_);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += more_y_[i];
  for (std::size_t i = 0; i < l.size(); ++i) l[i] += more_l_[i];
}

void ForestFactors::solve8(std::span<double> y, std::span<const double> r, std::span<double> l) {
  check_sizes(y, r, y, l, 8);
  const ForestWork work = this->work();
  const double* given = r.empty() ? nullptr : r.data();
  inward([&](const ForestKernels& kernels, int first, int end) {
    kernels.solve8_in(work, first, end, given, y.data(), l.data());
  });
  outward([&](const ForestKernels& kernels, int first, int end) {
    kernels.solve8_out(work, first, end, y.data(), l.data());
  });
}

void ForestFactors::solve8(std::span<double> y, std::span<const double> r, std::span<double> l,
                           std::span<const int> on_way) {
  check_sizes(y, r, y, l, 8);
  const ForestWork work = this->work();
  const double* given = r.empty() ? nullptr : r.data();
  for (const int i : on_way)
    kernels_for(work.nodes[i], work.stride).solve8_in(work, i, i + 1, given, y.data(), l.data());
  for (std::size_t k = on_way.size(); k-- > 0;) {
    const int i = on_way[k];
    kernels_for(work.nodes[i], work.stride).solve8_out(work, i, i + 1, y.data(), l.data());
  }
}

void ForestFactors::make_room8() {
  rest_r8_.resize(8 * std::size_t(forest_->total_rows()));
  more_l8_.resize(rest_r8_.size());
}

void ForestFactors::refine8(std::span<double> F, std::span<double> y, std::span<double> l, std::span<const int> tree) {
  check_sizes(F, {}, y, l, 8);
  make_room8();
  const auto node = [&](int i) -> const Node& { return forest_->nodes()[i]; };
  for (const int i : tree) subtract<Double8>(node(i), {}, y, l, F, rest_r8_);
  solve8(F, rest_r8_, more_l8_, tree);
  for (const int i : tree) {
    const std::size_t at = 8 * std::size_t(node(i).y), row = 8 * std::size_t(node(i).l);
    for (std::size_t k = at; k < at + 8 * std::size_t(node(i).size); ++k) y[k] += F[k];
    for (std::size_t k = row; k < row + 8 * std::size_t(node(i).rows); ++k) l[k] += more_l8_[k];
  }
}

void ForestFactors::check_sizes(std::span<const double> F, std::span<const double> r, std::span<const double> y,
                                std::span<const double> l, int columns) const {
  const std::size_t size = std::size_t(columns * forest_->total_size()),
                    rows = std::size_t(columns * forest_->total_rows());
  check(F.size() == size && y.size() == size, "vectors of ", F.size(), " and ", y.size(), " numbers over bodies, not ",
        size);
  check((r.empty() || r.size() == rows) && l.size() == rows, "vectors of ", r.size(), " and ", l.size(),
        " numbers over constraints, not ", rows);
}

}  // namespace linchpin
