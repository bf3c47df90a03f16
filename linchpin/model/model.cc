#include "linchpin/model/model.h"

#include <algorithm>
#include <numeric>

#include "linchpin/base/check.h"

namespace linchpin {
namespace {

template <class List>
auto name_in(const List& list) {
  return [&list](int i) -> std::string_view { return list[static_cast<std::size_t>(i)].name; };
}
template <class List>
std::vector<int> sorted_by_name(const List& list) {
  std::vector<int> order(list.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, name_in(list));
  return order;
}
template <class List>
int find(const List& list, const std::vector<int>& order, std::string_view name) {
  const auto at = std::ranges::lower_bound(order, name, {}, name_in(list));
  return at != order.end() && name_in(list)(*at) == name ? *at : -1;
}

}  // namespace

int Model::find_body(std::string_view name) const { return find(bodies_, bodies_by_name_, name); }
int Model::find_joint(std::string_view name) const { return find(joints_, joints_by_name_, name); }
int Model::find_frame(std::string_view name) const { return find(frames_, frames_by_name_, name); }

int Model::find_constraint(std::string_view name) const {
  const auto at = std::ranges::find(constraints_, name, &Constraint::name);
  return at != constraints_.end() ? int(at - constraints_.begin()) : -1;
}

int Model::find_actuator(std::string_view name) const {
  const auto at = std::ranges::find(actuators_, name, &Actuator::name);
  return at != actuators_.end() ? int(at - actuators_.begin()) : -1;
}

Model Model::with_more_armature(std::span<const double> more) const {
  check(more.size() == dofs_.size(), "armature for ", more.size(), " coordinates, the model has ", dofs_.size());
  Model result = *this;
  for (Link& link : result.links_) {
    if (link.nv == 0) continue;
    const double added = more[link.v];
    for (int k = 0; k < link.nv; ++k)
      check(more[link.v + k] == added && (link.kind != LinkKind::free || added == 0), "coordinate ", link.v + k,
            " takes no armature of its own: ", more[link.v + k]);
    link.armature += added;
  }
  // Revolute links with armature are `axial`, and a run has one kind.
  for (Run& run : result.runs_) {
    const std::span links = std::span(result.links_).subspan(run.first, run.end - run.first);
    if (run.kind != LinkKind::revolute || std::ranges::none_of(links, [](const Link& l) { return l.armature != 0; }))
      continue;
    run.kind = LinkKind::axial;
    for (Link& link : links) link.kind = LinkKind::axial;
  }
  return result;
}

void Model::index_names() {
  bodies_by_name_ = sorted_by_name(bodies_);
  joints_by_name_ = sorted_by_name(joints_);
  frames_by_name_ = sorted_by_name(frames_);
}

double Model::total_mass() const {
  double mass = 0;
  for (const Body& body : bodies_) mass += body.inertia.mass;
  return mass;
}

}  // namespace linchpin
