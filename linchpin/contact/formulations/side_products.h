// The forces F of the rows' sides, sorted by link, and their products F_a' C F_b, of which the Delassus matrix is the
// sum (eliminated.h (1)).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linchpin/contact/formulations/cell_matrix.h"
#include "linchpin/spatial/spatial.h"

namespace linchpin {

// Each link that rows act on has a slot. Usage: begin(), count() for each side, end_count(), then put() for each side
// in the same order, with its force in the axes of its link.
class SideTable {
 public:
  void begin(std::size_t slots) { groups_.assign(slots, {}); }
  void count(int slot) { ++groups_[slot].count; }
  void end_count();
  void put(int slot, int row, const Force<double>& F) {
    Group& group = groups_[slot];
    const std::size_t k = std::size_t(group.filled++), stride = padded(group.count);
    double* at = forces_.data() + 6 * group.first + k;
    at[0] = F.n.x;
    at[stride] = F.n.y;
    at[2 * stride] = F.n.z;
    at[3 * stride] = F.f.x;
    at[4 * stride] = F.f.y;
    at[5 * stride] = F.f.z;
    row_[group.first + k] = row;
  }

  // Adds to `size`, by row, the compliance that the sides on a slot would have if the link were equally compliant in
  // all directions: |n|^2 times the trace of the angular part of C plus |f|^2 times that of the linear part. The terms
  // that may cancel in a row's diagonal are of this size.
  void add_sizes(int slot, const double* C, std::size_t c_stride, std::span<double> size) const;

  // Adds F_a' C F_b for all sides of slots a and b, and if a != b the transposed products, to a matrix M of `size` rows
  // or to a block-sparse one. C is 6 x 6, its rows c_stride numbers apart, and symmetric if a == b.
  void add_products(int a, int b, const double* C, std::size_t c_stride, std::span<double> M, std::size_t size);
  void add_products(int a, int b, const double* C, std::size_t c_stride, CellMatrix& M);

 private:
  // The sides of one slot: a matrix of six rows (moment, force) and padded(count) columns, one per side, zero beyond
  // count. Padding to eight columns lets the kernel work on whole packs.
  struct Group {
    int count = 0, filled = 0;
    std::size_t first = 0;  // its first column, counted over all slots
  };
  static std::size_t padded(int count) { return (std::size_t(count) + 7) / 8 * 8; }

  void find_products(int a, int b, const double* C, std::size_t c_stride);  // A' C B, rows padded(b's count) apart

  std::vector<Group> groups_;
  std::vector<double> forces_, products_;
  std::vector<int> row_;  // by column
};

}  // namespace linchpin
