// In which order the loops of loop_recursion.h leave the system, and which of them meet: found once. Internal to dynamics/.
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
    int link = 0;             // where its sides meet
    std::vector<int> later;   // constraints eliminated after it that meet it in C, in no special order
    std::vector<int> blocks;  // C with each of them
    int own_block = 0;
  };

  // What one link carries of one constraint: six numbers a row.
  struct Carried {
    int constraint = 0;
    int K = 0;          // first of its rows in K
    int parent_K = -1;  // the same at the parent; -1 where it is not carried further
    int SK = 0;         // S'K, nv numbers a row, and D^-1 S'K after them
  };
  // Two of them (or one twice) that pass a joint together, the earlier eliminated first.
  struct Meeting {
    std::size_t first, second;  // in the link's list
    int block;
  };

  std::vector<Eliminated> where;                   // per constraint
  std::vector<int> order_at;                       // rank of each constraint in the elimination
  std::vector<std::vector<int>> meets_at;          // per link: constraints eliminated there, in order
  std::vector<std::vector<Carried>> carried;       // per link, the world excluded
  std::vector<std::vector<Meeting>> meetings;      // per link
  std::map<std::pair<int, int>, int> block_index;  // of C: by the constraint eliminated first and the later one
  std::vector<int> block_sizes;                    // rows of the first x rows of the second
  int K_rows = 0, SK_numbers = 0;

 private:
  void find_paths(const Model& model, const ConstraintPlan& constraints);
  void find_order();
  int block_of(int first, int second);
};

}  // namespace linchpin
