#include "apps/page_argument.h"

#include <algorithm>
#include <cmath>

#include "apps/command.h"
#include "linchpin/live/viewer_page.h"

namespace linchpin {

std::string_view page_or_refuse() {
  if (viewer_page().empty())
    throw UsageError(
        "this program was built without the viewer's page: install nodejs and npm, with a network to fetch packages "
        "from, and build again (why it was left out is in viewer/npm.log of the build folder)");
  return viewer_page();
}

long long page_spacing(double steps, const Model& model, double dt) {
  constexpr double rate = 60, most_frames = 3000, most_numbers = 1e7;
  const double numbers = 7.0 * double(model.bodies().size()) + model.nq() + model.nv();
  const double frames = std::min(most_frames, most_numbers / numbers);
  return std::max({1LL, std::llround(1 / (rate * dt)), static_cast<long long>(std::ceil(steps / frames))});
}

}  // namespace linchpin
