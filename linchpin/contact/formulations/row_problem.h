// What all formulations make of rows.h alike: the problem's blocks, and J v from the motions of links.
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/rows.h"

namespace linchpin {

// The rows in the order in which a problem has them: as they are, or free ones first.
enum class FreeRows { in_place, first, left_out };
struct RowOrder {
  std::vector<int> rows;      // by place in the problem, the leading unknowns not counted
  std::vector<Block> blocks;  // theirs, the first one beginning at 0
};
void find_order(const Rows& rows, FreeRows free, RowOrder& order);

// Sizes and blocks of a problem of `leading` free unknowns and then these rows; M and the numbers of q are not yet set.
void begin_problem(const Rows& rows, const RowOrder& order, int leading, Problem& problem);

// Sum over the row's sides of force . motion: (2) of rows.h.
double row_velocity(const Rows& rows, int row, std::span<const Motion<double>> link);
// Adds impulse times the row's forces to those on links, about their origins in the world's axes.
void add_row_impulse(const Rows& rows, int row, double impulse, std::span<Force<double>> on_link);

}  // namespace linchpin
