#include "linchpin/solvers/solver.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "linchpin/solvers/pivoting/enumeration.h"
#include "linchpin/solvers/problem/exact_sum.h"
#include "linchpin/solvers/problem/polyhedral.h"
#include "linchpin/solvers/problem/testing.h"
#include "linchpin/solvers/problem/unsolvable.h"

namespace linchpin {
namespace {

constexpr double tolerance = 1e-10;  // the default of solve()

Problem lcp(Square M, std::vector<double> q) {
  const int n = int(q.size());
  return linear_complementarity(Matrix::dense(n, std::move(M)), std::move(q));
}
Problem one_block(BlockKind kind) {
  Problem p{Matrix::dense(3, {2, 0, 0, 0, 2, 0, 0, 0, 2}),
            {-1, 0.1, 0},
            {{kind, 0, 3, kind == BlockKind::cone ? 0.5 : 0}},
            {},
            {}};
  if (kind == BlockKind::box) {
    p.lower = {0, 0, 0};
    p.upper = {1, 1, 1};
  }
  return p;
}

struct Answer {
  SolveReport report;
  std::vector<double> z;
};
Answer solve(Solver& solver, const Problem& p, SolverId id = SolverId::automatic, const SolverOptions& options = {}) {
  Answer a{{}, std::vector<double>(p.q.size(), std::nan(""))};
  a.report = solver.solve(p, id, options, a.z);
  return a;
}
Answer solve(const Problem& p, SolverId id = SolverId::automatic, const SolverOptions& options = {}) {
  Solver solver;
  return solve(solver, p, id, options);
}
bool solves(const Problem& p, const Answer& a) {
  ResidualWorkspace ws;
  return a.report.status == Status::solved && residual(p, a.z, ws).within(tolerance);
}
std::string show(const Answer& a) {
  std::string text = std::string(to_string(a.report.status)) + ", " + std::string(to_string(a.report.stop)) +
                     ", residual " + std::to_string(std::log10(a.report.residual.relative)) + " and " +
                     std::to_string(std::log10(a.report.residual.plain_relative)) + " (powers of ten), tried";
  for (int i = 0; i < a.report.tries; ++i) text += " " + std::string(info(a.report.tried[i]).name);
  return text;
}

// ---- names ----

TEST(Solver, EverySolverHasANameOfItsOwn) {
  EXPECT_EQ(solvers().size(), 10u);
  for (const SolverInfo& s : solvers()) {
    ASSERT_NE(find_solver(s.name), nullptr) << s.name;
    EXPECT_EQ(find_solver(s.name)->id, s.id) << s.name;
    EXPECT_EQ(info(s.id).name, s.name);
    EXPECT_FALSE(s.summary.empty()) << s.name;
  }
  for (const char* name : {"auto", "lemke", "dantzig", "newton", "interior_point", "arc_path", "gauss_seidel",
                           "proximal", "enumeration", "closed_form"})
    EXPECT_NE(find_solver(name), nullptr) << name;
  for (const char* name : {"", "Lemke", "lemke ", "simplex"}) EXPECT_EQ(find_solver(name), nullptr) << name;
  EXPECT_EQ(to_string(Status::solved), "solved");
  EXPECT_EQ(to_string(Status::not_solved), "not solved");
  EXPECT_EQ(to_string(Status::unsolvable), "unsolvable");
  EXPECT_EQ(to_string(Status::bad_input), "bad input");
  EXPECT_EQ(to_string(Stop::exhausted), "exhausted");
  EXPECT_EQ(to_string(Stop::out_of_range), "out of range");
  EXPECT_EQ(to_string(Proof::none), "none");
  EXPECT_EQ(to_string(Proof::ray), "ray");
  EXPECT_EQ(to_string(Proof::enumeration), "enumeration");
}

TEST(Solver, EverySolverSolvesByName) {
  for (const SolverInfo& s : solvers())
    for (const BlockKind kind : {BlockKind::free, BlockKind::nonnegative, BlockKind::box, BlockKind::cone}) {
      const Problem p = one_block(kind);
      if (find_refusal(s, p)) continue;
      const Answer a = solve(p, s.id);
      EXPECT_TRUE(solves(p, a)) << s.name << " " << to_string(kind) << " " << show(a);
      EXPECT_NEAR(a.z[0], 0.5, 10 * tolerance) << s.name << " " << to_string(kind);  // 2 z = 1 in every one
      EXPECT_EQ(a.report.tries, 1) << s.name;
      if (s.id == SolverId::automatic) continue;
      EXPECT_EQ(a.report.solver, s.id) << s.name;
      EXPECT_EQ(a.report.tried[0], s.id) << s.name;
    }
}

// ---- refusals ----

TEST(Solver, RefusesByName) {
  const Problem cone = one_block(BlockKind::cone);
  for (const SolverId id : {SolverId::lemke, SolverId::dantzig, SolverId::enumeration}) {
    const std::optional<Error> refusal = find_refusal(info(id), cone);
    ASSERT_TRUE(refusal) << info(id).name;
    EXPECT_EQ(refusal->message, std::string(info(id).name) + " takes no cone blocks");
    EXPECT_EQ(solve(cone, id).report.status, Status::bad_input);
  }
  for (const SolverId id : {SolverId::automatic, SolverId::newton, SolverId::interior_point, SolverId::arc_path,
                            SolverId::gauss_seidel, SolverId::proximal})
    EXPECT_FALSE(find_refusal(info(id), cone)) << info(id).name;
}

TEST(Solver, RefusesWhatIsTooLarge) {
  Dice dice(1);
  const int n = largest_enumeration + 1;
  const Problem rows = lcp(random_p(n, dice), random_q(n, dice));
  const std::optional<Error> refusal = find_refusal(info(SolverId::enumeration), rows);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->message, "enumeration takes at most 14 rows that are not free, not 15");
  EXPECT_EQ(solve(rows, SolverId::enumeration).report.status, Status::bad_input);
  Problem equations = rows;  // free rows are not enumerated
  equations.blocks[0].kind = BlockKind::free;
  EXPECT_FALSE(find_refusal(info(SolverId::enumeration), equations));
  EXPECT_TRUE(solves(equations, solve(equations, SolverId::enumeration)));

