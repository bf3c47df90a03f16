// The links that rows touch, which change seldom, and how they move: os.cc, multipliers.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linchpin/contact/formulation.h"

namespace linchpin {

class TouchedLinks {
 public:
  explicit TouchedLinks(const Model& model);

  // Whether the rows touch other links than at the last call.
  bool update(const Model& model, const Rows& rows);
  std::span<const int> links() const { return links_; }    // as the rows of the last change have them
  std::span<const int> on_way() const { return on_way_; }  // from the base to any of them, parents first

  // Velocities of the links on the way, about their origins in the world's axes, if coordinates had these: (1) of
  // mechanics.h. By link, all that are not on the way as they were.
  void motions(const Motive& motive, std::span<const double> v, std::span<Motion<double>> motion) const;

 private:
  std::vector<int> links_, found_, on_way_;
  std::vector<char> touched_;       // by link
  std::vector<std::int64_t> seen_;  // by link: the call that saw it last
  std::int64_t call_ = 0;
};

}  // namespace linchpin
