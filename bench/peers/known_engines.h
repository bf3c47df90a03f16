// The engines that a build knows, and those of them that were installed.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace linchpin {

template <class Made>
struct KnownEngine {
  const char* name;
  Made (*make)();  // null: not installed
};

// All that the installed ones make, Made being a list.
template <class Made, std::size_t count>
Made made_by(const KnownEngine<Made> (&known)[count]) {
  Made all;
  for (const KnownEngine<Made>& k : known)
    if (k.make)
      for (auto& engine : k.make()) all.push_back(std::move(engine));
  return all;
}

template <class Made, std::size_t count>
std::vector<std::string> missing_of(const KnownEngine<Made> (&known)[count]) {
  std::vector<std::string> names;
  for (const KnownEngine<Made>& k : known)
    if (!k.make) names.emplace_back(k.name);
  return names;
}

}  // namespace linchpin