  std::vector<int> start(2002);
  std::iota(start.begin(), start.end(), 0);
  std::vector<Triplet> diagonal;
  for (int i = 0; i < 2001; ++i) diagonal.push_back({i, i, 2});
  const Problem large =
      linear_complementarity(Matrix::sparse(block_sparse(start, start, diagonal)), std::vector<double>(2001, -1.0));
  for (const SolverId id : {SolverId::lemke, SolverId::dantzig}) {
    ASSERT_TRUE(find_refusal(info(id), large)) << info(id).name;
    EXPECT_EQ(find_refusal(info(id), large)->message,
              std::string(info(id).name) + " takes at most 2000 rows, not 2001");
  }
  EXPECT_TRUE(solves(large, solve(large, SolverId::newton)));
}

// ---- bad input ----

TEST(Solver, BadInputLeavesZAlone) {
  const Problem good = one_block(BlockKind::box);
  std::vector<std::pair<std::string, Problem>> bad;
  const auto add = [&](const std::string& what, auto&& spoil) {
    bad.emplace_back(what, good);
    spoil(bad.back().second);
  };
  add("NaN in q", [](Problem& p) { p.q[1] = std::nan(""); });
  add("infinite q", [](Problem& p) { p.q[1] = HUGE_VAL; });
  add("NaN in M", [](Problem& p) { p.M.dense()[4] = std::nan(""); });
  add("M too small", [](Problem& p) { p.M = Matrix::dense(2, {1, 0, 0, 1}); });
  add("no blocks", [](Problem& p) { p.blocks.clear(); });
  add("a gap", [](Problem& p) { p.blocks = {{BlockKind::box, 0, 1, 0}, {BlockKind::box, 2, 1, 0}}; });
  add("an overlap", [](Problem& p) { p.blocks = {{BlockKind::box, 0, 2, 0}, {BlockKind::box, 1, 2, 0}}; });
  add("too long", [](Problem& p) { p.blocks[0].size = 4; });
  add("too short", [](Problem& p) { p.blocks[0].size = 2; });
  add("a cone of two rows", [](Problem& p) { p.blocks = {{BlockKind::cone, 0, 2, 0.5}, {BlockKind::box, 2, 1, 0}}; });
  add("negative mu", [](Problem& p) { p.blocks = {{BlockKind::cone, 0, 3, -0.5}}, p.lower.clear(), p.upper.clear(); });
  add("mu is NaN", [](Problem& p) {
    p.blocks = {{BlockKind::cone, 0, 3, std::nan("")}}, p.lower.clear(), p.upper.clear();
  });
  add("l > u", [](Problem& p) { p.lower[2] = 2; });
  add("no bounds", [](Problem& p) { p.lower.clear(); });
  add("NaN as bound", [](Problem& p) { p.upper[0] = std::nan(""); });
  add("bounds without a box", [](Problem& p) { p.blocks[0].kind = BlockKind::free; });
  Solver solver;
  const std::vector<double> before{1, 2, 3};
  for (const SolverInfo& s : solvers()) {
    for (const auto& [what, p] : bad) {
      std::vector<double> z = before;
      EXPECT_EQ(solver.solve(p, s.id, {}, z).status, Status::bad_input) << s.name << ": " << what;
      EXPECT_EQ(z, before) << s.name << ": " << what;
    }
    for (const double wrong : {0.0, -1e-10, std::nan("")}) {
      std::vector<double> z = before;
      EXPECT_EQ(solver.solve(good, s.id, {.tolerance = wrong}, z).status, Status::bad_input) << s.name << " " << wrong;
      EXPECT_EQ(z, before) << s.name << " " << wrong;
    }
  }
}

TEST(Solver, ZOfTheWrongSizeIsTheCallersMistake) {
  Solver solver;
  std::vector<double> z(2);
  EXPECT_THROW(solver.solve(one_block(BlockKind::free), SolverId::automatic, {}, z), CheckFailed);
}

TEST(Solver, AProblemWithoutRowsIsSolved) {
  for (const SolverInfo& s : solvers()) {
    const Answer a = solve(Problem{}, s.id);
    EXPECT_EQ(a.report.status, Status::solved) << s.name;
    EXPECT_EQ(a.report.iterations, 0) << s.name;
  }
}

// ---- automatic ----

TEST(Solver, AutomaticSolvesEveryFamily) {
  Solver solver;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(30);
    const ProblemLayout all = random_layout(n, {}, dice), rows = random_layout(n, {.cone = false}, dice);
    Square definite = random_psd(all.size, all.size, dice);
    for (int i = 0; i < all.size; ++i) entry(definite, all.size, i, i) += 0.1;
    const ContactScene scene = random_scene(dice);
    const std::vector<std::pair<std::string, Problem>> families{
        {"P", lcp(random_p(n, dice), random_q(n, dice))},
        {"copositive", lcp(random_copositive(n, true, dice), tied_q(n, dice))},
        {"mixed rows, singular",
         plant(rows, Matrix::dense(rows.size, random_psd(rows.size, 1 + dice.below(rows.size), dice)), 0.3, dice)
             .problem},
        {"integers", plant(rows, Matrix::dense(rows.size, random_integer_psd(rows.size, dice)), 0.5, dice).problem},
        {"mixed blocks", plant(all, Matrix::dense(all.size, std::move(definite)), 0.2, dice).problem},
        {"contact", contact_problem(scene)},
        {"contact, polyhedral", polyhedral(contact_problem(scene, Matrix::Kind::dense), 6).problem},
        {"one contact", contact_problem({scene.bodies, {scene.contacts[0]}, scene.gravity, scene.dt})},
        {"stack", stack_of_boxes(1 + int(seed) % 8, seed, {.degenerate = seed % 2 == 0})},
        {"wall", wall_of_bricks(1 + int(seed) % 3, 3, seed, {.degenerate = seed % 2 == 0})},
        {"pile", pile_of_spheres(5 * (1 + int(seed) % 10), seed, {.degenerate = seed % 2 == 0})},
        {"no friction", stack_of_boxes(3, seed, {.mu = 0})},
        {"friction of five", pile_of_spheres(30, seed, {.mu = 5})},
        {"q = 0", lcp(random_p(n, dice), std::vector<double>(n))}};
    for (const auto& [what, p] : families) {
      const Answer a = solve(solver, p);
      EXPECT_TRUE(solves(p, a)) << what << " seed " << seed << " rows " << p.size() << " " << show(a);
    }
  }
}

