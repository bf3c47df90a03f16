#include "linchpin/algebra/symmetric_eigen.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "linchpin/base/splitmix.h"

namespace linchpin {
namespace {

// A = B B' with B of four columns: V is orthogonal, A = V D V', and four eigenvalues are positive.
TEST(SymmetricEigen, EigenvectorsOfASingularMatrix) {
  constexpr int n = 9, columns = 4;
  SplitMix random(3);
  std::vector<double> B(n * columns), A(n * n, 0), V(n * n);
  for (double& x : B) x = 2 * random.unit() - 1;
  double size = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < columns; ++k) A[i * n + j] += B[i * columns + k] * B[j * columns + k];
      size = std::hypot(size, A[i * n + j]);
    }
  std::vector<double> D = A;
  jacobi_eigenvectors(n, D, V);
  double off_identity = 0, off_A = 0;
  int positive = 0;
  for (int i = 0; i < n; ++i) {
    positive += D[i * n + i] > 1e-12;
    for (int j = 0; j < n; ++j) {
      double VV = 0, VDV = 0;
      for (int k = 0; k < n; ++k) {
        VV += V[i * n + k] * V[j * n + k];
        VDV += V[i * n + k] * D[k * n + k] * V[j * n + k];
      }
      off_identity = std::hypot(off_identity, VV - (i == j));
      off_A = std::hypot(off_A, VDV - A[i * n + j]);
    }
  }
  EXPECT_LT(off_identity, 1e-13);
  EXPECT_LT(off_A, 1e-13 * size);
  EXPECT_EQ(positive, columns);
}

}  // namespace
}  // namespace linchpin
