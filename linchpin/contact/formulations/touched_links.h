// The links that rows act on, and their velocities. For hybrid.cc, whose engines keep data while the links stay
// the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/contact/formulation.h"

namespace linchpin {

class TouchedLinks {
 public:
  explicit TouchedLinks(const Model& model);

  // Returns whether the rows act on other links than at the last call.
  bool update(const Model& model, const Rows& rows);
  std::span<const int> links() const { return links_; }    // in the order of the rows at the last change
  std::span<const int> on_way() const { return on_way_; }  // the links and their ancestors, parents first

  // The velocities of links() and their ancestors for the coordinate velocities v, about the links' origins in the
  // world's axes: (1) of mechanics.h. Other links keep their value in `motion`.
  void motions(const Motive& motive, std::span<const double> v, std::span<Motion<double>> motion) const;

 private:
  std::vector<int> links_, found_, on_way_;
  std::vector<char> touched_;       // by link
  std::vector<std::int64_t> seen_;  // by link: the last call that visited it, negated by the walk to the base
  std::int64_t call_ = 0;
};

}  // namespace linchpin
