// Shared by all formulations: the problem's blocks from those of rows.h, J v and J' z from the sides of rows.
#pragma once

#include <span>
#include <vector>

#include "linchpin/contact/rows.h"

namespace linchpin {

// The order of the rows in a problem: as given, free rows first, or without the free rows.
enum class FreeRows { in_place, first, left_out };
struct RowOrder {
  std::vector<int> rows;      // by place in the problem after the leading unknowns: the index in Rows
  std::vector<Block> blocks;  // of these rows; the first one starts at 0
};
void find_order(const Rows& rows, FreeRows free, RowOrder& order);

// Sets the size, blocks and bounds of a problem with `leading` free unknowns followed by these rows. Does not set M and
// the values of q.
void begin_problem(const Rows& rows, const RowOrder& order, int leading, Problem& problem);

// J v of one row: the sum over its sides of force . motion, (2) of rows.h.
double row_velocity(const Rows& rows, int row, std::span<const Motion<double>> link);
// J' z of one row: adds impulse times the row's forces to the forces on links, about their origins in the world's axes.
void add_row_impulse(const Rows& rows, int row, double impulse, std::span<Force<double>> on_link);

}  // namespace linchpin
