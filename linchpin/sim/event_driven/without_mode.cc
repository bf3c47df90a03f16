#include "linchpin/sim/event_driven/without_mode.h"

#include <algorithm>
#include <cmath>

#include "linchpin/base/index.h"

namespace linchpin {
namespace {

using Kind = ModeFault::Kind;

// Of W, in scaled rows: rounding.
constexpr double no_action = 1e-12;

bool is_of_contact(Kind kind) {
  return kind == Kind::pulls || kind == Kind::closes || kind == Kind::slips || kind == Kind::reverses;
}
bool is_of_limit(Kind kind) { return kind == Kind::limit_pulls || kind == Kind::limit_closes; }

int row_of(const ModeForces& f, const ModeFault& fault) {
  if (is_of_contact(fault.kind)) return f.contact_row[index(fault.index)];
  if (is_of_limit(fault.kind)) return f.limit_row[index(fault.index)];
  return f.dry_row[index(fault.index)];
}

int body_of_coordinate(const Model& model, int coordinate) {
  for (const Joint& joint : model.joints())
    if (coordinate >= joint.v && coordinate < joint.v + joint.nv) return joint.child;
  return -1;
}

}  // namespace

void WithoutMode::reserve(std::size_t contacts, std::size_t blocks) {
  contacts_.reserve(contacts);
  order_.reserve(contacts);
  reached_.reserve(blocks);
}

void WithoutMode::mark(const ModeForces& f, int row) {
  const std::vector<Block>& blocks = f.rows.rows.blocks;
  for (std::size_t k = 0; k < blocks.size(); ++k)
    if (row >= blocks[k].start && row < blocks[k].start + blocks[k].size) reached_[k] = 1;
}

void WithoutMode::mark_contradictions(const Mode& mode, const ModeForces& f) {
  const auto moves = [&](int row) { return std::abs(f.D[index(row)] * f.w[index(row)]) > contradiction * f.scale; };
  for (std::size_t i = 0; i < mode.contacts.size(); ++i)
    if (mode.contacts[i].hold != Hold::open && moves(f.contact_row[i])) mark(f, f.contact_row[i]);
  for (std::size_t i = 0; i < mode.limits.size(); ++i)
    if (mode.limits[i].closed && moves(f.limit_row[i])) mark(f, f.limit_row[i]);
}

// Marks all blocks that act on those marked.
void WithoutMode::spread(const ModeForces& f) {
  const std::vector<Block>& blocks = f.rows.rows.blocks;
  const std::size_t n = f.b.size();
  const auto act = [&](const Block& a, const Block& b) {
    for (int i = a.start; i < a.start + a.size; ++i)
      for (int j = b.start; j < b.start + b.size; ++j)
        if (std::abs(f.D[index(i)] * f.W[index(i) * n + index(j)] * f.D[index(j)]) > no_action) return true;
    return false;
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t k = 0; k < blocks.size(); ++k)
      for (std::size_t l = 0; l < blocks.size() && reached_[k]; ++l)
        if (!reached_[l] && act(blocks[k], blocks[l])) reached_[l] = more = true;
  }
}

int WithoutMode::body_at(const Mode& mode, const ModeFault& fault) const {
  if (fault.index < 0) return -1;
  const std::size_t i = index(fault.index);
  if (is_of_limit(fault.kind))
    return body_of_coordinate(plan_.model, plan_.joints.limits[index(mode.limits[i].limit)].coordinate);
  if (!is_of_contact(fault.kind)) return body_of_coordinate(plan_.model, plan_.joints.frictional[i]);
  const ContactKey& key = mode.contacts[i].at.key;
  const int a = plan_.model.shapes()[key.shape_a].body;
  return a != 0 ? a : plan_.model.shapes()[key.shape_b].body;
}

void WithoutMode::find(const Mode& mode, const ModeForces& f, const ModeFault& fault) {
  body_ = body_at(mode, fault);
  reached_.assign(f.rows.rows.blocks.size(), 0);
  if (fault.index >= 0 && fault.margin < -choice_tolerance) mark(f, row_of(f, fault));
  if (!f.is_consistent) mark_contradictions(mode, f);
  spread(f);
  order_.clear();
  for (std::size_t k = 0; k < f.rows.owner.size(); ++k)
    if (f.rows.owner[k].kind == RowOwner::Kind::contact && reached_[k]) order_.push_back(f.rows.owner[k].index);
  std::ranges::sort(order_, {}, [&](int i) -> const ContactKey& { return f.contacts[index(i)].key; });
  contacts_.clear();
  for (const int i : order_) {
    const Contact& c = f.contacts[index(i)];
    const bool slides = !mode.contacts[index(i)].incipient;
    contacts_.push_back({.shape_a = int(c.key.shape_a),
                         .shape_b = int(c.key.shape_b),
                         .body_a = plan_.model.shapes()[c.key.shape_a].body,
                         .body_b = plan_.model.shapes()[c.key.shape_b].body,
                         .point = c.point,
                         .normal = c.normal,
                         .gap = c.gap,
                         .mu = slides ? f.in_motion[index(i)].mu : c.mu,
                         .state = slides ? ContactState::sliding : ContactState::sticking});
  }
}

}  // namespace linchpin
