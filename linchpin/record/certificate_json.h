// A certificate as JSON text, for pages, recordings and reports. Numbers that are not finite become null.
//
//     {"passed": true, "status": "done", "reason": "", ..., "contact": {...}, "steps": 1200, ..., "energy": {...}}
#pragma once

#include <string>

#include "linchpin/sim/certificate.h"

namespace linchpin {

std::string certificate_json(const Model& model, const Certificate& certificate);

// The reason why it does not pass, in one line, with the body or constraint concerned; empty if it passes.
std::string why_not_passed(const Model& model, const Certificate& certificate);

}  // namespace linchpin
