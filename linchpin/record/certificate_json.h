// A certificate as JSON text, for pages, recordings and reports. Numbers that are not finite become null.
//
//     {"passed": true, "status": "done", "reason": "", ..., "contact": {...}, "steps": 1200, ..., "energy": {...}}
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "linchpin/sim/certificate.h"

namespace linchpin {

// A run that did not reach its end has no verdict yet, even if its certificate passes up to there.
struct EarlyEnd {
  std::string_view status;  // "unfinished", "interrupted"
  std::string reason;
};

// early: "passed" is false, and status and reason say why, unless the certificate itself has failed.
std::string certificate_json(const Model& model, const Certificate& certificate,
                             const std::optional<EarlyEnd>& early = {});

// The reason why it does not pass, in one line, with the body or constraint concerned; empty if it passes.
std::string why_not_passed(const Model& model, const Certificate& certificate);

}  // namespace linchpin
