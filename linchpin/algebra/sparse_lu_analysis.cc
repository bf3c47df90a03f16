// The symbolic analysis of sparse_lu.h: everything that depends on the pattern alone. Elimination order, fronts, and
// the destination of every number.
#include <algorithm>

#include "linchpin/algebra/dense_lu.h"
#include "linchpin/algebra/ordering.h"
#include "linchpin/algebra/sparse_lu.h"
#include "linchpin/base/index.h"

namespace linchpin {
namespace {

// The cells that each cell is coupled to, in either direction, ascending and without itself.
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

// Cells that one front eliminates (`pivots`), and the cells they are coupled to by then (`left`).
struct Group {
  std::vector<int> pivots, left;
  int pivot_rows = 0, left_rows = 0;
  std::vector<int> children;
  bool absorbed = false;
};

// The cost of a front with this many rows of each kind, in floating-point operations: elimination, filling the front,
// and adding its Schur complement to the parent. The four constants were measured on piles of 100 to 2000 contacts;
// other values did not change the time of factor() (docs/newton.md).
double work(double pivots, double left) {
  constexpr double to_begin = 4000;           // per front
  constexpr double to_fill = 5, to_add = 20;  // per number of the front, and of its Schur complement
  constexpr double slower = 5;                // operations among pivots, which run below the speed of the tiles
  const double all = pivots + left;
  return to_begin + pivots * (slower * 2 / 3 * pivots * pivots + 2 * pivots * left + 2 * left * left) +
         to_fill * all * all + to_add * left * left;
}

int count_rows(const std::vector<int>& cells, const std::vector<int>& rows) {
  int sum = 0;
  for (const int c : cells) sum += rows[c];
  return sum;
}

// One group per elimination, children before parents. A group is merged into its parent where that is less work,
// although it stores some zeros in the factors; it is then `absorbed`.
std::vector<Group> groups_of(std::vector<Elimination> order, const std::vector<int>& rows) {
  std::vector<Group> groups;
  for (Elimination& e : order) {
    const int pivots = count_rows(e.nodes, rows), left = count_rows(e.left, rows);
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

// ---- the fronts as lists of cells -----------------------------------------------------------------------------------

// Which cells are in which front. A cell's place is its position in the order of elimination.
struct SparseLu::Layout {
  explicit Layout(const BlockSparse& S);

  std::vector<int> rows;            // by cell: how many
  std::vector<int> order, place;    // cells by place, places by cell
  std::vector<int> first_of_front;  // by front: the place of its first pivot cell; the number of cells at the end
  std::vector<int> front_of;        // by place: the front that eliminates the cell
  std::vector<int> parent;          // by front; -1 for a root
  std::vector<std::vector<int>> children;   // by front
  std::vector<std::vector<int>> places;     // by front: the places of all its cells, ascending, pivots first
  std::vector<std::vector<int>> first_row;  // by front: the row in the front at which each of `places` starts

  int fronts() const { return int(children.size()); }
  int pivot_cells(int front) const { return first_of_front[front + 1] - first_of_front[front]; }
  // The row of `front` at which the cell at `place`, one of its cells, starts.
  int row_in(int front, int at_place) const {
    const std::vector<int>& list = places[front];
    return first_row[front][std::lower_bound(list.begin(), list.end(), at_place) - list.begin()];
  }

 private:
  void order_cells(const std::vector<Group>& groups);
  void list_cells(const std::vector<Group>& groups);
};

SparseLu::Layout::Layout(const BlockSparse& S) : rows(S.row_blocks()) {
  const std::vector<std::vector<int>> near = neighbours_of(S);
  for (std::size_t c = 0; c < rows.size(); ++c) rows[c] = S.row_start[c + 1] - S.row_start[c];
  const std::vector<Group> groups = groups_of(order_of_elimination(near, rows), rows);
  order_cells(groups);
  list_cells(groups);
}

void SparseLu::Layout::order_cells(const std::vector<Group>& groups) {
  place.resize(rows.size());
  std::vector<int> front_of_group(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].absorbed) continue;
    front_of_group[g] = fronts();
    children.push_back({});
    first_of_front.push_back(int(order.size()));
    parent.push_back(-1);
    for (const int child : groups[g].children) {
      children.back().push_back(front_of_group[child]);
      parent[children.back().back()] = fronts() - 1;
    }
    for (const int cell : groups[g].pivots) {
      place[cell] = int(order.size());
      order.push_back(cell);
    }
  }
  first_of_front.push_back(int(rows.size()));
}

void SparseLu::Layout::list_cells(const std::vector<Group>& groups) {
  front_of.resize(rows.size());
  places.resize(children.size());
  first_row.resize(children.size());
  int f = 0;
  for (const Group& group : groups) {
    if (group.absorbed) continue;
    for (int k = first_of_front[f]; k < first_of_front[f + 1]; ++k) {
      places[f].push_back(k);
      front_of[k] = f;
    }
    for (const int cell : group.left) places[f].push_back(place[cell]);
    std::sort(places[f].begin(), places[f].end());
    int row = 0;
    for (const int k : places[f]) {
      first_row[f].push_back(row);
      row += rows[order[k]];
    }
    ++f;
  }
}

// ---- where every number goes ----------------------------------------------------------------------------------------

void SparseLu::analyse(const BlockSparse& S, bool wide) {
  if (!fronts_.empty() && S.row_start == row_start_ && S.first == first_ && S.column == column_ && wide == wide_)
    return;
  row_start_ = S.row_start;
  first_ = S.first;
  column_ = S.column;
  wide_ = wide;
  float_ = {};
  const Layout layout(S);
  lay_out_fronts(layout);
  lay_out_stacks(layout);
  make_room<double>();
  map_children(layout);
  map_sources(S, layout);
}

template <class S>
void SparseLu::make_room() {
  Numbers<S>& x = numbers_of<S>();
  x.factors = AlignedArray<S>(room_.factors);
  x.bottom = AlignedArray<S>(room_.bottom);
  for (int i = 0; i < 2; ++i)
    x.stacks[i] = AlignedArray<S>(room_.stacks[i] + lanes_of<S>);  // expand() may read beyond the end
  x.known = AlignedArray<S>(room_.row);
  x.zeros = AlignedArray<S>(room_.row + lanes_of<S>);
  x.tile_children.resize(room_.children);
  x.exchanged.assign(room_.pivots, rows_.front());
  x.inverse.assign(room_.pivots, 0.0);
}

void SparseLu::make_room_for_float() {
  if (float_.factors.size() == 0) make_room<float>();
}

// The sizes of the fronts, their rows, and where their factors lie.
void SparseLu::lay_out_fronts(const Layout& layout) {
  const auto whole = [this](int n) { return wide_ ? padded_to_registers<float>(n) : padded(n); };
  fronts_.assign(layout.children.size(), {});
  rows_.clear();
  room_ = {};
  for (int f = 0; f < layout.fronts(); ++f) {
    Front& front = fronts_[f];
    front.row = rows_.size();
    for (const int k : layout.places[f]) {
      const int cell = layout.order[k];
      for (int r = 0; r < layout.rows[cell]; ++r) rows_.push_back(row_start_[cell] + r);
      (k < layout.first_of_front[f + 1] ? front.pivots : front.left) += layout.rows[cell];
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
  }
  pivot_.assign(rows_.size(), 0);
  y_.assign(room_.pivots, 0.0);
  local_.assign(room_.row, 0.0);
}

// Where the Schur complements lie. A front's follows those of its elder siblings on the stack of its generation.
// Nothing else is on that stack: children come before parents, so a subtree is in one piece.
void SparseLu::lay_out_stacks(const Layout& layout) {
  for (int f = layout.fronts(); f-- > 0;)
    if (layout.parent[f] >= 0) fronts_[f].stack = 1 - fronts_[layout.parent[f]].stack;
  children_.clear();
  std::size_t top_of_stack[2] = {0, 0};
  for (int f = 0; f < layout.fronts(); ++f) {
    const std::vector<int>& children = layout.children[f];
    Front& front = fronts_[f];
    front.child = children_.size();
    front.children = children.size();
    for (const int child : children) children_.push_back({.front = child});
    if (!children.empty()) top_of_stack[1 - front.stack] = fronts_[children.front()].left_over;
    std::size_t& top = top_of_stack[front.stack];
    front.left_over = top;
    top += index(front.left) * front.width;
    room_.stacks[front.stack] = std::max(room_.stacks[front.stack], top);
    room_.children = std::max(room_.children, front.children);
  }
}

// Which rows and columns of its parent each child adds to.
void SparseLu::map_children(const Layout& layout) {
  row_of_child_.clear();
  row_of_parent_.clear();
  spreads_.clear();
  for (int f = 0; f < layout.fronts(); ++f)
    for (std::size_t c = fronts_[f].child; c < fronts_[f].child + fronts_[f].children; ++c)
      map_child(layout, f, children_[c]);
}

void SparseLu::map_child(const Layout& layout, int parent, Child& child) {
  const Front& front = fronts_[parent];
  child.row = row_of_child_.size();
  child.target = row_of_parent_.size();
  child.spread = spreads_.size();
  row_of_child_.resize(row_of_child_.size() + index(front.pivots + front.left), -1);
  spreads_.resize(spreads_.size() + index(front.stride / 8));
  const std::vector<int>& places = layout.places[child.front];
  int next = 0;  // row of the child's Schur complement
  for (std::size_t k = layout.pivot_cells(child.front); k < places.size(); ++k) {
    const int row = layout.row_in(parent, places[k]), count = layout.rows[layout.order[places[k]]];
    for (int r = row; r < row + count; ++r, ++next) {
      row_of_child_[child.row + r] = next;
      row_of_parent_.push_back(r);
      child.to_pivots += r < front.pivots;
      const int column = column_of(front, r);
      Spread& spread = spreads_[child.spread + index(column / 8)];
      if (spread.lanes == 0) spread.from = next;
      spread.lanes |= 1u << column % 8;
    }
  }
}

// Which front each block of the matrix goes to: that of the cell which is eliminated first. Blocks lie in values_ in
// the order of S, then the diagonal blocks that S does not have; sources_ lists them front by front.
void SparseLu::map_sources(const BlockSparse& S, const Layout& layout) {
  struct Own {
    int front, i, j, entry;  // entry -1: a diagonal block that S does not have
    std::size_t at;
  };
  std::vector<Own> own;
  std::size_t values = 0;
  const auto add_own = [&](int i, int j, int entry) {
    own.push_back({layout.front_of[std::min(layout.place[i], layout.place[j])], i, j, entry, values});
    values += index(layout.rows[i]) * layout.rows[j];
  };
  for (int i = 0; i < S.row_blocks(); ++i)
    for (int e = S.first[i]; e < S.first[i + 1]; ++e) add_own(i, S.column[e], e);
  for (int i = 0; i < S.row_blocks(); ++i) {
    const auto from = S.column.begin() + S.first[i], to = S.column.begin() + S.first[i + 1];
    if (!std::binary_search(from, to, i)) add_own(i, i, -1);
  }
  std::stable_sort(own.begin(), own.end(), [](const Own& a, const Own& b) { return a.front < b.front; });
  sources_.clear();
  entry_.resize(S.column.size());
  diagonal_.resize(S.row_blocks());
  std::size_t next = 0;
  for (int f = 0; f < layout.fronts(); ++f) {
    fronts_[f].source = sources_.size();
    for (; next < own.size() && own[next].front == f; ++next) {
      const Own& o = own[next];
      if (o.entry >= 0) entry_[o.entry] = sources_.size();
      if (o.i == o.j) diagonal_[o.i] = sources_.size();
      sources_.push_back({o.at, layout.rows[o.i], layout.rows[o.j], o.i == o.j ? o.i : -1, o.entry >= 0,
                          layout.row_in(f, layout.place[o.i]),
                          column_of(fronts_[f], layout.row_in(f, layout.place[o.j]))});
    }
    fronts_[f].sources = sources_.size() - fronts_[f].source;
  }
  values_.assign(values, 0.0);
}

}  // namespace linchpin
