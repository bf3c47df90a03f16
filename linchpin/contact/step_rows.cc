#include "linchpin/contact/step_rows.h"

#include <algorithm>

namespace linchpin {
namespace {

// Marks the keys of rows that belong to no contact: no shape has this number.
constexpr std::uint32_t no_shape = 0xffffffff;

std::array<std::uint32_t, 5> key_of(const RowOwner& owner, std::span<const Contact> contacts) {
  if (owner.kind == RowOwner::Kind::contact) return memory_key(contacts[owner.index]);
  return {no_shape, std::uint32_t(owner.kind), std::uint32_t(owner.index), 0, 0};
}

bool is_remembered(const RowOwner& owner) {
  using Kind = RowOwner::Kind;
  return owner.kind == Kind::contact || owner.kind == Kind::limit || owner.kind == Kind::dry_friction ||
         owner.kind == Kind::servo;
}

// Order of the keys without the feature: points of one manifold are equal.
bool before(const std::array<std::uint32_t, 5>& a, const std::array<std::uint32_t, 5>& b) {
  return std::lexicographical_compare(a.begin(), a.begin() + 4, b.begin(), b.begin() + 4);
}

}  // namespace

void StepRows::clear() {
  rows.clear();
  owner.clear();
}

void add_loop_rows(const ConstraintPlan& plan, const ConstraintRows& loops, std::span<const double> change,
                   StepRows& out) {
  if (plan.rows() == 0) return;
  out.rows.begin_block(BlockKind::free, plan.rows());
  out.add_owner(RowOwner::Kind::loop, 0);
  for (int r = 0; r < plan.rows(); ++r) {
    for (int s = plan.first_side(r); s < plan.first_side(r + 1); ++s)
      out.rows.add_side(plan.sides()[s].link, loops.force[s]);
    out.rows.end_row(loops.drift[r] + (change.empty() ? 0.0 : change[r]));
  }
}

bool guess_impulses(const StepRows& rows, std::span<const Contact> contacts, std::span<const RowMemory> memory,
                    double h, std::span<double> impulses) {
  std::ranges::fill(impulses, 0);
  bool any = false;
  const auto less = [](const RowMemory& m, const std::array<std::uint32_t, 5>& key) { return before(m.key, key); };
  auto from = memory.begin();
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    if (!is_remembered(rows.owner[b])) continue;
    const std::array<std::uint32_t, 5> key = key_of(rows.owner[b], contacts);
    if (from == memory.end() || before(key, from->key)) from = memory.begin();  // blocks may be unordered
    from = std::lower_bound(from, memory.end(), key, less);
    for (auto m = from; m != memory.end() && !before(key, m->key); ++m) {
      if (m->key != key) continue;
      const Block& block = rows.rows.blocks[b];
      for (int i = 0; i < block.size; ++i) impulses[block.start + i] = h * m->force[i];
      any = true;
      break;
    }
  }
  return any;
}

void remember(const StepRows& rows, std::span<const Contact> contacts, std::span<const double> impulses, double h,
              std::vector<RowMemory>& memory) {
  memory.clear();
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    if (!is_remembered(rows.owner[b])) continue;
    RowMemory m{.key = key_of(rows.owner[b], contacts)};
    const Block& block = rows.rows.blocks[b];
    bool any = false;
    for (int i = 0; i < block.size; ++i) {
      m.force[i] = impulses[block.start + i] / h;
      any = any || m.force[i] != 0;
    }
    if (any) memory.push_back(m);
  }
  const auto less = [](const RowMemory& a, const RowMemory& b) { return before(a.key, b.key); };
  if (!std::ranges::is_sorted(memory, less))
    std::ranges::sort(memory, [](const RowMemory& a, const RowMemory& b) { return a.key < b.key; });
}

int limit_of(const RowMemory& row) {
  return row.key[0] == no_shape && row.key[1] == std::uint32_t(RowOwner::Kind::limit) ? int(row.key[2]) : -1;
}

const RowMemory* memory_of(const Contact& contact, std::span<const RowMemory> memory) {
  const std::array<std::uint32_t, 5> key = memory_key(contact);
  const auto less = [](const RowMemory& m, const std::array<std::uint32_t, 5>& k) { return before(m.key, k); };
  for (auto m = std::lower_bound(memory.begin(), memory.end(), key, less); m != memory.end() && !before(key, m->key);
       ++m)
    if (m->key == key) return &*m;  // only rows with a force are remembered
  return nullptr;
}

void row_velocities(const Rows& rows, const Velocities& vel, std::span<double> w) {
  for (int r = 0; r < rows.size(); ++r) {
    double sum = 0;
    for (int s = rows.first_side[r]; s < rows.first_side[r + 1]; ++s)
      sum += dot(rows.sides[s].force, vel.link[rows.sides[s].link]);
    w[r] = sum;
  }
}

}  // namespace linchpin
