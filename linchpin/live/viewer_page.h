// The viewer's page: one HTML file, embedded in the library.
#pragma once

#include <string_view>

namespace linchpin {

// Empty if the library was built without it (cmake/viewer_page.cmake).
std::string_view viewer_page();

}  // namespace linchpin
