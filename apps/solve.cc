// linchpin solve: complementarity problems from files, solved by one solver or by all, checked by residual().
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/file_conflicts.h"
#include "apps/json_output.h"
#include "apps/progress.h"
#include "apps/terminal_text.h"
#include "linchpin/solvers/problem/polyhedral.h"
#include "linchpin/solvers/problem/problem_file.h"
#include "linchpin/solvers/solver.h"

namespace linchpin {
namespace {

constexpr const char* every_solver = "all";

// As typed.
struct Request {
  std::vector<std::string> files;
  std::string solver{info(SolverId::automatic).name}, tolerance = "1e-10", max_iterations, directions, json, solution;
};

// ---- problems and solvers -------------------------------------------------------------------------------------------

struct Task {
  std::string file, name;  // as typed; and without folders and .txt
  Problem problem;
  std::optional<Polyhedral> posed;  // with --directions, if there are contacts: the problem solved instead

  const Problem& to_solve() const { return posed ? posed->problem : problem; }
};

// Every solver but `auto`, which chooses one of the others.
std::vector<const SolverInfo*> all_solvers() {
  std::vector<const SolverInfo*> list;
  for (const SolverInfo& s : solvers())
    if (s.id != SolverId::automatic) list.push_back(&s);
  return list;
}

std::vector<const SolverInfo*> chosen_solvers(const std::string& name) {
  if (name == every_solver) return all_solvers();
  if (const SolverInfo* const one = find_solver(name)) return {one};
  std::string there;
  for (const SolverInfo& s : solvers()) there += fmt::format("{}, ", s.name);
  throw UsageError(fmt::format("--solver: there is no '{}'; there are: {}{}", name, there, every_solver));
}

std::string name_of_file(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  constexpr std::string_view ending = ".txt";
  if (name.ends_with(ending) && name.size() > ending.size()) name.resize(name.size() - ending.size());
  return name;
}

int contacts_of(const Problem& problem) {
  return int(std::count_if(problem.blocks.begin(), problem.blocks.end(),
                           [](const Block& block) { return block.kind == BlockKind::cone; }));
}

// The number of --directions; 0 for the cone itself.
int directions_of(const Request& request) {
  if (request.directions.empty()) return 0;
  const int count = int(whole_number_from("--directions", request.directions, 4, 64));
  if (count % 2 == 1)
    throw UsageError(fmt::format("--directions: {} is odd; friction acts both ways along each line", count));
  return count;
}

std::vector<Task> read_tasks(const Request& request) {
  std::vector<Task> tasks;
  const int directions = directions_of(request);
  for (const std::string& file : request.files) {
    Result<Problem> problem = read_problem(file);
    if (!problem) throw UsageError(problem.error().message);
    if (std::optional<Error> fault = find_fault(problem.value()))
      throw UsageError(fmt::format("{}: {}", file, fault->message));
    tasks.push_back({file, name_of_file(file), std::move(problem).value(), {}});
    Task& task = tasks.back();
    if (directions > 0 && contacts_of(task.problem) > 0) task.posed = polyhedral(task.problem, directions);
  }
  return tasks;
}

// A solver that was named must accept every problem; with `all`, those that refuse one are left out.
void refuse_unfit(const SolverInfo& solver, const std::vector<Task>& tasks) {
  for (const Task& task : tasks)
    if (const std::optional<Error> why = find_refusal(solver, task.to_solve()))
      throw UsageError(fmt::format("--solver {}: {}: {}", solver.name, task.file, why->message));
}

// ---- solution files -------------------------------------------------------------------------------------------------

// Two problems must not share a file of --solution.
void refuse_shared_files(const std::vector<Task>& tasks) {
  std::map<std::string, std::string> taken;
  for (const Task& task : tasks) {
    const auto [at, is_new] = taken.emplace(task.name, task.file);
    if (!is_new)
      throw UsageError(
          fmt::format("--solution: '{}' and '{}' would both be {}.sol.txt", at->second, task.file, task.name));
  }
}

// Makes the folder of --solution and checks that it is writable before solving.
void prepare_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (!std::filesystem::is_directory(folder))
    throw UsageError(fmt::format("--solution: cannot make the folder '{}': {}", folder,
                                 fault ? fault.message() : "there is a file of that name"));
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    throw UsageError(fmt::format("--solution: cannot write to the folder '{}'", folder));
}

// The solution in the rows of the file, also if the polyhedral problem was solved.
std::vector<double> impulses_of(const Task& task, const std::vector<double>& z) {
  if (!task.posed) return z;
  std::vector<double> impulses(task.problem.q.size());
  to_conic(task.problem, *task.posed, z, impulses);
  return impulses;
}

std::string solution_path(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / (name + ".sol.txt")).string();
}

