#include "bench/peers/geometry_peers.h"

#include "bench/peers/known_engines.h"

namespace linchpin {
namespace {

constexpr KnownEngine<GeometryPeers> known[] = {
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

GeometryPeers available_geometry_peers() { return made_by(known); }
std::vector<std::string> missing_geometry_peers() { return missing_of(known); }

BroadPhasePeers available_broad_phases() {
#ifdef LINCHPIN_HAVE_BULLET_GEOMETRY
  return make_bullet_broad_phases();
#else
  return {};
#endif
}

}  // namespace linchpin
