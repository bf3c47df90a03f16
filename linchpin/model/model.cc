#include "linchpin/model/model.h"

namespace linchpin {
namespace {

template <class List>
int find(const List& list, std::string_view name) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace

int Model::find_body(std::string_view name) const { return find(bodies_, name); }
int Model::find_joint(std::string_view name) const { return find(joints_, name); }
int Model::find_frame(std::string_view name) const { return find(frames_, name); }

double Model::total_mass() const {
  double mass = 0;
  for (const Body& body : bodies_) mass += body.inertia.mass;
  return mass;
}

}  // namespace linchpin
