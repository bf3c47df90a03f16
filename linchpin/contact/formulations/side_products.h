// The forces of rows' sides, link by link, and their products F_a' C F_b: what a problem without velocities is made of.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linchpin/contact/formulations/cell_matrix.h"
#include "linchpin/spatial/spatial.h"

namespace linchpin {

// Each link has a slot here. Count all sides, then put them in the same order, each in its link's own axes.
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

  // Adds to `size`, by row, what the sides on a slot would meet if the link gave way alike in all directions: |n|^2 times the
  // trace of C's angular part and |f|^2 times that of its linear one. Of this size are the terms that may cancel in a row's
  // diagonal.
  void add_sizes(int slot, const double* C, std::size_t c_stride, std::span<double> size) const;

  // Adds F_a' C F_b for all sides a of one slot and b of another, and if those differ F_b' C' F_a, to a matrix of `size`
  // rows. C is 6 x 6, its rows c_stride numbers apart; symmetric where the slots are the same.
  void add_products(int a, int b, const double* C, std::size_t c_stride, std::span<double> M, std::size_t size);
  void add_products(int a, int b, const double* C, std::size_t c_stride, CellMatrix& M);

 private:
  // Sides side by side: six rows (moment, force) of padded(count) numbers, zero beyond count.
  struct Group {
    int count = 0, filled = 0;
    std::size_t first = 0;  // column, of all
  };
  static std::size_t padded(int count) { return (std::size_t(count) + 7) / 8 * 8; }

  void find_products(int a, int b, const double* C, std::size_t c_stride);  // A' C B, rows padded(b's count) apart

  std::vector<Group> groups_;
  std::vector<double> forces_, products_;
  std::vector<int> row_;  // by column
};

}  // namespace linchpin
