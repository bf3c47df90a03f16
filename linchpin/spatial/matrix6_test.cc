// Every function, against plain loops over long double.
#include "linchpin/spatial/matrix6.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "linchpin/spatial/testing.h"

namespace linchpin {
namespace {

template <class T>
double number(const T& x) {
  if constexpr (Scalar<T>::lanes > 1)
    return x[Scalar<T>::lanes - 1];
  else
    return x;
}

// Random entries in [-1, 1]; the lanes of a pack differ, and the test looks at the last one.
template <class T>
void fill(Matrix6<T>& M, RandomSpatial& random) {
  set_zero(M);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      using Real = typename Scalar<T>::Real;
      T x{};
      if constexpr (Scalar<T>::lanes > 1)
        for (int lane = 0; lane < Scalar<T>::lanes; ++lane) x.numbers()[lane] = Real(random.even());
      else
        x = Real(random.even());
      set_entry(M, i, j, x);
    }
}

template <class T>
struct Matrix6Test : testing::Test {};
using Scalars = testing::Types<double, float, Double4, Float16>;
TYPED_TEST_SUITE(Matrix6Test, Scalars);

TYPED_TEST(Matrix6Test, EntriesAreWhereTheyWereSet) {
  using T = TypeParam;
  using Real = typename Scalar<T>::Real;
  Real numbers[6][8] = {};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) numbers[i][j] = Real(10 * i + j + 1);
  Matrix6<T> M;
  set_to(numbers, M);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_EQ(number(T(entry(M, i, j))), 10 * i + j + 1);
  set_entry(M, 4, 1, T(Real(-7)));
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_EQ(number(T(entry(M, i, j))), i == 4 && j == 1 ? -7 : 10 * i + j + 1);
  mirror(M);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      EXPECT_EQ(number(T(entry(M, i, j))), 10 * std::min(i, j) + std::max(i, j) + 1) << i << ", " << j;
  set_zero(M);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_EQ(number(T(entry(M, i, j))), 0);
}

// sum + A B or sum + A' B for all numbers of rows and columns that multiply() takes. Six products of at most 1 and the
// sum have rounding errors of less than 7 x 7 units of the last place.
template <bool transposed, bool symmetric, int rows_at_once, class T>
void expect_product(bool with_sum, int rows, int columns, RandomSpatial& random) {
  Matrix6<T> A, B, sum, out;
  fill(A, random);
  fill(B, random);
  fill(sum, random);
  fill(out, random);
  multiply<transposed, symmetric, rows_at_once>(A, B, with_sum ? &sum : nullptr, rows, columns, out);
  const double rounding = 50 * std::numeric_limits<typename Scalar<T>::Real>::epsilon();
  for (int i = 0; i < rows; ++i)
    for (int j = symmetric ? i : 0; j < columns; ++j) {
      long double expected = with_sum ? number(T(entry(sum, i, j))) : 0;
      for (int k = 0; k < 6; ++k)
        expected += (long double)number(T(transposed ? entry(A, k, i) : entry(A, i, k))) * number(T(entry(B, k, j)));
      EXPECT_NEAR(number(T(entry(out, i, j))), double(expected), rounding)
          << i << ", " << j << " of " << rows << " x " << columns << (transposed ? ", transposed" : "");
    }
  if constexpr (side_by_side<T>)  // the lanes beyond the columns stay zero
    for (int i = 0; i < rows; ++i) EXPECT_EQ(std::abs(out.row[i][6]) + std::abs(out.row[i][7]), 0);
}

TYPED_TEST(Matrix6Test, ProductsAreThoseOfPlainLoops) {
  RandomSpatial random(1);
  for (int round = 0; round < 20; ++round)
    for (const bool with_sum : {false, true}) {
      for (const int rows : {3, 6})
        for (const int columns : {3, 6}) {
          expect_product<false, false, 3, TypeParam>(with_sum, rows, columns, random);
          expect_product<true, false, 3, TypeParam>(with_sum, rows, columns, random);
        }
      expect_product<false, false, 6, TypeParam>(with_sum, 6, 6, random);
      expect_product<true, false, 6, TypeParam>(with_sum, 6, 6, random);
      expect_product<false, true, 6, TypeParam>(with_sum, 6, 6, random);
      expect_product<true, true, 6, TypeParam>(with_sum, 6, 6, random);
    }
}

}  // namespace
}  // namespace linchpin