// Large piles are the hardest problems. Of 180 of a hundred contacts none was left open, of 24 with 400 none either
// (docs/arc_path.md).
TEST(Solver, AutomaticSolvesLargerPiles) {
  Solver solver;
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem p = pile_of_spheres(100, seed);
    const Answer a = solve(solver, p);
    solved += solves(p, a);
    if (a.report.status != Status::solved) std::printf("seed %d: %s\n", int(seed), show(a).c_str());
  }
  EXPECT_EQ(solved, 20);
}

// A light box under one a million times heavier: the rounding error of its velocity is a few times 1e6 epsilon.
TEST(Solver, AutomaticBearsMassesOfAMillionToOne) {
  Solver solver;
  ResidualWorkspace ws;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem p = stack_of_boxes(3, seed, {.mass_ratio = 1e6});
    const Answer a = solve(solver, p, SolverId::automatic, {.tolerance = 1e-8});
    EXPECT_EQ(a.report.status, Status::solved) << "seed " << seed << " " << show(a);
    EXPECT_TRUE(residual(p, a.z, ws).within(1e-8)) << "seed " << seed;
  }
}

// The chains of `automatic` (docs/solvers.md), as reported: with a single iteration all solvers of a chain fail.
TEST(Solver, AutomaticTellsItsChain) {
  using enum SolverId;
  const auto tried = [](const Answer& a) {
    return std::vector<SolverId>(a.report.tried.begin(), a.report.tried.begin() + a.report.tries);
  };
  const SolverOptions hopeless{.tolerance = 1e-300, .max_iterations = 1};
  const Problem stack = stack_of_boxes(3, 1), higher = stack_of_boxes(4, 1);  // 12 and 16 contacts
  EXPECT_EQ(tried(solve(stack, automatic, hopeless)),
            (std::vector<SolverId>{newton, interior_point, arc_path, newton, interior_point, newton}));
  EXPECT_EQ(tried(solve(higher, automatic, hopeless)),
            (std::vector<SolverId>{interior_point, arc_path, newton, interior_point, newton, newton}));
  const SolverOptions guess{.tolerance = 1e-300, .max_iterations = 1, .warm_start = true};
  EXPECT_EQ(tried(solve(higher, automatic, guess)),
            (std::vector<SolverId>{newton, interior_point, newton, arc_path, newton, interior_point}));
  EXPECT_EQ(tried(solve(stack_of_boxes(26, 1), automatic, guess)),  // 104 contacts
            (std::vector<SolverId>{newton, arc_path, newton, arc_path, newton, interior_point}));
  const Problem alone = {
      Matrix::dense(3, {2, 0.5, 0.1, 0.5, 2, 0.3, 0.1, 0.3, 2}), {-1, 3, 1}, {{BlockKind::cone, 0, 3, 0.3}}, {}, {}};
  EXPECT_EQ(tried(solve(alone, automatic, hopeless)),
            (std::vector<SolverId>{closed_form, newton, interior_point, newton}));
  const Answer direct = solve(alone);
  EXPECT_EQ(direct.report.solver, closed_form);
  EXPECT_EQ(tried(direct), std::vector<SolverId>{closed_form});
  EXPECT_EQ(direct.report.iterations, 1);
  EXPECT_TRUE(find_refusal(info(closed_form), stack));
  EXPECT_TRUE(find_refusal(info(closed_form), one_block(BlockKind::nonnegative)));
  const Problem rows = polyhedral(contact_problem(stack_of_boxes_scene(2, 1), Matrix::Kind::dense), 4).problem;
  EXPECT_EQ(tried(solve(rows, automatic, hopeless)), (std::vector<SolverId>{lemke, interior_point, newton, newton}));
  // More than 400 rows without a cone: pivoting comes last.
  const Problem many = polyhedral(contact_problem(stack_of_boxes_scene(20, 1), Matrix::Kind::dense), 4).problem;
  ASSERT_GT(many.size(), 400);
  EXPECT_EQ(tried(solve(many, automatic, hopeless)), (std::vector<SolverId>{newton, interior_point, newton, lemke}));
}