void refuse_overwriting(const Request& request, const std::vector<Task>& tasks) {
  std::vector<NamedFile> inputs, outputs{{"--json", request.json}};
  for (const Task& task : tasks) {
    inputs.push_back({"FILE", task.file});
    if (!request.solution.empty()) outputs.push_back({"--solution", solution_path(request.solution, task.name)});
  }
  refuse_same_files(inputs, outputs);
}

void write_solution_file(const std::string& folder, const std::string& name, const std::vector<double>& z) {
  OutputFile file("--solution", solution_path(folder, name));
  file.write(solution_text(z));
  file.commit();
}

// ---- one solve ------------------------------------------------------------------------------------------------------

struct Attempt {
  const SolverInfo* solver = nullptr;
  std::string refusal;  // why it was not tried
  SolveReport report;
  double seconds = 0;
  std::vector<double> z;
};

Attempt attempt(const Problem& problem, const SolverInfo& info, const SolverOptions& options) {
  Attempt a;
  a.solver = &info;
  if (const std::optional<Error> why = find_refusal(info, problem)) {
    a.refusal = why->message;
    return a;
  }
  using Clock = std::chrono::steady_clock;
  a.z.assign(problem.q.size(), 0.0);
  Solver solver;  // a new one each time: cold
  const auto start = Clock::now();
  a.report = solver.solve(problem, info.id, options, a.z);
  a.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return a;
}

// The larger of the two residuals that decide.
double relative(const Residual& r) {
  const double worst = std::max(r.relative, r.plain_relative);
  return std::isfinite(r.relative) && std::isfinite(r.plain_relative) ? worst : std::numeric_limits<double>::infinity();
}

bool finite(const std::vector<double>& z) {
  return std::all_of(z.begin(), z.end(), [](double x) { return std::isfinite(x); });
}

// True if a is the better answer.
bool better(const Attempt& a, const Attempt& b) {
  const bool a_solved = a.report.status == Status::solved, b_solved = b.report.status == Status::solved;
  return a_solved != b_solved ? a_solved : relative(a.report.residual) < relative(b.report.residual);
}

// ---- the verdict on a problem ---------------------------------------------------------------------------------------

struct Verdict {
  bool solved = false, unsolvable = false;
  std::string unsolvable_by;
  std::optional<Attempt> best;  // of those with a finite z

  void add(Attempt&& a) {
    if (!a.refusal.empty()) return;
    if (a.report.status == Status::unsolvable) {
      unsolvable = true;
      unsolvable_by = a.solver->name;
    }
    solved = solved || a.report.status == Status::solved;
    const bool has_z = a.report.status == Status::solved || a.report.status == Status::not_solved;
    if (has_z && finite(a.z) && (!best || better(a, *best))) best = std::move(a);
  }
  bool contradictory() const { return solved && unsolvable; }
  bool answered() const { return solved != unsolvable; }
};

// ---- output ---------------------------------------------------------------------------------------------------------

