#include "linchpin/contact/formulations/side_products.h"

#include <algorithm>

#include "linchpin/spatial/pack.h"

namespace linchpin {
namespace {

// out = A' C B, eight columns of B at a time, so that C B stays in six vector registers.
void multiply(const double* A, int a_count, std::size_t a_stride, const double* C, std::size_t c_stride,
              const double* B, std::size_t b_stride, double* out) {
  for (std::size_t j = 0; j < b_stride; j += 8) {
    Double8 b[6], cb[6];
#pragma GCC unroll 6
    for (std::size_t k = 0; k < 6; ++k) b[k] = Double8::load(B + k * b_stride + j);
#pragma GCC unroll 6
    for (std::size_t i = 0; i < 6; ++i) {
      cb[i] = Double8(C[i * c_stride]) * b[0];
#pragma GCC unroll 5
      for (std::size_t k = 1; k < 6; ++k) cb[i] = fma(Double8(C[i * c_stride + k]), b[k], cb[i]);
    }
    for (std::size_t a = 0; a < std::size_t(a_count); ++a) {
      Double8 x = Double8(A[a]) * cb[0];
#pragma GCC unroll 5
      for (std::size_t k = 1; k < 6; ++k) x = fma(Double8(A[k * a_stride + a]), cb[k], x);
      x.store(out + a * b_stride + j);
    }
  }
}

}  // namespace

void SideTable::end_count() {
  std::size_t columns = 0;
  int most = 0;
  for (Group& group : groups_) {
    group.first = columns;
    columns += padded(group.count);
    most = std::max(most, group.count);
  }
  forces_.resize(6 * columns);
  row_.resize(columns);
  products_.resize(std::size_t(most) * padded(most));
  for (const Group& group : groups_) {
    const std::size_t stride = padded(group.count);
    for (std::size_t k = 0; k < 6; ++k) {
      double* numbers = forces_.data() + 6 * group.first + k * stride;
      std::fill(numbers + group.count, numbers + stride, 0.0);
    }
  }
}

void SideTable::add_sizes(int slot, const double* C, std::size_t c_stride, std::span<double> size) const {
  const Group& group = groups_[slot];
  const std::size_t stride = padded(group.count), next = c_stride + 1;
  const double angular = C[0] + C[next] + C[2 * next], linear = C[3 * next] + C[4 * next] + C[5 * next];
  for (std::size_t k = 0; k < std::size_t(group.count); ++k) {
    const double* F = forces_.data() + 6 * group.first + k;
    const double n = F[0] * F[0] + F[stride] * F[stride] + F[2 * stride] * F[2 * stride];
    const double f = F[3 * stride] * F[3 * stride] + F[4 * stride] * F[4 * stride] + F[5 * stride] * F[5 * stride];
    size[row_[group.first + k]] += n * angular + f * linear;
  }
}

void SideTable::find_products(int a, int b, const double* C, std::size_t c_stride) {
  const Group &A = groups_[a], &B = groups_[b];
  multiply(forces_.data() + 6 * A.first, A.count, padded(A.count), C, c_stride, forces_.data() + 6 * B.first,
           padded(B.count), products_.data());
}

void SideTable::add_products(int a, int b, const double* C, std::size_t c_stride, std::span<double> M,
                             std::size_t size) {
  find_products(a, b, C, c_stride);
  const Group &A = groups_[a], &B = groups_[b];
  const int *a_row = row_.data() + A.first, *b_row = row_.data() + B.first;
  for (int i = 0; i < A.count; ++i) {
    const double* from = products_.data() + std::size_t(i) * padded(B.count);
    const std::size_t r = std::size_t(a_row[i]);
    if (a == b) M[r * size + r] += from[i];
    for (int j = a == b ? i + 1 : 0; j < B.count; ++j) {
      const std::size_t c = std::size_t(b_row[j]);
      M[r * size + c] += from[j];
      M[c * size + r] += from[j];
    }
  }
}

// Adds cell by cell: the sides of one cell on one link are consecutive.
void SideTable::add_products(int a, int b, const double* C, std::size_t c_stride, CellMatrix& M) {
  find_products(a, b, C, c_stride);
  const Group &A = groups_[a], &B = groups_[b];
  const int *a_row = row_.data() + A.first, *b_row = row_.data() + B.first;
  const auto cell_end = [&](const int* row, int count, int from) {
    const int cell = M.cell_of(row[from]);
    while (from < count && M.cell_of(row[from]) == cell) ++from;
    return from;
  };
  for (int i0 = 0, i1; i0 < A.count; i0 = i1) {
    i1 = cell_end(a_row, A.count, i0);
    const int ci = M.cell_of(a_row[i0]), wi = M.width(ci);
    for (int j0 = a == b ? i0 : 0, j1; j0 < B.count; j0 = j1) {
      j1 = cell_end(b_row, B.count, j0);
      const int cj = M.cell_of(b_row[j0]), wj = M.width(cj);
      double *own = M.block(ci, cj), *mirrored = M.block(cj, ci);
      for (int i = i0; i < i1; ++i) {
        const double* from = products_.data() + std::size_t(i) * padded(B.count);
        const int r = a_row[i] - M.start(ci);
        for (int j = a == b ? std::max(i, j0) : j0; j < j1; ++j) {
          const int c = b_row[j] - M.start(cj);
          own[r * wj + c] += from[j];
          if (a != b || i != j) mirrored[c * wi + r] += from[j];
        }
      }
    }
  }
}

}  // namespace linchpin
