#include "linchpin/solvers/ordering.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

namespace linchpin {

std::vector<int> fill_reducing_order(const std::vector<std::vector<int>>& neighbours) {
  const int n = int(neighbours.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 1.0);
    for (const int j : neighbours[std::size_t(i)]) entries.emplace_back(i, j, 1.0);
  }
  Eigen::SparseMatrix<double> pattern(n, n);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(pattern, order);
  return {order.indices().data(), order.indices().data() + n};
}

}  // namespace linchpin
