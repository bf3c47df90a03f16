#include "apps/page_argument.h"

#include "apps/command.h"
#include "linchpin/record/viewer_page.h"

namespace linchpin {

std::string_view page_or_refuse() {
  if (viewer_page().empty())
    throw UsageError(
        "this program was built without the viewer's page: install nodejs and npm, with a network to fetch packages "
        "from, and build again (why it was left out is in viewer/npm.log of the build folder)");
  return viewer_page();
}

}  // namespace linchpin
