// Sums of products of doubles without any rounding, for proofs. For this room and solvers/pivoting.
//
// The sum is kept as numbers that do not overlap, from the smallest to the largest, so its sign is that of the last
// [Shewchuk 1997, s. 2.4]. A product is the sum of its rounded value and the error of that, by a fused multiplication.
#pragma once

#include <array>
#include <cmath>
#include <utility>

namespace linchpin {

class ExactSum {
 public:
  void add(double x) {
    int kept = 0;
    for (int k = 0; k < count_; ++k) {
      double y = parts_[k];
      if (std::abs(x) < std::abs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);  // exact: |x| >= |y|
      if (low != 0) parts_[kept++] = low;
      x = high;
    }
    if (kept == int(parts_.size()) || !std::isfinite(x)) {
      exact_ = false;
      kept = 0;
    }
    if (x != 0) parts_[kept++] = x;
    count_ = kept;
  }
  void add_product(double a, double b) {
    if (a == 0 || b == 0) return;
    const double product = a * b;
    // Outside of this range the error of the product, or a later sum, may not be a double.
    if (!(std::abs(product) > 1e-270 && std::abs(product) < 1e290)) exact_ = false;
    add(product);
    add(std::fma(a, b, -product));
  }

  bool exact() const { return exact_; }
  // Of the exact sum; meaningless if it is not exact().
  int sign() const { return count_ == 0 ? 0 : parts_[count_ - 1] > 0 ? 1 : -1; }
  // Rounded: within two units in the last place.
  double value() const { return rounded<double>(); }
  long double extended() const { return rounded<long double>(); }

 private:
  template <class T>
  T rounded() const {
    T sum = 0;
    for (int k = 0; k < count_; ++k) sum += parts_[k];
    return sum;
  }

  std::array<double, 48> parts_;  // 48 of 53 bits: more than all exponents of double
  int count_ = 0;
  bool exact_ = true;
};

}  // namespace linchpin