// The sizes at which the chains change, as documented: the last size of one and the first of the next.
TEST(Solver, AutomaticChangesItsChainAtTheDocumentedSizes) {
  using enum SolverId;
  Solver solver;
  // As many blocks; their rows are coupled weakly, so that nothing is solved in one iteration.
  const auto coupled = [](int blocks, const Block& block) {
    Dice dice(1);
    const int n = blocks * block.size;
    Problem p{{}, random_q(n, dice), {}, {}, {}};
    Square M = zero_square(n);
    for (int i = 0; i < n; ++i)
      for (int j = std::max(0, i - 5); j <= i; ++j)
        entry(M, n, i, j) = entry(M, n, j, i) = i == j ? 1 : dice.near_zero(0.05);
    p.M = Matrix::dense(n, std::move(M));
    for (int b = 0; b < blocks; ++b) p.blocks.push_back({block.kind, b * block.size, block.size, block.mu});
    return p;
  };
  const auto tried = [&](const Problem& p, bool warm) {
    std::vector<double> z(p.q.size());
    const SolveReport r = solver.solve(p, automatic, {.tolerance = 1e-300, .max_iterations = 1, .warm_start = warm}, z);
    EXPECT_LE(r.tries, most_tries);
    return std::vector<SolverId>(r.tried.begin(), r.tried.begin() + r.tries);
  };
  const Block contact{BlockKind::cone, 0, 3, 0.5}, row{BlockKind::nonnegative, 0, 1, 0};
  EXPECT_EQ(tried(coupled(12, contact), false)[0], newton);
  EXPECT_EQ(tried(coupled(13, contact), false)[0], interior_point);
  EXPECT_EQ(tried(coupled(100, contact), true)[1], interior_point);
  EXPECT_EQ(tried(coupled(101, contact), true)[1], arc_path);
  EXPECT_EQ(tried(coupled(12, contact), false).size(), std::size_t(most_tries));  // the longest chain
  const std::vector<SolverId> tiny{lemke, interior_point, newton, enumeration},
      rows{lemke, interior_point, newton, newton}, many{newton, interior_point, newton, lemke};
  EXPECT_EQ(tried(coupled(10, row), false), tiny);
  EXPECT_EQ(tried(coupled(11, row), false), rows);
  EXPECT_EQ(tried(coupled(400, row), false), rows);
  EXPECT_EQ(tried(coupled(401, row), false), many);
  Problem p = coupled(11, row);
  p.blocks[0].kind = BlockKind::free;  // it leaves 10 to be chosen
  EXPECT_EQ(tried(p, false), tiny);
  p = coupled(10, row);
  p.blocks[0].kind = BlockKind::box;  // not with boxes
  p.lower.assign(10, 0);
  p.upper.assign(10, 1);
  EXPECT_EQ(tried(p, false), rows);
}

// Near the solution of 20 rows lemke has no pivot to do: it starts from the guess, as the first solver of a chain does.
TEST(Solver, TheFirstSolverStartsFromTheGuess) {
  Dice dice(1);
  Solver solver;
  const Problem p = lcp(random_p(20, dice), random_q(20, dice));
  Answer a = solve(solver, p);
  EXPECT_GE(a.report.iterations, 5) << show(a);
  for (double& x : a.z) x *= 1 + 1e-6;
  a.report = solver.solve(p, SolverId::automatic, {.warm_start = true}, a.z);
  EXPECT_TRUE(solves(p, a)) << show(a);
  EXPECT_EQ(a.report.tries, 1);
  EXPECT_EQ(a.report.iterations, 0);
}

// What lemke's ray excludes is reported also where another solver gave the better z: after lemke in the chain, or, with
// more than 400 rows, before it.
TEST(Solver, ReportsWhatIsExcludedWhoeverGaveZ) {
  const double e = 0x1p-52;  // z2 = 1 / e; the other rows are 1 + z >= 0
  for (const int n : {2, 401}) {
    Square M = zero_square(n);
    for (int i = 0; i < n; ++i) entry(M, n, i, i) = i == 1 ? 1 + e : 1;
    entry(M, n, 0, 1) = entry(M, n, 1, 0) = -1;
    std::vector<double> q(std::size_t(n), 1.0);
    q[0] = -1;
    q[1] = 0;
    const Answer a = solve(lcp(std::move(M), std::move(q)), SolverId::automatic, {.max_iterations = 3});
    EXPECT_EQ(a.report.status, Status::not_solved) << show(a);
    EXPECT_EQ(a.report.tried[n == 2 ? 0 : a.report.tries - 1], SolverId::lemke) << show(a);
    EXPECT_NE(a.report.solver, SolverId::lemke) << show(a);
    EXPECT_GT(a.report.no_solution_within, 1e15);
    EXPECT_LT(a.report.no_solution_within, 1 / e + 1);
  }
}

// The chains of docs/solvers.md, run by single solvers from one to the next: `auto` gives the same bits after the same
// tries and iterations. With 1e-10 most problems are solved on the way, with 1e-300 all chains come to their end.
struct ChainByHand {
  enum class From { anew, guess, best };
  struct Try {
    SolverId id;
    From from = From::anew;
    int limit = 0;  // of iterations
    double within = 0;
  };
  std::vector<Try> tries;
  Solver solver, other;
  ResidualWorkspace ws;
  int ends = 0;  // how often the last solver was the last of the chain

