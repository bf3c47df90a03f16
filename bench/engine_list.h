// A list of engines of one kind, one for each of its ways: engines_of<ContactEngines, DartContact>({false, true}).
#pragma once

#include <initializer_list>
#include <memory>

namespace linchpin {

template <class Engines, class Engine, class Ways = std::initializer_list<bool>>
Engines engines_of(const Ways& ways) {
  Engines engines;
  for (const auto& way : ways) engines.push_back(std::make_unique<Engine>(way));
  return engines;
}

}  // namespace linchpin
