#include "linchpin/model/model.h"

#include <algorithm>
#include <numeric>

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
