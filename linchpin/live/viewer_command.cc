#include "linchpin/live/viewer_command.h"

#include <cmath>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace linchpin {
namespace {

using Kind = ViewerCommand::Kind;

bool read(const nlohmann::json& message, const char* field, double lowest, double highest, double& out) {
  const auto found = message.find(field);
  if (found == message.end() || !found->is_number()) return false;
  out = found->get<double>();
  return out >= lowest && out <= highest;  // false for NaN
}

bool read(const nlohmann::json& message, const char* field, Vec3<double>& out) {
  const auto found = message.find(field);
  if (found == message.end() || !found->is_array() || found->size() != 3) return false;
  double* const to[] = {&out.x, &out.y, &out.z};
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(*found)[k].is_number()) return false;
    *to[k] = (*found)[k].get<double>();
    if (!(std::abs(*to[k]) <= farthest_push)) return false;
  }
  return true;
}

bool read_body(const nlohmann::json& message, int bodies, int& out) {
  const auto found = message.find("body");
  if (found == message.end() || !found->is_number_integer()) return false;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() >= std::uint64_t(bodies)) return false;
  const std::int64_t body = found->get<std::int64_t>();
  out = int(body);
  return body > 0 && body < bodies;
}

struct Form {
  const char* type;
  Kind kind;
  std::size_t fields;  // including the type
};
constexpr Form forms[] = {{"play", Kind::play, 1},      {"pause", Kind::pause, 1}, {"step", Kind::step, 1},
                          {"reset", Kind::reset, 1},    {"speed", Kind::speed, 2}, {"push", Kind::push, 4},
                          {"release", Kind::release, 1}};

// Called by the parser at each nesting level. No message has more than two levels, and a deep one would overflow the
// stack.
bool shallow(int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
  if (depth > 3) throw std::length_error("nested too deeply");
  return true;
}

}  // namespace

std::optional<ViewerCommand> viewer_command_from(std::string_view text, int bodies) {
  if (text.find('\0') != std::string_view::npos) return {};  // the parser would stop there
  nlohmann::json message;
  try {
    message = nlohmann::json::parse(text, shallow);
  } catch (const nlohmann::json::exception&) {
    return {};
  } catch (const std::length_error&) {
    return {};
  }
  const auto type = message.is_object() ? message.find("type") : message.end();
  if (type == message.end() || !type->is_string()) return {};
  for (const Form& form : forms) {
    if (*type != form.type) continue;
    if (message.size() != form.fields) return {};
    ViewerCommand command;
    command.kind = form.kind;
    if (form.kind == Kind::speed && !read(message, "value", slowest_speed, fastest_speed, command.speed)) return {};
    if (form.kind == Kind::push && !(read_body(message, bodies, command.body) && read(message, "at", command.at) &&
                                     read(message, "to", command.to)))
      return {};
    return command;
  }
  return {};
}

}  // namespace linchpin