// The status as one word, for programs.
std::string identifier(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

// The solver asked for and, where that is the automatic choice, the one that gave the answer.
std::string solver_text(const Attempt& a) {
  if (a.solver->id != SolverId::automatic || a.report.tries == 0) return std::string(a.solver->name);
  return fmt::format("{} ({})", a.solver->name, info(a.report.solver).name);
}

// The others that the automatic choice tried.
std::string also_tried(const SolveReport& report) {
  std::string others;
  for (int i = 0; i < report.tries; ++i)
    if (const SolverId id = report.tried[i]; id != report.solver)
      others += fmt::format("{}{}", others.empty() ? "also tried " : ", ", info(id).name);
  return others;
}

std::string status_text(const SolveReport& report) {
  std::string text(to_string(report.status));
  if (report.status == Status::not_solved) text += fmt::format(": {}", to_string(report.stop));
  if (report.status == Status::unsolvable) text += fmt::format(": {}", to_string(report.proof));
  return text;
}

// What is known of a problem that is nearly unsolvable, and the others that were tried.
std::string note(const SolveReport& report) {
  const std::string others = also_tried(report);
  if (report.status != Status::not_solved || !(report.no_solution_within > 0)) return others;
  return fmt::format("no solution with |z| up to {:.1e}{}{}", report.no_solution_within, others.empty() ? "" : "; ",
                     others);
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", 1e6 * seconds);
  return seconds < 1 ? fmt::format("{:.2f} ms", 1e3 * seconds) : fmt::format("{:.3f} s", seconds);
}

// A table whose lines are printed as they come, so that a long run shows its results so far; hence widths are fixed
// before the first line.
class Lines {
 public:
  Lines(std::FILE* out, const std::vector<Task>& tasks, const std::vector<const SolverInfo*>& list) : out_(out) {
    for (const Task& task : tasks) problem_ = std::max(problem_, printable(task.name).size());
    for (const SolverInfo* s : list) solver_ = std::max(solver_, s->name.size());
    if (list.front()->id == SolverId::automatic) solver_ += std::string_view(" (interior_point)").size();
    line({"problem", "rows", "contacts", "solver", "status", "iterations", "time", "abs", "rel", "plain rel", ""});
  }
  void row(const Task& task, const Attempt& a) {
    const int contacts = contacts_of(task.problem);
    const std::string size = std::to_string(task.to_solve().size()), count = contacts ? std::to_string(contacts) : "-";
    if (!a.refusal.empty())
      return line({printable(task.name), size, count, solver_text(a), "refused: " + printable(a.refusal), "", "", "",
                   "", "", ""});
    const Residual& r = a.report.residual;
    const auto figure = [](double x) { return fmt::format("{:.1e}", x); };
    line({printable(task.name), size, count, solver_text(a), status_text(a.report), std::to_string(a.report.iterations),
          time_text(a.seconds), figure(r.absolute), figure(r.relative), figure(r.plain_relative), note(a.report)});
  }

 private:
  void line(const std::array<std::string, 11>& c) {
    constexpr std::size_t status = std::string_view("not solved: iteration limit").size();
    std::string text =
        fmt::format("  {:<{}}  {:>6}  {:>8}  {:<{}}  {:<{}}  {:>10}  {:>9}  {:>8}  {:>8}  {:>9}  {}", c[0], problem_,
                    c[1], c[2], c[3], solver_, c[4], status, c[5], c[6], c[7], c[8], c[9], c[10]);
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print(out_, "{}\n", text);
    std::fflush(out_);
  }
  std::FILE* out_;
  std::size_t problem_ = 7, solver_ = 6;
};

Json row_json(const Task& task, const Attempt& a) {
  Json row{{"problem", task.name}, {"solver", std::string(a.solver->name)}, {"size", task.to_solve().size()}};
  const bool tried = a.refusal.empty();
  const SolveReport& report = a.report;
  const Residual& r = report.residual;
  const auto number = [&](double x) { return tried ? Json(x) : Json(nullptr); };
  row["status"] = tried ? identifier(to_string(report.status)) : "refused";
  row["iterations"] = tried ? Json(report.iterations) : Json(nullptr);
  row["seconds"] = number(a.seconds);
  row["residual_abs"] = number(r.plain_absolute);
  row["residual_rel"] = number(r.plain_relative);
  row["residual_scaled_abs"] = number(r.absolute);
  row["residual_scaled_rel"] = number(r.relative);
  row["contacts"] = contacts_of(task.problem);
  row["directions"] = task.posed ? Json(task.posed->directions) : Json(nullptr);
  row["file"] = task.file;
  if (!tried) {
    row["reason"] = a.refusal;
    return row;
  }
  row["stop"] = identifier(to_string(report.stop));
  row["proof"] = report.proof == Proof::none ? Json(nullptr) : Json(std::string(to_string(report.proof)));
  row["no_solution_within"] = std::isfinite(report.no_solution_within) ? Json(report.no_solution_within) : Json("inf");
  row["used"] = std::string(info(report.solver).name);
  row["tried"] = Json::array();
  for (int i = 0; i < report.tries; ++i) row["tried"].push_back(std::string(info(report.tried[i]).name));
  row["worst_row"] = r.worst_row;
  row["worst"] = r.worst;
  return row;
}

std::string summary(const std::vector<Task>& tasks, const std::vector<Verdict>& verdicts, double tolerance) {
  const auto count = [&](auto&& which) { return std::count_if(verdicts.begin(), verdicts.end(), which); };
  const auto solved = count([](const Verdict& v) { return v.solved && v.answered(); });
  const auto unsolvable = count([](const Verdict& v) { return v.unsolvable && v.answered(); });
  std::string text =
      fmt::format("{} problem{}: {} solved to {:g}", tasks.size(), tasks.size() == 1 ? "" : "s", solved, tolerance);
  if (unsolvable) text += fmt::format(", {} proved to have no solution", unsolvable);
  if (const auto open = count([](const Verdict& v) { return !v.answered(); }))
    text += fmt::format(", {} NOT solved", open);
  text += "\n";
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (verdicts[i].contradictory())
      text += fmt::format("{}: {} proves that there is no solution, but {} solved it; please report it\n",
                          printable(tasks[i].name), verdicts[i].unsolvable_by, verdicts[i].best->solver->name);
  return text;
}

// ---- the verb -------------------------------------------------------------------------------------------------------

int run(const Request& request) {
  // All errors of the request are found before solving.
  const std::vector<const SolverInfo*> list = chosen_solvers(request.solver);
  SolverOptions options;
  options.tolerance = number_from("--tolerance", request.tolerance, {0, 1, true});
  if (!request.max_iterations.empty())
    options.max_iterations = int(whole_number_from("--max-iterations", request.max_iterations, 1, 1'000'000'000));
  const std::vector<Task> tasks = read_tasks(request);
  if (request.solver != every_solver) refuse_unfit(*list.front(), tasks);
  if (!request.solution.empty()) refuse_shared_files(tasks);
  refuse_overwriting(request, tasks);
  OutputFile json("--json", request.json);
  prepare_folder(request.solution);

  std::FILE* const out = json.is_standard_output() ? stderr : stdout;
  Lines lines(out, tasks, list);
  Progress progress(true);
  Json rows = Json::array();
  std::vector<Verdict> verdicts(tasks.size());
  const double total = double(tasks.size() * list.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      progress.show(double(i * list.size() + k) / total, fmt::format("{}, {}", tasks[i].name, list[k]->name));
      Attempt a = attempt(tasks[i].to_solve(), *list[k], options);
      progress.clear();
      if (interrupted()) return exit_failed;
      lines.row(tasks[i], a);
      rows.push_back(row_json(tasks[i], a));
      verdicts[i].add(std::move(a));
    }
    Verdict& verdict = verdicts[i];
    if (!request.solution.empty() && verdict.best && !verdict.unsolvable)
      write_solution_file(request.solution, tasks[i].name, impulses_of(tasks[i], verdict.best->z));
    if (verdict.best) verdict.best->z = {};
  }
  fmt::print(out, "\n{}", summary(tasks, verdicts, options.tolerance));
  write_json({{"tolerance", options.tolerance}, {"rows", rows}}, json);
  return std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.answered(); }) ? exit_done
                                                                                                      : exit_failed;
}

