// A certificate as JSON text, for pages, recordings and reports alike. Numbers that are not finite become null.
//
//     {"passed": true, "status": "done", "reason": "", "body": null, "steps": 1200, ..., "contact": {...}, "energy": {...}}
#pragma once

#include <string>

#include "linchpin/sim/certificate.h"

namespace linchpin {

std::string certificate_json(const Model& model, const Certificate& certificate);

// Why it does not pass, in a line, with the body or constraint that it concerns; empty when it does.
std::string why_not_passed(const Model& model, const Certificate& certificate);

}  // namespace linchpin
