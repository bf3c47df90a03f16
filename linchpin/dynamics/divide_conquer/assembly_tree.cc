#include "linchpin/dynamics/divide_conquer/assembly_tree.h"

#include <algorithm>
#include <cstdlib>

#include "linchpin/base/check.h"
#include "linchpin/dynamics/maximal/body_inverse.h"

namespace linchpin {

class AssemblyTree::Builder {
 public:
  Builder(const Model& model, const Plan<double>& plan, int longest, AssemblyTree& out)
      : model_(model), plan_(plan), longest_(longest), out_(out) {
    const int runs = int(model.runs().size());
    below_.assign(runs, 0);
    children_.resize(runs);
    for (int r = runs - 1; r > 0; --r) {
      const Run& run = model.runs()[r];
      below_[r] += run.end - run.first;
      below_[run.parent] += below_[r];
    }
    for (int r = 1; r < runs; ++r) children_[model.runs()[r].parent].push_back(r);
  }

  void build() {
    for (const int run : children_[0]) out_.roots_.push_back(add_path(run));
  }

 private:
  // Consecutive pieces of a path, the innermost first, and the links in them with all that hangs on them.
  struct Segment {
    std::vector<Piece> pieces;
    int links = 0, weight = 0;
    std::vector<std::vector<int>> limbs;  // by piece: the runs that begin there
  };

  struct Place {
    int run, link;
  };
  bool may_end(std::span<const Place> segment) const;

  std::vector<Segment> divide(int first_run) const;
  int add_path(int first_run);
  int assemble(std::vector<Segment>& segments, int first, int last, bool on_world);
  int add_segment(Segment& segment, bool open, bool on_world);

