#include "linchpin/contact/rows.h"

namespace linchpin {

void Rows::clear() {
  blocks.clear();
  for (std::vector<double>* list : {&offset, &softness, &lower, &upper}) list->clear();
  coordinate.clear();
  first_side.assign(1, 0);
  sides.clear();
}

void Rows::begin_block(BlockKind kind, int size_of_block, double mu) {
  blocks.push_back({.kind = kind, .start = size(), .size = size_of_block, .mu = mu});
}

void Rows::add_side(int link, const Force<double>& force) {
  if (link != 0) sides.push_back({link, force});
}

void Rows::end_row(double row_offset, double row_softness, int row_coordinate, double row_lower, double row_upper) {
  offset.push_back(row_offset);
  softness.push_back(row_softness);
  lower.push_back(row_lower);
  upper.push_back(row_upper);
  coordinate.push_back(row_coordinate);
  first_side.push_back(int(sides.size()));
}

}  // namespace linchpin
