// The viewer's page: one HTML file, inside the library.
#pragma once

#include <string_view>

namespace linchpin {

// Empty where the library was built without it (cmake/viewer_page.cmake).
std::string_view viewer_page();

}  // namespace linchpin
