// linchpin inspect: prints a model as specified and as compiled, a mesh, or a recording.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/constraint_text.h"
#include "apps/document.h"
#include "apps/file_conflicts.h"
#include "apps/inspect_mesh.h"
#include "apps/inspect_recording.h"
#include "apps/json_output.h"
#include "apps/model_argument.h"
#include "apps/near_pairs.h"
#include "apps/terminal_text.h"
#include "linchpin/base/names.h"
#include "linchpin/dynamics/tree/mechanics.h"
#include "linchpin/geometry/shapes/shape_check.h"
#include "linchpin/io/spec_json.h"
#include "linchpin/model/scenes.h"
#include "linchpin/model/state.h"

namespace linchpin {
namespace {

struct Request {
  std::string model, json, csv, signals, write_model;
  bool scenes = false, all = false;
  std::string contacts;  // margin, m; empty: not asked for
};

constexpr std::size_t shown_at_most = 60;  // bodies, without --all

// Rounding errors of numbers that should be zero are shown as zero.
std::string number(double x) { return fmt::format("{:.4g}", std::abs(x) < 1e-14 ? 0.0 : x); }
std::string triple(const Vec3<double>& v) { return fmt::format("({}, {}, {})", number(v.x), number(v.y), number(v.z)); }

std::string first_few(const std::vector<std::string>& names) {
  const std::size_t few = std::min<std::size_t>(names.size(), 4);
  std::string list =
      printable(fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(few), ", ")));
  if (names.size() > few) list += fmt::format(", and {} more", names.size() - few);
  return list;
}

std::string_view name_of(LinkKind kind) {
  static constexpr EnumNames<LinkKind::free> names{"link kind", {"world", "revolute", "axial", "ball", "free"}};
  return names.of(kind);
}

bool limited(const DofSpec& dof) { return dof.lower > -unlimited || dof.upper < unlimited; }

std::string bound(double x, const char* none) { return std::isinf(x) ? none : number(x); }

// "-1.57 .. 1.57", one for each coordinate that has limits.
std::string limits_of(const Model& model, const Joint& joint) {
  std::string text;
  for (int k = 0; k < joint.nv; ++k) {
    const DofSpec& dof = model.dofs()[joint.v + k];
    if (!limited(dof)) continue;
    text += fmt::format("{}{}{} .. {}", text.empty() ? "" : "; ", joint.nv > 1 ? fmt::format(".{}: ", k) : "",
                        bound(dof.lower, "-inf"), bound(dof.upper, "inf"));
  }
  return text.empty() ? "-" : text;
}

// Armature, damping, stiffness and dry friction, if not zero: the largest of the joint's coordinates.
std::string terms_of(const Model& model, const Joint& joint) {
  std::vector<std::string> terms;
  const auto add = [&](const char* name, double DofSpec::*field) {
    double most = 0;
    for (int k = 0; k < joint.nv; ++k) most = std::max(most, model.dofs()[joint.v + k].*field);
    if (most > 0) terms.push_back(fmt::format("{} {}", name, number(most)));
  };
  add("armature", &DofSpec::armature);
  add("damping", &DofSpec::damping);
  add("stiffness", &DofSpec::stiffness);
  add("dry friction", &DofSpec::dry_friction);
  return terms.empty() ? "-" : fmt::format("{}", fmt::join(terms, ", "));
}

std::string coordinates(int first, int count) {
  if (count == 0) return "-";
  return count == 1 ? std::to_string(first) : fmt::format("{}-{}", first, first + count - 1);
}

Vec3<double> centre_of(const RigidInertia<double>& I) { return I.mass > 0 ? (1 / I.mass) * I.h : Vec3<double>::zero(); }

// Indentation of a body: one step for each branching between it and the world, so that a serial chain stays in one
// column.
std::vector<int> indentation(const Model& model) {
  std::vector<int> children(model.bodies().size(), 0), depth(model.bodies().size(), 0);
  for (const Joint& joint : model.joints()) ++children[joint.parent];
  for (const Joint& joint : model.joints()) {
    const std::size_t parent = std::size_t(joint.parent);
    depth[joint.child] = depth[parent] + (children[parent] > 1 || parent == 0 ? 1 : 0);
  }
  return depth;
}

