#include "bench/peers.h"

#include "bench/peers/drivers.h"
#include "bench/peers/known_engines.h"

namespace linchpin {
namespace {

constexpr KnownEngine<std::unique_ptr<Peer>> known[] = {
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

}  // namespace

std::vector<std::unique_ptr<Peer>> available_peers() {
  std::vector<std::unique_ptr<Peer>> peers;
  for (const KnownEngine<std::unique_ptr<Peer>>& k : known)
    if (k.make) peers.push_back(k.make());
  return peers;
}

std::vector<std::string> missing_peers() { return missing_of(known); }

}  // namespace linchpin