  const Model& model_;
  const Plan<double>& plan_;
  const int longest_;
  AssemblyTree& out_;
  std::vector<int> below_;                  // by run: the links in it and below it
  std::vector<std::vector<int>> children_;  // by run
};

// Inertias below this share of the link's would be lost in the rounding of links beyond.
constexpr double least_share = 1e-6;

// Whether a joint with one axis, z of its link, has an inertia S' I S + armature to move, with its own link alone.
bool moves_itself(const Link& link) {
  if (link.kind != LinkKind::revolute && link.kind != LinkKind::axial) return false;
  const Sym3<double>& I = link.inertia.I;
  const double turn = link.turn * link.turn, slides = link.slide * link.slide * link.inertia.mass;
  return turn * I.zz + slides + link.armature > least_share * (turn * (I.xx + I.yy + I.zz) + slides);
}

// Whether the link keeps a mass in all directions when its own joint gives way: with the moment Ic about z through the
// centre of mass, m |d|^2 Ic / I_zz is left in the direction d.
bool keeps_mass(const Link& link) {
  const RigidInertia<double>& inertia = link.inertia;
  if (!(inertia.mass > 0) || link.slide != 0) return false;
  const double centre = inertia.I.zz - (inertia.h.x * inertia.h.x + inertia.h.y * inertia.h.y) / inertia.mass;
  return centre > least_share * inertia.I.zz;
}

bool AssemblyTree::Builder::may_end(std::span<const Place> segment) const {
  bool has_mass = false;  // of the links so far, for slides
  for (std::size_t k = segment.size(); k-- > 0;) {
    const Link& link = model_.links()[segment[k].link];
    if (inverse_of(link.inertia)) return true;  // enough for itself and all inward of it
    const bool is_slide = link.kind == LinkKind::axial && link.turn == 0 && link.inertia.mass == 0;
    if (is_slide && has_mass) continue;
    if (!moves_itself(link)) return false;
    has_mass = keeps_mass(link);
  }
  return true;
}

// Follows the heaviest child from run to run, and cuts the path into segments of nearly equal numbers of links.
std::vector<AssemblyTree::Builder::Segment> AssemblyTree::Builder::divide(int first_run) const {
  std::vector<Place> path;
  for (int run = first_run; run >= 0;) {
    for (int link = model_.runs()[run].first; link < model_.runs()[run].end; ++link) path.push_back({run, link});
    int heaviest = -1;
    for (const int child : children_[run])
      if (heaviest < 0 || below_[child] > below_[heaviest]) heaviest = child;
    run = heaviest;
  }
  const int length = int(path.size()), parts = (length + longest_ - 1) / longest_;
  std::vector<Segment> segments;
  for (int part = 0, at = 0; at < length; ++part) {
    int end = std::max(at + 1, int((long(part + 1) * length) / parts));
    while (end < length && !may_end(std::span(path).subspan(at, end - at))) ++end;
    if (end > length) end = length;
    while (part + 1 < parts && int((long(part + 1) * length) / parts) < end) ++part;
    Segment segment;
    segment.links = end - at;
    while (at < end) {
      const int run = path[at].run, first_link = path[at].link, run_first = model_.runs()[run].first;
      while (at < end && path[at].run == run) ++at;
      const int last_link = path[at - 1].link, slot = plan_.runs[run].slot;
      segment.pieces.push_back({.run = run,
                                .from = slot + last_link - run_first,
                                .to = slot + first_link - run_first,
                                .head = first_link == run_first,
                                .first_limb = 0,
                                .last_limb = 0});
      segment.limbs.emplace_back();
      segment.weight += last_link - first_link + 1;
      if (last_link + 1 != model_.runs()[run].end) continue;
      const int next = at < length ? path[at].run : -1;
      for (const int child : children_[run])
        if (child != next) {
          segment.limbs.back().push_back(child);
          segment.weight += below_[child];
        }
    }
    segments.push_back(std::move(segment));
  }
  return segments;
}

int AssemblyTree::Builder::add_path(int first_run) {
  std::vector<Segment> segments = divide(first_run);
  return assemble(segments, 0, int(segments.size()), model_.runs()[first_run].parent == 0);
}

int AssemblyTree::Builder::assemble(std::vector<Segment>& segments, int first, int last, bool on_world) {
  if (last - first == 1) return add_segment(segments[first], last < int(segments.size()), on_world);
  int total = 0;
  for (int k = first; k < last; ++k) total += segments[k].weight;
  // The cut that leaves the smaller part as large as possible.
  int cut = first + 1, before = segments[first].weight;
  while (cut + 1 < last && std::abs(2 * (before + segments[cut].weight) - total) <= std::abs(2 * before - total))
    before += segments[cut++].weight;
  Node node;
  node.first_below = int(out_.nodes_.size());
  node.on_world = on_world;
  node.open = last < int(segments.size());
  node.upper = assemble(segments, first, cut, on_world);
  node.lower = assemble(segments, cut, last, false);
  node.links = out_.nodes_[node.upper].links + out_.nodes_[node.lower].links;
  out_.nodes_.push_back(node);
  return int(out_.nodes_.size()) - 1;
}

int AssemblyTree::Builder::add_segment(Segment& segment, bool open, bool on_world) {
  Node node;
  node.first_below = int(out_.nodes_.size());
  node.open = open;
  node.on_world = on_world;
  node.links = segment.links;
  std::vector<std::vector<int>> limbs;
  for (const std::vector<int>& runs : segment.limbs) {
    limbs.emplace_back();
    for (const int run : runs) {
      limbs.back().push_back(add_path(run));
      node.links += out_.nodes_[limbs.back().back()].links;
    }
  }
  node.first_piece = int(out_.pieces_.size());
  for (std::size_t k = segment.pieces.size(); k-- > 0;) {  // the outermost first
    Piece piece = segment.pieces[k];
    piece.first_limb = int(out_.limbs_.size());
    out_.limbs_.insert(out_.limbs_.end(), limbs[k].begin(), limbs[k].end());
    piece.last_limb = int(out_.limbs_.size());
    out_.pieces_.push_back(piece);
  }
  node.last_piece = int(out_.pieces_.size());
  ++out_.segments_;
  out_.nodes_.push_back(node);
  return int(out_.nodes_.size()) - 1;
}

AssemblyTree::AssemblyTree(const Model& model, const Plan<double>& plan, int longest) {
  check(longest >= 1, "a segment has at least one link, not ", longest);
  Builder(model, plan, longest, *this).build();
}

int AssemblyTree::usual_segment(const Model& model) {
  const std::size_t links = model.links().size();
  return links < 4096 ? 8 : links < 32768 ? 16 : 32;
}

double AssemblyTree::critical_path(const Costs& costs) const {
  std::vector<double> ready(nodes_.size());
  double longest = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    double begin = 0, own = costs.start;
    if (node.is_segment()) {
      for (int p = node.first_piece; p < node.last_piece; ++p) {
        own += costs.link * (pieces_[p].from - pieces_[p].to + 1);
        for (int l = pieces_[p].first_limb; l < pieces_[p].last_limb; ++l) begin = std::max(begin, ready[limbs_[l]]);
      }
    } else {
      begin = std::max(ready[node.upper], ready[node.lower]);
      own += costs.join;
    }
    ready[i] = begin + own;
    longest = std::max(longest, ready[i]);
  }
  return longest;
}

int AssemblyTree::depth() const { return int(critical_path({.link = 0, .join = 0, .start = 1}) + 0.5); }

}  // namespace linchpin
