// The names of an enumeration whose enumerators count from 0.
//     constexpr EnumNames<Stop::exhausted> stops{"stop", {"finished", "stalled", "exhausted"}};
//     stops.of(Stop::stalled) == "stalled"
// The argument of the template is the last enumerator: a list with too few or too many names does not compile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "linchpin/base/check.h"

namespace linchpin {

template <auto last>
class EnumNames {
 public:
  using Enum = decltype(last);
  static constexpr std::size_t count = std::size_t(last) + 1;

  // kind: of the enumeration, for the message of a failed check; names: in the order of the enumerators.
  template <std::size_t given>
  requires(given == count) constexpr EnumNames(std::string_view kind, const std::string_view (&names)[given])
      : kind_(kind) {
    std::copy(names, names + given, names_.begin());
  }

  std::string_view of(Enum value) const {
    const auto i = static_cast<std::size_t>(value);
    check(i < count, kind_, " number ", static_cast<long long>(value), " of ", count);
    return names_[i];
  }

  std::optional<Enum> find(std::string_view name) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    if (at == names_.end()) return std::nullopt;
    return static_cast<Enum>(at - names_.begin());
  }

 private:
  std::string_view kind_;
  std::array<std::string_view, count> names_;
};

}  // namespace linchpin