// Two lines per solver: its name and summary, and the blocks that it takes.
std::string solver_list() {
  std::string text;
  for (const SolverInfo& s : solvers()) {
    std::string blocks;
    const auto take = [&](bool takes, const char* block) {
      if (takes) blocks += fmt::format("{}{}", blocks.empty() ? "" : ", ", block);
    };
    take(s.free, "free");
    take(s.nonnegative, "nonnegative");
    take(s.box, "box");
    take(s.cone, "cone");
    text += fmt::format("\n  {:<16}{}\n{:<18}takes {}", s.name, s.summary, "", blocks);
    if (s.largest < std::numeric_limits<int>::max()) text += fmt::format("; up to {} rows", s.largest);
  }
  return text;
}

}  // namespace

void add_solve(Command& command) {
  auto request = std::make_shared<Request>();
  Verb verb = command.add_verb("solve", "Solve complementarity problems: contacts with friction, LCP, mixed LCP");
  verb.add_option("FILE", request->files, "Problems: NAME.fc3d.txt, NAME.lcp.txt or NAME.mlcp.txt")
      .required()
      .type_name("");
  verb.add_option("--solver", request->solver,
                  fmt::format("A name of the list below, or `all` to compare ({})", request->solver))
      .type_name("NAME");
  verb.add_option("--tolerance", request->tolerance, "Both relative residuals must reach this (1e-10)")
      .type_name("PART");
  verb.add_option("--max-iterations", request->max_iterations,
                  "Stop after so many iterations (default: each solver's own limit)")
      .type_name("N");
  verb.add_option("--directions", request->directions,
                  "Replace each friction cone by so many directions, even, 4 to 64")
      .type_name("N");
  verb.add_option("--solution", request->solution,
                  "Write DIR/NAME.sol.txt for each problem, one value per line; with `all` the best answer")
      .type_name("DIR");
  verb.add_option("--json", request->json, "Write the table (rows) to FILE; - is standard output").type_name("FILE");
  verb.footer(fmt::format(
      "Find z such that w = M z + q, with z and w obeying the law of each block of rows: free (w = 0), nonnegative\n"
      "(z >= 0, w >= 0, z w = 0), box (z between two bounds) or cone (a contact with Coulomb's friction).\n"
      "models/problems has samples, and its README.md the formats.\n\n"
      "Solvers:{}\n\n"
      "The residual is how far z is from solving the problem, computed from z and the problem alone: abs and rel in\n"
      "units in which each row has diagonal 1, plain rel in the units of the file; rel is relative to the norm of q. "
      "A\n"
      "problem is solved when rel and plain rel are within the tolerance, whatever status the solver returns. In\n"
      "--json residual_abs and residual_rel are the plain figures, residual_scaled_abs and _rel the others.\n"
      "Time is that of one cold solve from z = 0: a new solver with its allocations and factors, and the residual, "
      "but\n"
      "not reading the file. --solution writes the z with the smallest residual even if that exceeds the tolerance, "
      "and\n"
      "nothing where there is no solution. With --directions the rows, the residual and the applicable solvers are\n"
      "those of the polyhedral problem; --solution writes its impulses in the rows of the file.\n\n"
      "Exit status: 0 when every problem is answered: solved, or shown to have no solution by a certificate that was\n"
      "checked; with `all`, by at least one solver, and solvers that refuse a problem do not count. 1 when a problem\n"
      "has no answer. 2 for bad usage, a file that is not a problem, or a problem that the named solver refuses.\n\n"
      "Examples:\n"
      "  linchpin solve models/problems/box_on_slope.fc3d.txt\n"
      "  linchpin solve models/problems/*.txt --json - --solution solutions\n"
      "  linchpin solve models/problems/box_on_slope.fc3d.txt --directions 8 --solver lemke\n"
      "  linchpin solve models/problems/diode_bridge.mlcp.txt --solver all --tolerance 1e-12",
      solver_list()));
  verb.on_call([request] { return run(*request); });
}

}  // namespace linchpin
