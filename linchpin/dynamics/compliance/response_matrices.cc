#include "linchpin/dynamics/compliance/response_matrices.h"

namespace linchpin {

void ResponseMatrices::place(std::span<const int> group) {
  links_.clear();
  first_.clear();
  std::size_t numbers = 0;
  for (std::size_t first = 0, end; first < group.size(); first = end) {
    for (end = first; end < group.size() && group[end] == group[first];) ++end;
    for (std::size_t k = first; k < end; ++k) {
      links_.push_back({nullptr, 6 * (end - first), int(k - first)});
      first_.push_back(numbers);
    }
    numbers += 36 * (end - first) * (end - first);
  }
  W_.assign(numbers, 0.0);
  for (std::size_t k = 0; k < links_.size(); ++k) links_[k].W = W_.data() + first_[k];
}

}  // namespace linchpin
