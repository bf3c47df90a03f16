#include "bench/peers/geometry_peers.h"

namespace linchpin {
namespace {

// Which engines this build knows; `make` is null for those that were not installed.
struct Known {
  const char* name;
  GeometryPeers (*make)();
};

constexpr Known known[] = {
#ifdef LINCHPIN_HAVE_ODE_GEOMETRY
    {"ODE", make_ode_geometry},
#else
    {"ODE", nullptr},
#endif
#ifdef LINCHPIN_HAVE_BULLET_GEOMETRY
    {"Bullet", make_bullet_geometry},
#else
    {"Bullet", nullptr},
#endif
#ifdef LINCHPIN_HAVE_FCL_GEOMETRY
    {"FCL", make_fcl_geometry},
#else
    {"FCL", nullptr},
#endif
};

}  // namespace

GeometryPeers available_geometry_peers() {
  GeometryPeers peers;
  for (const Known& k : known)
    if (k.make)
      for (std::unique_ptr<GeometryPeer>& peer : k.make()) peers.push_back(std::move(peer));
  return peers;
}

std::vector<std::string> missing_geometry_peers() {
  std::vector<std::string> names;
  for (const Known& k : known)
    if (!k.make) names.emplace_back(k.name);
  return names;
}

BroadPhasePeers available_broad_phases() {
#ifdef LINCHPIN_HAVE_BULLET_GEOMETRY
  return make_bullet_broad_phases();
#else
  return {};
#endif
}

}  // namespace linchpin
