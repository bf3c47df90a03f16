// The responses of links to forces on links, W = J M^-1 J', as matrices of 6 x 6 blocks: one for each group of links,
// since a force on one group does not move the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace linchpin {

// Where W of a link is: the links of one group share a matrix with `width` numbers a row, in which the link's rows and
// columns begin at 6 `place`.
struct LinkResponse {
  const double* W;
  std::size_t width;
  int place;
};

class ResponseMatrices {
 public:
  // group: by link; links of one group are consecutive. Fills the matrices with zeros.
  void place(std::span<const int> group);
  void clear() { std::ranges::fill(W_, 0.0); }

  std::span<const LinkResponse> links() const { return links_; }
  bool in_one_group(int i, int j) const { return first_[i] == first_[j]; }
  std::size_t width(int i) const { return links_[i].width; }
  double* block(int i, int j) {  // of links of one group
    return W_.data() + first_[i] + 6 * (std::size_t(links_[i].place) * links_[i].width + std::size_t(links_[j].place));
  }

 private:
  std::vector<double> W_;
  std::vector<std::size_t> first_;  // by link: where its group's matrix begins
  std::vector<LinkResponse> links_;
};

}  // namespace linchpin