  explicit ChainByHand(std::vector<Try> tries_) : tries(std::move(tries_)) {}

  void expect_same(const Problem& p, const SolverOptions& options, const std::vector<double>& guess) {
    SCOPED_TRACE(p.size());
    Answer a{{}, guess};
    a.report = other.solve(p, SolverId::automatic, options, a.z);
    std::vector<double> z, best = guess;
    double least = HUGE_VAL;
    int iterations = 0;
    std::size_t used = 0;
    bool good = false;
    for (const Try& t : tries) {
      SolverOptions o{.tolerance = std::max(options.tolerance, t.within),
                      .max_iterations = t.limit,
                      .acceptable = options.acceptable};
      o.warm_start = used == 0 ? options.warm_start : t.from != From::anew;
      z = used > 0 && t.from == From::best ? best : guess;
      const SolveReport r = solver.solve(p, t.id, o, z);
      iterations += r.iterations;
      EXPECT_EQ(a.report.tried[used], t.id) << show(a);
      ++used;
      const Residual judged = residual(p, z, ws);
      good = judged.within(options.tolerance);
      const bool cut_short = t.within > 0 || (t.limit > 0 && r.stop == Stop::iteration_limit);
      const bool enough = good || (!cut_short && judged.within(options.acceptable));
      if (const double now = std::max(judged.relative, judged.plain_relative); enough || now < least) {
        least = now;
        best = z;
      }
      if (enough) break;
    }
    ends += used == tries.size();
    EXPECT_EQ(a.report.tries, int(used)) << show(a);
    EXPECT_EQ(a.report.iterations, iterations) << show(a);
    EXPECT_EQ(a.report.status, good ? Status::solved : Status::not_solved) << show(a);
    EXPECT_EQ(a.z, best) << show(a);
  }
};

TEST(Solver, AutomaticIsItsDocumentedChain) {
  using enum SolverId;
  using enum ChainByHand::From;
  ChainByHand few(
      {{newton, anew, 30}, {interior_point, anew, 50}, {arc_path}, {newton, best}, {interior_point}, {newton}});
  ChainByHand more(
      {{interior_point, anew, 50}, {arc_path}, {newton, best}, {interior_point}, {newton, best}, {newton}});
  ChainByHand guessed({{newton, guess, 14},
                       {interior_point, guess, 100, 1e-6},
                       {newton, best, 60},
                       {arc_path, anew, 3000},
                       {newton, best},
                       {interior_point}});
  ChainByHand many_guessed({{newton, guess, 5},
                            {arc_path, guess, 300, 1e-6},
                            {newton, best, 60},
                            {arc_path, anew, 3000},
                            {newton, best},
                            {interior_point}});
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto random = [&](const Problem& p) {
      std::vector<double> z(p.q.size());
      for (double& x : z) x = dice.near_zero(1);
      return z;
    };
    const double mu = 0.1 * double(seed);
    const Problem stack = stack_of_boxes(3, seed, {.mu = mu, .degenerate = seed % 2 == 0});  // 12 contacts
    const Problem pile = pile_of_spheres(70, seed, {.mu = mu, .speed = 1});
    const Problem large = pile_of_spheres(104, seed, {.mu = mu, .speed = 1});
    ASSERT_GT(large.blocks.size(), 100u);
    for (const SolverOptions& o : {SolverOptions{}, {.tolerance = 1e-300}, {.tolerance = 1e-300, .acceptable = 1e-8}}) {
      SCOPED_TRACE(o.tolerance);
      SolverOptions warm = o;
      warm.warm_start = true;
      few.expect_same(stack, o, std::vector<double>(stack.q.size()));
      more.expect_same(pile, o, std::vector<double>(pile.q.size()));
      guessed.expect_same(stack, warm, random(stack));
      guessed.expect_same(pile, warm, random(pile));
      if (seed % 3 == 0) many_guessed.expect_same(large, warm, random(large));
    }
  }
  for (const ChainByHand* chain : {&few, &more, &guessed, &many_guessed}) EXPECT_GE(chain->ends, 3);
}

// If solved, the last solver tried gave z; if not, the one with the best z, which is returned.
TEST(Solver, TheReportIsThatOfZ) {
  Solver solver;
  ResidualWorkspace ws;
  int more_than_one = 0, failed = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const Problem p = contact_problem(random_scene(dice));
    const Answer a = solve(solver, p, SolverId::automatic, {.max_iterations = seed % 2 ? 0 : 1 + dice.below(6)});
    ASSERT_GE(a.report.tries, 1);
    more_than_one += a.report.tries > 1;
    failed += a.report.status == Status::not_solved;
    const Residual r = residual(p, a.z, ws);
    EXPECT_EQ(a.report.residual.relative, r.relative) << "seed " << seed;
    EXPECT_EQ(a.report.residual.plain_relative, r.plain_relative) << "seed " << seed;
    EXPECT_EQ(a.report.status, r.within(tolerance) ? Status::solved : Status::not_solved) << "seed " << seed;
    if (a.report.status == Status::solved) {
      EXPECT_EQ(a.report.solver, a.report.tried[a.report.tries - 1]) << "seed " << seed;
      continue;
    }
    bool among = false;
    for (int i = 0; i < a.report.tries; ++i) among = among || a.report.tried[i] == a.report.solver;
    EXPECT_TRUE(among) << "seed " << seed;
  }
  EXPECT_GE(more_than_one, 10);
  EXPECT_GE(failed, 10);
}

