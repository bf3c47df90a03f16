// The order in which loop_recursion.h eliminates its loops, and which of them couple; found once per model. For this
// room's own files.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "linchpin/dynamics/loops/constraint_rows.h"

namespace linchpin {

struct LoopOrder {
  LoopOrder(const Model& model, const ConstraintPlan& constraints);

  // A constraint's place in the elimination.
  struct Eliminated {
    int first_row = 0, rows = 0;
    int link = 0;             // the link where its sides meet
    std::vector<int> later;   // constraints eliminated later that couple with it in C, in any order
    std::vector<int> blocks;  // the block of C with each of them
    int own_block = 0;
  };

  // The rows of one constraint in the K of one link: six numbers per row.
  struct Carried {
    int constraint = 0;
    int K = 0;          // its first row in K
    int parent_K = -1;  // the same at the parent; -1 if the constraint ends here
    int SK = 0;         // S'K, nv numbers per row, followed by D^-1 S'K
  };
  // Two constraints (or one twice) that pass the same joint; `first` is eliminated first.
  struct Meeting {
    std::size_t first, second;  // in the link's list
    int block;
  };

  std::vector<Eliminated> where;                   // per constraint
  std::vector<int> order_at;                       // per constraint: its position in the elimination
  std::vector<std::vector<int>> meets_at;          // per link: constraints eliminated there, in order
  std::vector<std::vector<Carried>> carried;       // per link, the world excluded
  std::vector<std::vector<Meeting>> meetings;      // per link
  std::map<std::pair<int, int>, int> block_index;  // of C, by (constraint eliminated first, later one)
  std::vector<int> block_sizes;                    // rows of the first x rows of the second
  int K_rows = 0, SK_numbers = 0;

 private:
  void find_paths(const Model& model, const ConstraintPlan& constraints);
  void find_order();
  int block_of(int first, int second);
};

}  // namespace linchpin
