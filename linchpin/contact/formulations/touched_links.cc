#include "linchpin/contact/formulations/touched_links.h"

#include <algorithm>

namespace linchpin {

TouchedLinks::TouchedLinks(const Model& model) : touched_(model.links().size(), 0), seen_(model.links().size(), 0) {}

bool TouchedLinks::update(const Model& model, const Rows& rows) {
  ++call_;
  found_.clear();
  bool known = true;
  for (const RowSide& side : rows.sides) {
    const std::size_t i = std::size_t(side.link);
    if (seen_[i] == call_) continue;
    seen_[i] = call_;
    found_.push_back(side.link);
    known = known && touched_[i];
  }
  if (known && found_.size() == links_.size()) return false;
  for (const int i : links_) touched_[i] = 0;
  std::swap(links_, found_);
  on_way_.clear();
  for (const int i : links_) {
    touched_[i] = 1;
    for (int l = i; l != 0 && seen_[l] != -call_; l = model.links()[l].parent) {
      seen_[l] = -call_;
      on_way_.push_back(l);
    }
  }
  std::ranges::sort(on_way_);
  return true;
}

void TouchedLinks::motions(const Motive& motive, std::span<const double> v, std::span<Motion<double>> motion) const {
  motion[0] = Motion<double>::zero();
  for (const int i : on_way_) {
    const Link& link = motive.model.links()[i];
    const Motion<double>& parent = motion[link.parent];
    const Vec3<double> r = motive.kin.X_WL[i].p - motive.kin.X_WL[link.parent].p;
    Motion<double> m{parent.w, parent.v + cross(parent.w, r)};
    for (int k = link.v; k < link.v + link.nv; ++k) m = m + v[k] * motive.vel.axis[k];
    motion[i] = m;
  }
}

}  // namespace linchpin