// A looser tolerance is honoured, not ignored.
TEST(Solver, ToleranceIsThatOfBothFigures) {
  for (const double wanted : {1e-4, 1e-8, 1e-12}) {
    const Problem p = stack_of_boxes(4, 3);
    const Answer a = solve(p, SolverId::automatic, {.tolerance = wanted});
    EXPECT_EQ(a.report.status, Status::solved) << wanted;
    EXPECT_LE(a.report.residual.relative, wanted);
    EXPECT_LE(a.report.residual.plain_relative, wanted);
  }
}

TEST(Solver, WarmStartGivesTheSameResidual) {
  Solver solver;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    const Problem conic = contact_problem(random_scene(dice));
    for (const Problem& p : {conic, polyhedral(with_matrix(conic, Matrix::Kind::dense), 4).problem}) {
      Answer a = solve(solver, p);
      ASSERT_TRUE(solves(p, a)) << "seed " << seed << " " << show(a);
      a.report = solver.solve(p, SolverId::automatic, {.warm_start = true}, a.z);
      EXPECT_TRUE(solves(p, a)) << "seed " << seed << " " << show(a);
      EXPECT_EQ(a.report.iterations, 0) << "seed " << seed << " " << show(a);
      EXPECT_EQ(a.report.tries, 0) << "no solver is needed where the guess is a solution";
      EXPECT_EQ(a.report.solver, SolverId::automatic);
      EXPECT_EQ(a.report.stop, Stop::finished);
    }
  }
}

// 2 z = 1 with a guess off by 1e-8, relative to q: good enough for the tolerance, unless guesses have one of their own.
TEST(Solver, GuessesHaveATolerance) {
  Solver solver;
  const Problem p = lcp({2}, {-1});
  for (const double of_guess : {0.0, 1e-4, 1e-12}) {
    std::vector<double> z{0.5 * (1 + 1e-8)};
    const SolveReport r = solver.solve(
        p, SolverId::automatic, {.tolerance = 1e-6, .warm_start = true, .guess_tolerance = of_guess, .aim = 1e-14}, z);
    EXPECT_EQ(r.status, Status::solved) << of_guess;
    const bool taken = of_guess != 1e-12;
    EXPECT_EQ(r.tries, taken ? 0 : 1) << of_guess;
    EXPECT_NEAR(z[0], 0.5, taken ? 1e-8 : 1e-15) << of_guess;
    EXPECT_NEAR(r.residual.plain_relative, taken ? 1e-8 : 0, 1e-15) << of_guess;
  }
}

// ---- unsolvable ----

TEST(Solver, AnInfeasibleProblemIsUnsolvable) {
  // w = -1 for every z; z1 - z2 >= 1 and z2 - z1 >= 0; the same equation with two right-hand sides.
  const Problem two_equations{Matrix::dense(2, {1, 1, 1, 1}), {-1, -2}, {{BlockKind::free, 0, 2, 0}}, {}, {}};
  for (const Problem& p : {lcp({0}, {-1}), lcp({1, -1, -1, 1}, {-1, 0}), two_equations})
    for (const SolverId id : {SolverId::automatic, SolverId::lemke}) {
      const Answer a = solve(p, id);
      EXPECT_EQ(a.report.status, Status::unsolvable) << info(id).name << " " << show(a);
      EXPECT_EQ(a.report.stop, Stop::ray) << info(id).name;
      EXPECT_EQ(a.report.solver, SolverId::lemke);
      EXPECT_EQ(a.report.proof, Proof::ray);
      EXPECT_EQ(a.report.no_solution_within, HUGE_VAL);
    }
  // Enumeration has another proof, other solvers have none.
  for (const SolverInfo& s : solvers()) {
    const Problem p = lcp({1, -1, -1, 1}, {-1, 0});
    if (s.id == SolverId::automatic || s.id == SolverId::lemke || find_refusal(s, p)) continue;
    const Answer a = solve(p, s.id);
    const bool proved = s.id == SolverId::enumeration;
    EXPECT_EQ(a.report.status, proved ? Status::unsolvable : Status::not_solved) << s.name;
    EXPECT_EQ(a.report.proof, proved ? Proof::enumeration : Proof::none) << s.name;
    EXPECT_EQ(a.report.no_solution_within, proved ? HUGE_VAL : 0) << s.name;
  }
}

// z >= 0 and w >= 0 are possible, so no ray is a proof, but z w = 0 is not. Newton used to be named, at its limit.
TEST(Solver, AProblemThatEnumerationRefutesIsUnsolvable) {
  for (const Problem& p : {lcp({0, 1, 0, 1}, {-1, 0}), lcp({0, 1, 0, 0, 1, 0, 0, 0, 1}, {-1, 0, -1}),
                           lcp({-1, 2, 0, 0, 1, -1, 1, 1, 1}, {-1, 1, 1})}) {
    EnumerationWorkspace all;
    std::vector<double> z(p.q.size());
    ASSERT_EQ(enumeration(p, {}, all, z).stop, Stop::exhausted);
    const Answer a = solve(p);
    EXPECT_EQ(a.report.status, Status::unsolvable) << show(a);
    EXPECT_EQ(a.report.proof, Proof::enumeration) << show(a);
    EXPECT_EQ(a.report.stop, Stop::exhausted) << show(a);
    EXPECT_EQ(a.report.solver, SolverId::enumeration) << show(a);
    EXPECT_EQ(a.report.no_solution_within, HUGE_VAL);
  }
}

