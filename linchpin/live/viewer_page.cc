#include "linchpin/live/viewer_page.h"

// The assembler includes the file: a compiler would take minutes for an array of a million numbers.
asm(".pushsection .rodata\n"
    "linchpin_page_begin:\n"
    ".incbin \"" LINCHPIN_PAGE_FILE
    "\"\n"
    "linchpin_page_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" __attribute__((visibility("hidden"))) const char linchpin_page_begin[], linchpin_page_end[];

namespace linchpin {

std::string_view viewer_page() {
  return {linchpin_page_begin, static_cast<std::size_t>(linchpin_page_end - linchpin_page_begin)};
}

}  // namespace linchpin
