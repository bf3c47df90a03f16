// Of sparse_lu.h what depends on the pattern alone: order, fronts, where every number goes.
#include <algorithm>

#include "linchpin/algebra/dense_lu.h"
#include "linchpin/algebra/ordering.h"
#include "linchpin/algebra/sparse_lu.h"
#include "linchpin/base/index.h"

namespace linchpin {
namespace {

std::vector<std::vector<int>> neighbours_of(const BlockSparse& S) {
  std::vector<std::vector<int>> near(S.row_blocks());
  for (int i = 0; i < S.row_blocks(); ++i)
    for (int e = S.first[i]; e < S.first[i + 1]; ++e)
      if (const int j = S.column[e]; j != i) {
        near[i].push_back(j);
        near[j].push_back(i);
      }
  for (std::vector<int>& x : near) {
    std::sort(x.begin(), x.end());
    x.erase(std::unique(x.begin(), x.end()), x.end());
  }
  return near;
}

// Cells that are eliminated together, as a front, and those that they are coupled to.
struct Group {
  std::vector<int> pivots, left;
  int pivot_rows = 0, left_rows = 0;
  std::vector<int> children;
  bool absorbed = false;
};

// What a front costs, in multiplications and additions of the kernels: its elimination, to fill it, and to add what it
// leaves over to its parent, number by number. Measured on piles of 100 to 2000 contacts.
double work(double pivots, double left) {
  constexpr double to_begin = 4000, to_fill = 5, to_add = 20;
  constexpr double slower = 5;  // pivots among themselves
  const double all = pivots + left;
  return to_begin + pivots * (slower * 2 / 3 * pivots * pivots + 2 * pivots * left + 2 * left * left) +
         to_fill * all * all + to_add * left * left;
}

// A group is joined to its parent, at the price of some zeros among the factors, where that is less work. Children come
// before parents.
std::vector<Group> groups_of(std::vector<Elimination> order, const std::vector<int>& rows) {
  const auto rows_in = [&](const std::vector<int>& cells) {
    int sum = 0;
    for (const int c : cells) sum += rows[c];
    return sum;
  };
  std::vector<Group> groups;
  for (Elimination& e : order) {
    const int pivots = rows_in(e.nodes), left = rows_in(e.left);
    groups.push_back({std::move(e.nodes), std::move(e.left), pivots, left, std::move(e.children)});
  }
  for (Group& parent : groups) {
    std::vector<int> kept;
    for (std::size_t c = 0; c < parent.children.size(); ++c) {
      Group& child = groups[parent.children[c]];
      if (work(child.pivot_rows + parent.pivot_rows, parent.left_rows) >=
          work(child.pivot_rows, child.left_rows) + work(parent.pivot_rows, parent.left_rows)) {
        kept.push_back(parent.children[c]);
        continue;
      }
      parent.pivots.insert(parent.pivots.begin(), child.pivots.begin(), child.pivots.end());
      parent.pivot_rows += child.pivot_rows;
      parent.children.insert(parent.children.end(), child.children.begin(), child.children.end());
      child.absorbed = true;
    }
    std::sort(kept.begin(), kept.end());
    parent.children = std::move(kept);
  }
  return groups;
}

}  // namespace

template <class S>
void SparseLu::make_room() {
  Numbers<S>& x = numbers_of<S>();
  x.factors = AlignedArray<S>(room_.factors);
  x.bottom = AlignedArray<S>(room_.bottom);
  for (int i = 0; i < 2; ++i) x.stacks[i] = AlignedArray<S>(room_.stacks[i] + lanes_of<S>);  // expand() may read beyond
  x.known = AlignedArray<S>(room_.row);
  x.zeros = AlignedArray<S>(room_.row + lanes_of<S>);
  x.tile_children.resize(room_.children);
  x.exchanged.assign(room_.pivots, rows_.front());
  x.inverse.assign(room_.pivots, 0.0);
}

void SparseLu::make_room_for_float() {
  if (float_.factors.size() == 0) make_room<float>();
}

void SparseLu::analyse(const BlockSparse& S, bool wide) {
  if (!fronts_.empty() && S.row_start == row_start_ && S.first == first_ && S.column == column_ && wide == wide_)
    return;
  wide_ = wide;
  float_ = {};
  const auto whole = [&](int n) { return wide ? padded_to_registers<float>(n) : padded(n); };
  row_start_ = S.row_start;
  first_ = S.first;
  column_ = S.column;
  const std::vector<std::vector<int>> near = neighbours_of(S);
  const std::size_t n = near.size();
  std::vector<int> rows(n);
  for (std::size_t c = 0; c < n; ++c) rows[c] = S.row_start[c + 1] - S.row_start[c];
  const auto cell_size = [&](int cell) { return rows[cell]; };
  const std::vector<Group> groups = groups_of(order_of_elimination(near, rows), rows);

  // The order of cells, by position, and the positions of cells.
  std::vector<int> order, position(n), front_of_group(groups.size()), first_of_front, parent;
  std::vector<std::vector<int>> children;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].absorbed) continue;
    front_of_group[g] = int(children.size());
    children.push_back({});
    first_of_front.push_back(int(order.size()));
    parent.push_back(-1);
    for (const int child : groups[g].children) {
      children.back().push_back(front_of_group[child]);
      parent[children.back().back()] = int(children.size()) - 1;
    }
    for (const int cell : groups[g].pivots) {
      position[cell] = int(order.size());
      order.push_back(cell);
    }
  }
  first_of_front.push_back(int(n));

  // Fronts, and each cell's place in the front that eliminates it.
  fronts_.assign(children.size(), {});
  rows_.clear();
  std::vector<int> front_of(n);                               // by position
  std::vector<std::vector<int>> row_of_cell(fronts_.size());  // per front: the first row of each of its cells, by list
  std::vector<std::vector<int>> cells_of(fronts_.size());     // positions
  std::size_t f = 0;
  room_ = {};
  for (const Group& group : groups) {
    if (group.absorbed) continue;
    Front& front = fronts_[f];
    for (int k = first_of_front[f]; k < first_of_front[f + 1]; ++k) {
      cells_of[f].push_back(k);
      front_of[k] = int(f);
    }
    for (const int cell : group.left) cells_of[f].push_back(position[cell]);
    std::sort(cells_of[f].begin(), cells_of[f].end());
    front.row = rows_.size();
    for (const int k : cells_of[f]) {
      row_of_cell[f].push_back(front.pivots + front.left);
      const int cell = order[k];
      for (int r = 0; r < cell_size(cell); ++r) rows_.push_back(S.row_start[cell] + r);
      (k < first_of_front[f + 1] ? front.pivots : front.left) += cell_size(cell);
    }
    front.gap = whole(front.pivots);
    front.width = whole(front.left);
    front.stride = front.gap + front.width;
    front.top = room_.factors;
    front.columns = front.top + index(front.pivots) * front.stride;
    room_.factors = front.columns + index(front.pivots) * front.stride;
    front.pivot = room_.pivots;
    room_.pivots += index(front.gap);
    room_.row = std::max(room_.row, index(front.stride));
    room_.bottom = std::max(room_.bottom, index(front.left) * front.gap);
    ++f;
  }
  pivot_.assign(rows_.size(), 0);
  y_.assign(room_.pivots, 0.0);
  local_.assign(room_.row, 0.0);

  // What a front leaves over follows what its elder siblings did, on the stack of its generation; nothing else is there,
  // as children before parents means a subtree in one piece.
  for (f = fronts_.size(); f-- > 0;)
    if (parent[f] >= 0) fronts_[f].stack = 1 - fronts_[parent[f]].stack;
  children_.clear();
  std::size_t top_of_stack[2] = {0, 0};
  for (f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    front.child = children_.size();
    front.children = children[f].size();
    for (const int child : children[f]) children_.push_back({.front = child});
    if (!children[f].empty()) top_of_stack[1 - front.stack] = fronts_[children[f].front()].left_over;
    std::size_t& top = top_of_stack[front.stack];
    front.left_over = top;
    top += index(front.left) * front.width;
    room_.stacks[front.stack] = std::max(room_.stacks[front.stack], top);
    room_.children = std::max(room_.children, front.children);
  }
  make_room<double>();

  // Where things go: a cell's row within a front.
  const auto row_in = [&](int front, int place) {
    const std::vector<int>& list = cells_of[front];
    return row_of_cell[front][std::lower_bound(list.begin(), list.end(), place) - list.begin()];
  };
  const auto column_of = [](const Front& front, int row) {
    return row < front.pivots ? row : front.gap + row - front.pivots;
  };
  row_of_child_.clear();
  row_of_parent_.clear();
  spreads_.clear();
  for (f = 0; f < fronts_.size(); ++f) {
    const Front& front = fronts_[f];
    for (std::size_t c = front.child; c < front.child + front.children; ++c) {
      const std::size_t child = children_[c].front;
      children_[c].row = row_of_child_.size();
      children_[c].target = row_of_parent_.size();
      children_[c].spread = spreads_.size();
      row_of_child_.resize(row_of_child_.size() + index(front.pivots + front.left), -1);
      spreads_.resize(spreads_.size() + index(front.stride / 8));
      int next = 0;  // row of what the child leaves over
      for (std::size_t k = first_of_front[child + 1] - first_of_front[child]; k < cells_of[child].size(); ++k) {
        const int row = row_in(int(f), cells_of[child][k]), count = cell_size(order[cells_of[child][k]]);
        for (int r = row; r < row + count; ++r, ++next) {
          row_of_child_[children_[c].row + r] = next;
          row_of_parent_.push_back(r);
          children_[c].to_pivots += r < front.pivots;
          const int column = column_of(front, r);
          Spread& spread = spreads_[children_[c].spread + index(column / 8)];
          if (spread.lanes == 0) spread.from = next;
          spread.lanes |= 1u << column % 8;
        }
      }
    }
  }

  // The matrix's own entries, front by front.
  struct Own {
    int front, i, j, entry;  // entry -1: a diagonal block that S does not have
    std::size_t at;
  };
  std::vector<Own> own;
  std::size_t values = 0;
  const auto add_own = [&](int i, int j, int entry) {
    own.push_back({front_of[std::min(position[i], position[j])], i, j, entry, values});
    values += index(cell_size(i)) * cell_size(j);
  };
  for (int i = 0; i < int(n); ++i)
    for (int e = S.first[i]; e < S.first[i + 1]; ++e) add_own(i, S.column[e], e);
  for (int i = 0; i < int(n); ++i) {
    const auto from = S.column.begin() + S.first[i], to = S.column.begin() + S.first[i + 1];
    if (!std::binary_search(from, to, i)) add_own(i, i, -1);
  }
  std::stable_sort(own.begin(), own.end(), [](const Own& a, const Own& b) { return a.front < b.front; });
  sources_.clear();
  entry_.resize(S.column.size());
  diagonal_.resize(n);
  std::size_t next = 0;
  for (f = 0; f < fronts_.size(); ++f) {
    fronts_[f].source = sources_.size();
    for (; next < own.size() && own[next].front == int(f); ++next) {
      const Own& o = own[next];
      if (o.entry >= 0) entry_[o.entry] = sources_.size();
      if (o.i == o.j) diagonal_[o.i] = sources_.size();
      sources_.push_back({o.at, cell_size(o.i), cell_size(o.j), o.i == o.j ? o.i : -1, o.entry >= 0,
                          row_in(int(f), position[o.i]), column_of(fronts_[f], row_in(int(f), position[o.j]))});
    }
    fronts_[f].sources = sources_.size() - fronts_[f].source;
  }
  values_.assign(values, 0.0);
}

}  // namespace linchpin
