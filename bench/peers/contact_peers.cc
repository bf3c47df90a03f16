#include "bench/peers/contact_peers.h"

#include "bench/peers/known_engines.h"

namespace linchpin {
namespace {

constexpr KnownEngine<ContactEngines> known[] = {
#ifdef LINCHPIN_HAVE_CONTACT_MUJOCO
    {"MuJoCo", make_mujoco_contact},
#else
    {"MuJoCo", nullptr},
#endif
#ifdef LINCHPIN_HAVE_CONTACT_BULLET
    {"Bullet", make_bullet_contact},
#else
    {"Bullet", nullptr},
#endif
#ifdef LINCHPIN_HAVE_CONTACT_DART
    {"DART", make_dart_contact},
#else
    {"DART", nullptr},
#endif
#ifdef LINCHPIN_HAVE_CONTACT_ODE
    {"ODE", make_ode_contact},
#else
    {"ODE", nullptr},
#endif
#ifdef LINCHPIN_HAVE_CONTACT_SIMBODY
    {"Simbody", make_simbody_contact},
#else
    {"Simbody", nullptr},
#endif
};

}  // namespace

ContactEngines available_contact_peers() { return made_by(known); }
std::vector<std::string> missing_contact_peers() { return missing_of(known); }

}  // namespace linchpin