// The solution is beyond 1e15: a ray excludes what is nearer, and proves no more.
TEST(Solver, NearlySingularProblemsAreNotUnsolvable) {
  const double e = 0x1p-52;
  const Problem p = lcp({1, -1, -1, 1 + e}, {-1, 0});  // z2 = 1 / e
  const std::vector<double> z{1 / e + 1, 1 / e};
  ResidualWorkspace ws;
  ASSERT_TRUE(residual(p, z, ws).within(tolerance));
  for (const SolverId id : {SolverId::automatic, SolverId::lemke, SolverId::enumeration}) {
    const Answer a = solve(p, id);
    EXPECT_NE(a.report.status, Status::unsolvable) << info(id).name << " " << show(a);
    EXPECT_EQ(a.report.proof, Proof::none) << info(id).name;
    EXPECT_LT(a.report.no_solution_within, 1 / e + 1) << info(id).name;
    if (id == SolverId::lemke) {
      EXPECT_GT(a.report.no_solution_within, 1e15);
    }
  }
  Solver solver;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {  // singular but for the last bits
    Dice dice(seed);
    const int n = 2 + dice.below(4);
    Square M = random_integer_psd(n, dice);
    for (double& x : M) x *= 1 + 0x1p-52 * (dice.below(5) - 2);
    std::vector<double> large(static_cast<std::size_t>(n));
    for (double& x : large) x = dice.chance(0.3) ? 0 : std::ldexp(1.0 + dice.below(3), 50 + dice.below(6));
    Problem planted = lcp(M, std::vector<double>(std::size_t(n)));
    bool exact = true;  // q = -M z, plus something where z = 0
    for (int i = 0; i < n; ++i) {
      ExactSum sum;
      for (int j = 0; j < n; ++j) sum.add_product(-entry(M, n, i, j), large[std::size_t(j)]);
      planted.q[std::size_t(i)] = sum.value() + (large[std::size_t(i)] == 0 ? dice.between(0, 1) : 0);
      sum.add(-planted.q[std::size_t(i)]);
      exact &= large[std::size_t(i)] == 0 || sum.sign() == 0;
    }
    if (!exact) continue;
    EXPECT_NE(solve(solver, planted).report.status, Status::unsolvable) << "seed " << seed;
    EXPECT_NE(solve(solver, planted, SolverId::lemke).report.status, Status::unsolvable) << "seed " << seed;
  }
}

// ---- the ends of the range ----

// One problem in other units: M times 2^a, q times 2^b, and z times 2^(b - a).
TEST(Solver, SolvesInAnyUnits) {
  Solver solver;
  for (const SolverId id : {SolverId::automatic, SolverId::lemke, SolverId::dantzig, SolverId::newton,
                            SolverId::interior_point, SolverId::gauss_seidel, SolverId::enumeration})
    for (const BlockKind kind : {BlockKind::free, BlockKind::nonnegative, BlockKind::box, BlockKind::cone})
      for (const int a : {-500, -300, 0, 300, 500})
        for (const int b : {-500, -300, 0, 300, 500}) {
          Problem p = one_block(kind);
          for (double& x : p.M.dense()) x = std::ldexp(x, a);
          for (double& x : p.q) x = std::ldexp(x, b);
          for (double& x : p.upper) x = std::ldexp(x, b - a);
          if (find_refusal(info(id), p)) continue;
          const Answer answer = solve(solver, p, id);
          EXPECT_TRUE(solves(p, answer)) << info(id).name << " " << to_string(kind) << " 2^" << a << " 2^" << b << " "
                                         << show(answer);
          EXPECT_NEAR(std::ldexp(answer.z[0], a - b), 0.5, 1e-9) << info(id).name << " 2^" << a << " 2^" << b;
          // those in its own units, if they fail, come on top of the usual ones
          EXPECT_GE(answer.report.iterations, solve(solver, one_block(kind), id).report.iterations)
              << info(id).name << " " << to_string(kind) << " 2^" << a << " 2^" << b;
        }
}

TEST(Solver, SaysWhatIsOutOfRange) {
  const Answer a = solve(lcp({1e-10}, {-1e308}));  // z = 1e318
  EXPECT_EQ(a.report.status, Status::not_solved) << show(a);
  EXPECT_EQ(a.report.stop, Stop::out_of_range) << show(a);
  EXPECT_TRUE(std::isfinite(a.z[0]));
  EXPECT_EQ(solve(lcp({0}, {-1e308})).report.status, Status::unsolvable);
  EXPECT_EQ(solve(lcp({0}, {-1e-250})).report.status, Status::unsolvable);
}

// Numbers of any exponent, denormal ones included, in every block and for every solver: no crash, and no wrong answer.
TEST(Solver, TakesNumbersOfAnySize) {
  Solver solver;
  ResidualWorkspace ws;
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(1 + dice.below(7), {.box = seed % 2 == 0, .cone = seed % 3 == 0}, dice);
    const int n = layout.size, far = 1 + dice.below(1070);
    const auto number = [&] {
      return std::ldexp(dice.near_zero(1), std::clamp(dice.below(2 * far) - far, -1074, 1020));
    };
    Square M = zero_square(n);
    for (double& x : M)
      if (dice.chance(0.7)) x = number();
    Problem p = problem_of(layout, Matrix::dense(n, std::move(M)), std::vector<double>(std::size_t(n)));
    for (double& x : p.q) x = number();
    for (const SolverInfo& s : solvers()) {
      if (find_refusal(s, p) || (s.id == SolverId::enumeration && n > 5)) continue;
      const int limit = s.id == SolverId::gauss_seidel || s.id == SolverId::proximal ? 30 : 0;
      const Answer a = solve(solver, p, s.id, {.max_iterations = limit});
      EXPECT_TRUE(std::ranges::all_of(a.z, [](double x) { return std::isfinite(x); })) << "seed " << seed << s.name;
      const bool within = residual(p, a.z, ws).within(tolerance);
      EXPECT_EQ(within, a.report.status == Status::solved) << "seed " << seed << " " << s.name << " " << show(a);
      solved += within;
    }
  }
  EXPECT_GE(solved, 100);
}

