#include "linchpin/dynamics/tree/mass_matrix_response.h"

#include <cmath>

#include "linchpin/base/check.h"

namespace linchpin {

void half_solve(const MassMatrixLayout& layout, const MassMatrix<double>& factors, int tip,
                std::span<PathColumn> path) {
  check(path.size() == std::size_t(layout.depth[tip]) + 1, "the path has ", path.size(), " columns, coordinate ", tip,
        " has ", layout.depth[tip] + 1);
  PathColumn* const y = path.data();
  for (int k = tip, d = layout.depth[tip]; k >= 0; k = layout.parent[k], --d) {
    const double* const row = factors.entries.data() + layout.row[k];
    const PathColumn own = y[d];
    for (int e = 0; e < d; ++e) y[e] = fma(Double8(-row[e]), own, y[e]);
    y[d] = Double8(1 / std::sqrt(row[d])) * own;
  }
}

void path_product(std::span<const PathColumn> a, std::span<const PathColumn> b, double* W, std::size_t width) {
  check(a.size() == b.size(), "paths of ", a.size(), " and ", b.size(), " coordinates");
  Double8 sum[6];
#pragma GCC unroll 6
  for (int r = 0; r < 6; ++r) sum[r] = Double8(0.0);
  for (std::size_t d = 0; d < a.size(); ++d)
#pragma GCC unroll 6
    for (int r = 0; r < 6; ++r) sum[r] = fma(Double8(a[d][r]), b[d], sum[r]);
#pragma GCC unroll 6
  for (int r = 0; r < 6; ++r) sum[r].store_first(W + std::size_t(r) * width, 6);
}

}  // namespace linchpin
