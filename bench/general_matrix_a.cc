#include "bench/general_matrix_a.h"

#include <algorithm>
#include <set>

namespace linchpin::general_detail {

std::vector<std::vector<std::pair<int, std::size_t>>> constraints_of_bodies(const BlockSystem& s) {
  std::vector<std::vector<std::pair<int, std::size_t>>> at(s.bodies());
  for (std::size_t c = 0; c < s.constraints.size(); ++c)
    for (std::size_t k = 0; k < s.constraints[c].parts.size(); ++k)
      at[s.constraints[c].parts[k].body].emplace_back(int(c), k);
  return at;
}
std::vector<Pair> pairs_of(const BlockSystem& s) {
  std::vector<Pair> pairs;
  for (const auto& at : constraints_of_bodies(s))
    for (const auto& [c, part_c] : at)
      for (const auto& [d, part_d] : at)
        if (c >= d) pairs.push_back({c, d, part_c, part_d});
  return pairs;
}

SparseA::SparseA(const BlockSystem& s, bool all) : inverses_(s), pairs_(pairs_of(s)) {
  if (all) {
    const std::size_t half = pairs_.size();
    for (std::size_t i = 0; i < half; ++i)
      if (const Pair p = pairs_[i]; p.c != p.d) pairs_.push_back({p.d, p.c, p.part_d, p.part_c});
  }
  // Which blocks each column of blocks has, in order.
  std::vector<std::set<int>> rows(s.constraints.size());
  for (const Pair& p : pairs_) rows[p.d].insert(p.c);
  const int m = s.total_rows();
  std::vector<Eigen::Index> per_column;
  for (std::size_t d = 0; d < rows.size(); ++d) {
    Eigen::Index count = 0;
    for (const int c : rows[d]) count += s.constraints[c].rows;
    per_column.insert(per_column.end(), std::size_t(s.constraints[d].rows), count);
  }
  matrix_.resize(m, m);
  matrix_.reserve(Eigen::VectorX<Eigen::Index>(Eigen::Map<Eigen::VectorX<Eigen::Index>>(per_column.data(), m)));
  for (std::size_t d = 0; d < rows.size(); ++d)
    for (int k = 0; k < s.constraints[d].rows; ++k)
      for (const int c : rows[d])
        for (int i = 0; i < s.constraints[c].rows; ++i)
          matrix_.insert(s.constraints[c].first + i, s.constraints[d].first + k) = 0;
  matrix_.makeCompressed();
  for (const Pair& p : pairs_) {
    const int column = s.constraints[p.d].first, row = s.constraints[p.c].first;
    const int* const begin = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column];
    const int* const end = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column + 1];
    slots_.push_back(
        {matrix_.outerIndexPtr()[column] + int(std::lower_bound(begin, end, row) - begin), int(end - begin)});
  }
}

void SparseA::make() {
  inverses_.make();
  const BlockSystem& s = inverses_.system();
  std::fill(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros(), 0.0);
  // Columns of a block of columns have the same pattern, so a block is a matrix with that stride.
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& p = pairs_[i];
    inverses_.add(p, Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>>(matrix_.valuePtr() + slots_[i].at,
                                                                   s.constraints[p.c].rows, s.constraints[p.d].rows,
                                                                   Eigen::OuterStride<>(slots_[i].stride)));
  }
}

}  // namespace linchpin::general_detail