// "7 revolute (1 run of 7)": the kinds of links and the lengths of their serial runs.
std::string describe_runs(const Model& model) {
  std::map<LinkKind, std::vector<int>> lengths;
  for (std::size_t i = 1; i < model.runs().size(); ++i)
    lengths[model.runs()[i].kind].push_back(model.runs()[i].end - model.runs()[i].first);
  std::vector<std::string> parts;
  for (const auto& [kind, list] : lengths) {
    int sum = 0;
    for (const int length : list) sum += length;
    const auto [shortest, longest] = std::minmax_element(list.begin(), list.end());
    parts.push_back(
        fmt::format("{} {} in {} run{} of {}", sum, name_of(kind), list.size(), list.size() == 1 ? "" : "s",
                    *shortest == *longest ? std::to_string(*longest) : fmt::format("{} to {}", *shortest, *longest)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Table tree_table(const Model& model, bool all) {
  const std::vector<int> depth = indentation(model);
  Table table{"", "lllrrrll", {"body", "joint", "type", "q", "v", "mass kg", "centre m", "limits rad, m"}};
  const bool any_terms = std::any_of(model.joints().begin(), model.joints().end(),
                                     [&](const Joint& joint) { return terms_of(model, joint) != "-"; });
  if (any_terms) {
    table.columns.emplace_back("joint terms");
    table.align += "l";
  }
  for (std::size_t i = 0; i < model.bodies().size(); ++i) {
    if (!all && i > shown_at_most) break;
    const Body& body = model.bodies()[i];
    std::vector<std::string> row{std::string(2 * std::size_t(depth[i]), ' ') + body.name};
    if (i == 0) {
      row.resize(table.columns.size());
    } else {
      const Joint& joint = model.joints()[body.joint];
      row.insert(row.end(), {joint.name, std::string(to_string(joint.type)), coordinates(joint.q, joint.nq),
                             coordinates(joint.v, joint.nv), number(body.inertia.mass),
                             body.inertia.mass > 0 ? triple(centre_of(body.inertia)) : "-", limits_of(model, joint)});
      if (any_terms) row.push_back(terms_of(model, joint));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table constraint_table(const Model& model, bool all) {
  Table table{"", "lllr", {"constraint", "kind", "between", "rows"}};
  for (const Constraint& constraint : model.constraints()) {
    if (!all && table.rows.size() >= shown_at_most) break;
    table.rows.push_back(
        {constraint.name, kind_of(constraint), ends_of(model, constraint), std::to_string(row_count(constraint))});
  }
  return table;
}

std::vector<std::string> merged_bodies(const Model& model) {
  std::vector<std::string> merged;
  for (const Joint& joint : model.joints())
    if (joint.type == JointType::weld)
      merged.push_back(fmt::format("{} into {}", model.bodies()[joint.child].name, model.bodies()[joint.parent].name));
  return merged;
}

CentreOfMass centre_at_zero(const Model& model) {
  const Plan<double> plan(model);
  Kinematics<double> kin(plan);
  Velocities vel(model);
  const State zero = make_state(model);
  kinematics<double>(plan, zero.q, kin);
  velocities(model, kin, zero.v, vel);
  return centre_of_mass(model, kin, vel);
}

Json vector_json(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

Json model_json(const ModelArgument& argument) {
  const Model& model = argument.model;
  Json rows = Json::array();
  for (std::size_t i = 1; i < model.bodies().size(); ++i) {
    const Body& body = model.bodies()[i];
    const Joint& joint = model.joints()[body.joint];
    const Sym3<double>& I = body.inertia.I;
    Json dofs = Json::array();
    for (int k = 0; k < joint.nv; ++k) {
      const DofSpec& d = model.dofs()[joint.v + k];
      dofs.push_back({{"lower", d.lower},
                      {"upper", d.upper},
                      {"effort_limit", d.effort_limit},
                      {"velocity_limit", d.velocity_limit},
                      {"armature", d.armature},
                      {"damping", d.damping},
                      {"stiffness", d.stiffness},
                      {"rest", d.rest},
                      {"dry_friction", d.dry_friction}});
    }
    rows.push_back({{"body", body.name},
                    {"parent", model.bodies()[joint.parent].name},
                    {"joint", joint.name},
                    {"type", std::string(to_string(joint.type))},
                    {"axis", vector_json(joint.spec.axis)},
                    {"q", joint.q},
                    {"nq", joint.nq},
                    {"v", joint.v},
                    {"nv", joint.nv},
                    {"dofs", dofs},
                    {"mass", body.inertia.mass},
                    {"centre", vector_json(centre_of(body.inertia))},
                    {"inertia_about_origin", {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}},
                    {"shapes", body.geometry.size()},
                    {"link", body.link}});
  }
  const CentreOfMass centre = centre_at_zero(model);
  Json constraints = Json::array(), springs = Json::array();
  for (const Constraint& c : model.constraints())
    constraints.push_back(
        {{"name", c.name}, {"kind", kind_of(c)}, {"between", ends_of(model, c)}, {"rows", row_count(c)}});
  for (const Spring& s : model.springs())
    springs.push_back({{"name", s.name},
                       {"a", model.bodies()[s.a.body].name},
                       {"b", model.bodies()[s.b.body].name},
                       {"stiffness", s.stiffness},
                       {"damping", s.damping},
                       {"length", s.length}});
  const Mobility mobility = mobility_at(model, make_state(model));
  return {{"model", argument.text},
          {"constraints", constraints},
          {"constraint_rows", mobility.rows},
          {"constraint_rank_at_zero", mobility.rank},
          {"springs", springs},
          {"name", model.name()},
          {"gravity", vector_json(model.gravity())},
          {"degrees_of_freedom", model.nv()},
          {"position_coordinates", model.nq()},
          {"bodies", model.bodies().size() - 1},
          {"links", model.links().size() - 1},
          {"runs", model.runs().size() - 1},
          {"merged", merged_bodies(model)},
          {"total_mass", model.total_mass()},
          {"centre_of_mass_at_zero", vector_json(centre.position)},
          {"rows", rows}};
}

// "12: 3 box, 9 capsule"
std::string describe_shapes(const Model& model) {
  std::map<std::string_view, int> kinds;
  for (const ShapeOnBody& at : model.shapes()) ++kinds[kind_name(model.bodies()[at.body].geometry[at.geometry].shape)];
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds) parts.push_back(fmt::format("{} {}", count, kind));
  return parts.empty() ? "0" : fmt::format("{}: {}", model.shapes().size(), fmt::join(parts, ", "));
}

void print_model(const ModelArgument& argument, bool all, std::FILE* out) {
  const Model& model = argument.model;
  const CentreOfMass centre = centre_at_zero(model);
  std::size_t limits = 0;
  for (const DofSpec& dof : model.dofs()) limits += limited(dof) ? 1 : 0;
  fmt::print(out, "{}\n", printable(argument.text));
  fmt::print(out, "  degrees of freedom  {} (positions held in {} numbers)\n", model.nv(), model.nq());
  fmt::print(out, "  bodies              {}, {} kg in all, centre of mass at zero {} m\n", model.bodies().size() - 1,
             number(model.total_mass()), triple(centre.position));
  fmt::print(out, "  gravity             {} m/s^2\n", triple(model.gravity()));
  fmt::print(out, "  compiled            {} links: {}\n", model.links().size() - 1, describe_runs(model));
  if (!model.constraints().empty()) {
    const Mobility m = mobility_at(model, make_state(model));
    fmt::print(out, "  constraints         {} with {} rows, {} independent at zero: {} degree{} of freedom left\n",
               model.constraints().size(), m.rows, m.rank, m.freedom, m.freedom == 1 ? "" : "s");
  }
  if (!model.springs().empty()) {
    std::vector<std::string> names;
    for (const Spring& s : model.springs()) names.push_back(fmt::format("{} ({} N/m)", s.name, number(s.stiffness)));
    fmt::print(out, "  springs             {}\n", first_few(names));
  }
  const std::vector<std::string> merged = merged_bodies(model);
  if (!merged.empty()) fmt::print(out, "  merged by welds     {}: {}\n", merged.size(), first_few(merged));
  fmt::print(out, "  limits              {} of {} coordinates\n", limits, model.nv());
  fmt::print(out, "  shapes              {}\n", describe_shapes(model));
  if (!model.frames().empty()) {
    std::vector<std::string> names;
    for (const Frame& frame : model.frames())
      names.push_back(fmt::format("{} on {}", frame.name, model.bodies()[frame.body].name));
    fmt::print(out, "  frames              {}\n", first_few(names));
  }
  fmt::print(out, "\n{}", to_text(tree_table(model, all)));
  const std::size_t bodies = model.bodies().size() - 1;
  if (!all && bodies > shown_at_most) fmt::print(out, "  ... and {} more; --all shows them\n", bodies - shown_at_most);
  if (model.constraints().empty()) return;
  fmt::print(out, "\n{}", to_text(constraint_table(model, all)));
  if (!all && model.constraints().size() > shown_at_most)
    fmt::print(out, "  ... and {} more; --all shows them\n", model.constraints().size() - shown_at_most);
}

void print_contacts(const std::vector<NearPair>& pairs, double margin, bool all, std::FILE* out) {
  if (pairs.empty()) {
    fmt::print(out, "\nno two shapes that may touch are nearer than {} m at zero coordinates\n", number(margin));
    return;
  }
  Table table;
  table.title = fmt::format("shapes nearer than {} m at zero coordinates, that may touch", number(margin));
  table.align = "llrrll";
  table.columns = {"A", "B", "gap m", "points", "where", "normal, B to A"};
  for (const NearPair& p : pairs) {
    if (!all && table.rows.size() == shown_at_most) break;
    table.rows.push_back(
        {p.a, p.b, fmt::format("{:.3e}", p.distance), std::to_string(p.points), triple(p.at), triple(p.normal)});
  }
  fmt::print(out, "\n{}", to_text(table));
  if (pairs.size() > table.rows.size())
    fmt::print(out, "  ... and {} more; --all shows them\n", pairs.size() - table.rows.size());
}

Json contacts_json(const std::vector<NearPair>& pairs) {
  Json rows = Json::array();
  for (const NearPair& p : pairs)
    rows.push_back({{"a", p.a},
                    {"b", p.b},
                    {"gap", p.distance},
                    {"points", p.points},
                    {"point", vector_json(p.at)},
                    {"normal", vector_json(p.normal)}});
  return rows;
}

Json scenes_json() {
  Json rows = Json::array();
  for (const SceneInfo& scene : scene_catalogue()) {
    Json parameters = Json::array();
    for (const SceneParameter& p : scene.parameters)
      parameters.push_back(
          {{"name", p.name}, {"value", p.value}, {"lowest", p.lowest}, {"highest", p.highest}, {"meaning", p.meaning}});
    rows.push_back({{"scene", "@" + scene.name}, {"description", scene.description}, {"parameters", parameters}});
  }
  return {{"rows", rows}};
}

int run_recording(const Request& request) {
  if (!request.contacts.empty())
    throw UsageError("--contacts is for models; `--csv FILE --signals 'contact:*'` has the forces of a recording");
  const Recording recording = recording_from("", request.model);
  OutputFile json("--json", request.json), csv("--csv", request.csv), written("--write-model", request.write_model);
  const bool busy = json.is_standard_output() || csv.is_standard_output() || written.is_standard_output();
  if (csv) export_csv(recording, request.signals, csv);
  if (written) {
    written.write(spec_to_json(recording.spec()));
    written.commit();
  }
  const Json document = inspect_recording(recording, request.all, busy ? stderr : stdout);
  if (json) write_json(document, json);
  return exit_done;
}

int run(const Request& request) {
  if ((request.json == "-") + (request.csv == "-") + (request.write_model == "-") > 1)
    throw UsageError("only one of --json, --csv and --write-model can be the standard output");
  if (!request.signals.empty() && request.csv.empty())
    throw UsageError("--signals says what to write, but there is no --csv");
  if (request.scenes) {
    if (!request.model.empty()) throw UsageError("give either MODEL or --scenes, not both");
    OutputFile json("--json", request.json);
    if (!json.is_standard_output()) fmt::print("{}", describe_scenes());
    write_json(scenes_json(), json);
    return exit_done;
  }
  if (request.model.empty()) throw UsageError("inspect needs a MODEL, such as @pendulum:links=12 (or --scenes)");
  refuse_same_files({{"MODEL", request.model.starts_with('@') ? "" : request.model}},
                    {{"--json", request.json}, {"--csv", request.csv}, {"--write-model", request.write_model}});
  if (names_recording(request.model)) return run_recording(request);
  if (!request.csv.empty()) throw UsageError("--csv is for recordings; `simulate MODEL --csv FILE` writes a run");
  OutputFile json("--json", request.json), written("--write-model", request.write_model);
  std::FILE* out = json.is_standard_output() || written.is_standard_output() ? stderr : stdout;
  if (names_mesh_file(request.model)) {
    if (written) throw UsageError("--write-model needs a model; this is a mesh");
    if (!request.contacts.empty()) throw UsageError("--contacts needs a model; a mesh has no other shape to touch");
    const Json mesh = inspect_mesh(request.model, out);
    if (json) write_json(mesh, json);
    return exit_done;
  }
  const double margin = request.contacts.empty() ? 0 : number_from("--contacts", request.contacts, {0, 1e6});
  const ModelArgument argument = model_from(request.model);
  if (written) {
    written.write(spec_to_json(argument.spec));
    written.commit();
  }
  print_model(argument, request.all, out);
  Json document = model_json(argument);
  if (!request.contacts.empty()) {
    const std::vector<NearPair> pairs = near_pairs(argument.model, make_state(argument.model), margin);
    print_contacts(pairs, margin, request.all, out);
    document["contacts"] = contacts_json(pairs);
  }
  if (json) write_json(document, json);
  return exit_done;
}

}  // namespace

void add_inspect(Command& command) {
  auto request = std::make_shared<Request>();
  Verb verb =
      command.add_verb("inspect", "Show a model: its tree, joints, masses, limits, loops; a mesh; or a recording");
  verb.add_option("MODEL", request->model,
                  "A built-in scene, such as @humanoid, a model (.json), a mesh (.stl, .obj, .dae, .ply, .glb, .gltf,\n"
                  ".off), or a recording of simulate --record (.h5)")
      .type_name("");
  verb.add_flag("--scenes", request->scenes, "List the built-in scenes with their parameters instead");
  verb.add_flag("--all", request->all, fmt::format("List every body, not only the first {}", shown_at_most));
  verb.add_option(
          "--contacts", request->contacts,
          "Also list the pairs of shapes that may touch and are nearer than MARGIN at zero coordinates, m [0.001]")
      .type_name("MARGIN")
      .value_if_bare("0.001");
  verb.add_option("--json", request->json, "Write the same to FILE, one row per body; - is standard output")
      .type_name("FILE");
  verb.add_option("--write-model", request->write_model,
                  "Write the complete model to FILE (JSON), which can be used as MODEL; - is standard output")
      .type_name("FILE");
  verb.add_option("--csv", request->csv,
                  "Of a recording: write time (s) and signals of every frame to FILE; - is standard output")
      .type_name("FILE");
  verb.add_option(
          "--signals", request->signals,
          "With --csv: names of signals, separated by commas; * matches any text (default: all). `inspect RECORDING`\n"
          "lists them; they include the columns of simulate --csv")
      .type_name("LIST");
  verb.footer(
      "A body is indented by one step for each branching between it and the world, so a serial chain stays in one\n"
      "column. Columns q and v are the indices of its joint's coordinates; masses are in kg, centres in m in the "
      "body's\n"
      "own frame, limits in rad or m. \"Compiled\" is the model that the recursions use: joints with several axes are\n"
      "split, welded bodies are merged, and links are ordered in serial runs of one kind.\n\n"
      "Examples:\n"
      "  linchpin inspect @humanoid\n"
      "  linchpin inspect @dual_arm --contacts 0.05\n"
      "  linchpin inspect @random_tree:bodies=30,seed=4 --json tree.json\n"
      "  linchpin inspect part.stl\n"
      "  linchpin inspect @humanoid --write-model humanoid.json\n"
      "  linchpin inspect run.h5 --csv run.csv --signals 'q:hinge_1,energy,contact:*'\n"
      "  linchpin inspect --scenes");
  verb.on_call([request] { return run(*request); });
}

}  // namespace linchpin