// Matrices of no class, with and without solutions, with and without a ray that proves that there is none. All are
// decided: enumeration refutes what no ray does.
TEST(Solver, UnsolvableAgreesWithEnumeration) {
  Solver solver;
  EnumerationWorkspace all;
  int by_ray = 0, by_enumeration = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    const int n = 1 + dice.below(5);
    Square M = zero_square(n);
    for (double& x : M) x = dice.below(5) - 2;
    const Problem p = lcp(std::move(M), tied_q(n, dice));
    const Answer a = solve(solver, p);
    std::vector<double> z(p.q.size());
    const Stop truth = enumeration(p, {}, all, z).stop;
    by_ray += a.report.proof == Proof::ray;
    by_enumeration += a.report.proof == Proof::enumeration;
    EXPECT_EQ(a.report.proof != Proof::none, a.report.status == Status::unsolvable) << "seed " << seed;
    EXPECT_NE(a.report.status, Status::not_solved) << "seed " << seed;
    if (a.report.status == Status::unsolvable) {
      EXPECT_EQ(truth, Stop::exhausted) << "seed " << seed;
    }
    if (a.report.status == Status::solved) {
      EXPECT_EQ(truth, Stop::finished) << "seed " << seed;
    }
  }
  EXPECT_GE(by_ray, 50);
  EXPECT_GE(by_enumeration, 10);
}

TEST(Solver, WhatHasASolutionIsNeverUnsolvable) {
  Solver solver;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(1 + dice.below(12), {.cone = seed % 3 == 0}, dice);
    const int n = layout.size;
    Square M = zero_square(n);  // of no class: solvers may fail, but must report it
    for (double& x : M) x = dice.chance(0.5) ? dice.below(5) - 2 : dice.near_zero(2);
    const Problem p = plant(layout, Matrix::dense(n, std::move(M)), 0.3, dice).problem;
    for (const SolverInfo& s : solvers()) {
      if (find_refusal(s, p) || (s.id == SolverId::enumeration && n > 5)) continue;
      const int limit = s.id == SolverId::gauss_seidel || s.id == SolverId::proximal ? 100 : 0;
      const Answer a = solve(solver, p, s.id, {.max_iterations = limit});
      EXPECT_TRUE(a.report.status == Status::solved || a.report.status == Status::not_solved)
          << "seed " << seed << " " << s.name << " " << show(a);
    }
  }
}

TEST(Solver, ContactsAreNeverUnsolvable) {
  Solver solver;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    const Problem conic = contact_problem(random_scene(dice), Matrix::Kind::dense);
    // Too few steps to solve any but the easiest: must not count as a proof.
    for (const int limit : {1, 5}) {
      for (const Problem& p : {conic, polyhedral(conic, 4).problem}) {
        const Answer a = solve(solver, p, SolverId::automatic, {.max_iterations = limit});
        EXPECT_NE(a.report.status, Status::unsolvable) << "seed " << seed << " " << show(a);
      }
    }
  }
}

// ---- the same bits ----

TEST(Solver, ReusedGivesTheSameBitsAsFresh) {
  Solver used;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Dice dice(seed);
    const ProblemLayout layout = random_layout(1 + dice.below(15), {.cone = dice.chance(0.5)}, dice);
    Square M = random_psd(layout.size, 1 + dice.below(layout.size), dice);
    constexpr std::array kinds{Matrix::Kind::dense, Matrix::Kind::block_sparse, Matrix::Kind::factored};
    const Matrix::Kind kind = kinds[dice.below(3)];
    const std::array problems{contact_problem(random_scene(dice), kind),
                              contact_problem(separate_boxes_scene(1 + dice.below(10), seed), kind),
                              plant(layout, Matrix::dense(layout.size, std::move(M)), 0.2, dice).problem};
    const Problem& p = problems[dice.below(3)];
    for (const SolverInfo& s : solvers()) {
      if (find_refusal(s, p) || (s.id == SolverId::enumeration && p.size() > 5)) continue;
      const SolverOptions options{.max_iterations =
                                      s.id == SolverId::gauss_seidel || s.id == SolverId::proximal ? 30 : 0};
      const Answer a = solve(used, p, s.id, options), b = solve(p, s.id, options);
      EXPECT_EQ(a.z, b.z) << "seed " << seed << " " << s.name;
      EXPECT_EQ(a.report.status, b.report.status) << "seed " << seed << " " << s.name;
      EXPECT_EQ(a.report.iterations, b.report.iterations) << "seed " << seed << " " << s.name;
      EXPECT_EQ(a.report.tries, b.report.tries) << "seed " << seed << " " << s.name;
    }
  }
}

TEST(Solver, MovesWithItsWorkspaces) {
  const Problem p = stack_of_boxes(2, 1);
  Solver a;
  const Answer before = solve(a, p);
  Solver b = std::move(a);
  EXPECT_EQ(solve(b, p).z, before.z);
}

}  // namespace
}  // namespace linchpin
