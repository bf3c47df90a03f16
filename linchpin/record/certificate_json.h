// A certificate as JSON text, for pages, recordings and reports. Numbers that are not finite become null.
//
//     {"passed": true, "verdict": "passed", "status": "done", "reason": "", ..., "contact": {...}, "steps": 1200, ...,
//      "energy": {...}}
//
// "verdict" is "passed", "passed_loosely" or "failed", or the status of a run that did not reach its end. "passed" is
// true for the first two. "reason" is empty only if the verdict is "passed".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "linchpin/sim/certificate.h"

namespace linchpin {

// A run that did not reach its end has no verdict yet, even if its certificate passes up to there.
struct EarlyEnd {
  std::string_view status;  // "unfinished", "interrupted"
  std::string reason;
};

// early: "passed" is false, and verdict, status and reason say why, unless the certificate itself has failed.
// without_mode: Simulation::contacts_without_mode() of the step that failed.
std::string certificate_json(const Model& model, const Certificate& certificate,
                             const std::optional<EarlyEnd>& early = {},
                             std::span<const ContactReport> without_mode = {});

// The reason why it does not pass, in one line, with the body, contacts or constraint concerned; empty if it passes.
std::string why_not_passed(const Model& model, const Certificate& certificate,
                           std::span<const ContactReport> without_mode = {});

// The pairs of shapes, each once: "rod/tip and world/wall, rod/foot and world/floor (2 points)".
std::string touching_pairs(const Model& model, std::span<const ContactReport> contacts);

// Why it passes loosely, with numbers, in one line; empty unless it does.
std::string why_loosely(const Certificate& certificate);

}  // namespace linchpin
