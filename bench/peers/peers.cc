#include "bench/peers.h"

#include "bench/peers/drivers.h"

namespace linchpin {
namespace {

// Which engines this build knows; `make` is null for those that were not installed.
struct Known {
  const char* name;
  std::unique_ptr<Peer> (*make)();
};

const std::vector<Known>& known_peers() {
  static const std::vector<Known> known = {
#ifdef LINCHPIN_HAVE_MUJOCO
      {"MuJoCo", make_mujoco_peer},
#else
      {"MuJoCo", nullptr},
#endif
#ifdef LINCHPIN_HAVE_DART
      {"DART", make_dart_peer},
#else
      {"DART", nullptr},
#endif
#ifdef LINCHPIN_HAVE_BULLET
      {"Bullet", make_bullet_peer},
#else
      {"Bullet", nullptr},
#endif
#ifdef LINCHPIN_HAVE_SIMBODY
      {"Simbody", make_simbody_peer},
#else
      {"Simbody", nullptr},
#endif
  };
  return known;
}

}  // namespace

std::vector<std::unique_ptr<Peer>> available_peers() {
  std::vector<std::unique_ptr<Peer>> peers;
  for (const Known& known : known_peers())
    if (known.make) peers.push_back(known.make());
  return peers;
}

std::vector<std::string> missing_peers() {
  std::vector<std::string> names;
  for (const Known& known : known_peers())
    if (!known.make) names.emplace_back(known.name);
  return names;
}

}  // namespace linchpin
