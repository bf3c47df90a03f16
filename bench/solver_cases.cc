#include "bench/solver_cases.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "bench/text.h"
#include "linchpin/solvers/problem/generate.h"
#include "linchpin/solvers/problem/polyhedral.h"
#include "linchpin/solvers/problem/problem_file.h"

namespace linchpin {

std::filesystem::path shared_problems() {
  const char* const named = std::getenv("LINCHPIN_SHARED");
  return std::filesystem::path(named ? named : "../shared") / "contact_problems";
}

std::vector<SolverCase> shared_cases() {
  // Files up to this size are part of a quick run: some fifty contacts.
  constexpr std::uintmax_t quick_bytes = 100'000;
  std::vector<SolverCase> cases;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(shared_problems(), none)) {
    const std::string path = entry.path().string(), file = entry.path().filename().string();
    if (!format_of_name(file)) continue;
    cases.push_back({file.substr(0, file.find(".txt")), entry.file_size() <= quick_bytes,
                     [path]() -> Result<Problem> { return read_problem(path); }});
  }
  std::sort(cases.begin(), cases.end(), [](const SolverCase& a, const SolverCase& b) { return a.name < b.name; });
  return cases;
}

std::vector<SolverCase> generated_cases() {
  std::vector<SolverCase> cases;
  const auto add = [&](const std::string& name, bool quick, auto make) {
    cases.push_back({name, quick, [make]() -> Result<Problem> { return make(); }});
  };
  for (const int boxes : {1, 8, 64, 500})
    add(text("boxes, %d contacts", 4 * boxes), boxes <= 8, [boxes] { return separate_boxes(boxes, 1); });
  for (const int boxes : {2, 8, 32})
    add(text("stack, %d contacts", 4 * boxes), boxes <= 8, [boxes] { return stack_of_boxes(boxes, 1); });
  add("stack at rest, 32 contacts", true, [] { return stack_of_boxes(8, 1, {.degenerate = true}); });
  add("stack, light below heavy, 32 contacts", false, [] { return stack_of_boxes(8, 1, {.mass_ratio = 1000}); });
  add("wall, 208 contacts", false, [] { return wall_of_bricks(5, 8, 1); });
  // As dropped, so each sphere at rest on its supports, and with every sphere thrown about at 0.1 m/s.
  for (const int contacts : {30, 100, 300, 1000, 2000})
    add(text("pile at rest, %d contacts", contacts), contacts <= 100,
        [contacts] { return pile_of_spheres(contacts, 1, {.speed = 0}); });
  for (const int contacts : {30, 100, 300, 1000})
    add(text("pile shaken, %d contacts", contacts), contacts <= 100,
        [contacts] { return pile_of_spheres(contacts, 1); });
  add("cannonballs, 100 contacts", false, [] { return pile_of_spheres(100, 1, {.degenerate = true}); });
  add("box, 4 directions, 24 rows", true, [] { return polyhedral(separate_boxes(1, 1), 4).problem; });
  add("stack, 4 directions, 96 rows", true, [] { return polyhedral(stack_of_boxes(4, 1), 4).problem; });
  return cases;
}

}  // namespace linchpin
