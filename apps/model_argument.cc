#include "apps/model_argument.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "apps/command.h"
#include "linchpin/io/spec_json.h"
#include "linchpin/model/scenes.h"

namespace linchpin {
namespace {

[[noreturn]] void refuse_file(const std::string& text) {
  const std::string extension = std::filesystem::path(text).extension().string();
  for (const char* known : {".urdf", ".xml", ".sdf", ".world"})
    if (extension == known)
      throw UsageError(
          fmt::format("{}: this build reads built-in scenes such as @pendulum:links=12 and linchpin's own .json "
                      "models, but no {} files yet",
                      text, extension));
  throw UsageError(
      fmt::format("'{}' is not a model: give a built-in scene such as @pendulum:links=12 "
                  "(`linchpin inspect --scenes` lists them) or a model as linchpin writes it (.json)",
                  text));
}

}  // namespace

ModelArgument model_from(const std::string& text) {
  const bool json = !text.starts_with('@') && std::filesystem::path(text).extension() == ".json";
  if (!text.starts_with('@') && !json) refuse_file(text);
  Result<ModelSpec> spec = json ? load_spec(text) : scene(text);
  if (!spec) throw UsageError(json ? spec.error().message : fmt::format("{}: {}", text, spec.error().message));
  Result<Model> model = compile(spec.value());
  if (!model) throw UsageError(fmt::format("{}: {}", text, model.error().message));
  return {text, std::move(spec).value(), std::move(model).value()};
}

std::string describe_scenes() {
  std::string out;
  for (const SceneInfo& scene : scene_catalogue()) {
    out += fmt::format("  @{}\n      {}\n", scene.name, scene.description);
    for (const SceneParameter& p : scene.parameters)
      out += fmt::format("      {}={:g}  {} ({:g} to {:g})\n", p.name, p.value, p.meaning, p.lowest, p.highest);
  }
  return out;
}

}  // namespace linchpin
