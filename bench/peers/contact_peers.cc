#include "bench/peers/contact_peers.h"

namespace linchpin {
namespace {

// Which engines this build knows; `make` is null for those that were not installed.
struct Known {
  const char* name;
  ContactEngines (*make)();
};

constexpr Known known[] = {
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

ContactEngines available_contact_peers() {
  ContactEngines engines;
  for (const Known& k : known)
    if (k.make)
      for (std::unique_ptr<ContactEngine>& engine : k.make()) engines.push_back(std::move(engine));
  return engines;
}

std::vector<std::string> missing_contact_peers() {
  std::vector<std::string> names;
  for (const Known& k : known)
    if (!k.make) names.emplace_back(k.name);
  return names;
}

}  // namespace linchpin
