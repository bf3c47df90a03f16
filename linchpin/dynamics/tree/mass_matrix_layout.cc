// The parts of mass_matrix.h that are no templates: mass_matrix.cc is compiled once for each group of scalars.
#include <algorithm>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/tree/mass_matrix.h"

namespace linchpin {

MassMatrixLayout::MassMatrixLayout(const Model& model) : nv(model.nv()) {
  parent.assign(nv, -1);
  depth.assign(nv, 0);
  row.assign(nv, 0);
  for (const Link& link : model.links()) {
    const Link& from = model.links()[link.parent];
    int previous = from.nv > 0 ? from.v + from.nv - 1 : -1;
    for (int k = 0; k < link.nv; ++k) {
      const std::size_t i = std::size_t(link.v + k);
      parent[i] = previous;
      depth[i] = previous < 0 ? 0 : depth[previous] + 1;
      row[i] = size;
      size += std::size_t(depth[i]) + 1;
      previous = link.v + k;
    }
  }
}

void to_dense(const MassMatrixLayout& layout, const MassMatrix<double>& M, std::span<double> dense) {
  const std::size_t n = std::size_t(layout.nv);
  check(dense.size() == n * n, "dense has ", dense.size(), " numbers, the model needs ", n * n);
  std::fill(dense.begin(), dense.end(), 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t e = layout.row[k] + std::size_t(layout.depth[k]);
    for (int i = static_cast<int>(k); i >= 0; i = layout.parent[i], --e)
      dense[k * n + std::size_t(i)] = dense[std::size_t(i) * n + k] = M.entries[e];
  }
}

}  // namespace linchpin
