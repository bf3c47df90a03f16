#include "bench/peers/siconos.h"

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace linchpin {
namespace {

// Sends descriptor `from` to where `to` goes; `to` is closed.
void redirect(int to, int from) {
  if (to < 0) return;
  dup2(to, from);
  close(to);
}

}  // namespace

SiconosSilence::SiconosSilence() {
  std::fflush(stdout);
  std::fflush(stderr);
  out_ = dup(STDOUT_FILENO);
  error_ = dup(STDERR_FILENO);
  redirect(open("/dev/null", O_WRONLY), STDOUT_FILENO);
  redirect(open("/dev/null", O_WRONLY), STDERR_FILENO);
}

SiconosSilence::~SiconosSilence() {
  std::fflush(stdout);
  std::fflush(stderr);
  redirect(out_, STDOUT_FILENO);
  redirect(error_, STDERR_FILENO);
}

}  // namespace linchpin

#ifdef LINCHPIN_HAVE_SICONOS

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <MLCP_Solvers.h>
#include <MixedLinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <lcp_cst.h>
#include <mlcp_cst.h>
#include <sn_error_handling.h>

namespace linchpin {
namespace {

enum class Family { none, fc3d, lcp, mlcp };

Family family_of(const Problem& problem) {
  bool cone = false, nonnegative = false, free = false;
  for (const Block& block : problem.blocks) {
    if (block.kind == BlockKind::box) return Family::none;
    cone |= block.kind == BlockKind::cone;
    nonnegative |= block.kind == BlockKind::nonnegative;
    free |= block.kind == BlockKind::free;
  }
  if (problem.blocks.empty() || (cone && (nonnegative || free))) return Family::none;
  return cone ? Family::fc3d : free ? Family::mlcp : Family::lcp;
}

struct Known {
  const char* name;
  Family family;
  int id;
};
constexpr Known known_solvers[] = {
    {"NSGS", Family::fc3d, SICONOS_FRICTION_3D_NSGS},    {"NSN_AC", Family::fc3d, SICONOS_FRICTION_3D_NSN_AC},
    {"ADMM", Family::fc3d, SICONOS_FRICTION_3D_ADMM},    {"LEMKE", Family::lcp, SICONOS_LCP_LEMKE},
    {"PIVOT", Family::lcp, SICONOS_LCP_PIVOT},           {"NEWTON_FB", Family::lcp, SICONOS_LCP_NEWTON_FB_FBLSA},
    {"LCP_LEMKE", Family::mlcp, SICONOS_MLCP_LCP_LEMKE},
};

// Its BLAS takes all cores there are unless told otherwise; we compare one core with one core.
void use_one_thread() {
  using Set = void (*)(int);
  if (const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(1);
}

// Its clean-up calls free().
template <class T>
T* allocate(std::size_t count) {
  T* const memory = static_cast<T*>(std::calloc(count ? count : 1, sizeof(T)));
  check(memory != nullptr, "no memory for ", count, " numbers");
  return memory;
}

double* copy_of(const double* from, std::size_t count) {
  double* const to = allocate<double>(count);
  if (count) std::memcpy(to, from, count * sizeof(double));
  return to;
}

// Column by column. Rows and columns in this order, or as they are.
NumericsMatrix* dense_matrix(const Matrix& M, const std::vector<std::size_t>& order = {}) {
  const std::size_t n = std::size_t(M.size());
  std::vector<double> rows(n * n);
  M.to_dense(rows.data(), int(n));
  double* const columns = allocate<double>(n * n);
  const auto from = [&](std::size_t i) { return order.empty() ? i : order[i]; };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) columns[j * n + i] = rows[from(i) * n + from(j)];
  return NM_create_from_data(NM_DENSE, int(n), int(n), columns);
}

// Some rows and columns of a dense matrix.
double* part(const NumericsMatrix* M, std::size_t row, std::size_t rows, std::size_t column, std::size_t columns) {
  double* const out = allocate<double>(rows * columns);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < rows; ++i)
      out[j * rows + i] = M->matrix0[(column + j) * std::size_t(M->size0) + row + i];
  return out;
}

std::size_t free_rows(const Problem& problem) {
  std::size_t count = 0;
  for (const Block& block : problem.blocks) count += block.kind == BlockKind::free ? std::size_t(block.size) : 0;
  return count;
}
std::vector<std::size_t> free_rows_first(const Problem& problem) {
  std::vector<std::size_t> order;
  for (const bool free : {true, false})
    for (const Block& block : problem.blocks)
      if ((block.kind == BlockKind::free) == free)
        for (int k = 0; k < block.size; ++k) order.push_back(std::size_t(block.start + k));
  return order;
}

// 3 x 3 blocks. Every row must have its diagonal block.
NumericsMatrix* block_matrix(const Matrix& M) {
  const int n = M.size(), count = n / 3;
  std::vector<int> start;
  for (int i = 0; i <= n; i += 3) start.push_back(i);
  const BlockSparse blocks = M.formed(start);
  SparseBlockStructuredMatrix* const sbm = SBM_new();
  const std::size_t most = blocks.column.size() + std::size_t(count);
  sbm->blocknumber0 = sbm->blocknumber1 = static_cast<unsigned>(count);
  sbm->blocksize0 = allocate<unsigned>(std::size_t(count));
  sbm->blocksize1 = allocate<unsigned>(std::size_t(count));
  sbm->index1_data = allocate<std::size_t>(std::size_t(count) + 1);
  sbm->index2_data = allocate<std::size_t>(most);
  sbm->block = allocate<double*>(most);
  std::size_t filled = 0;
  for (int i = 0; i < count; ++i) {
    sbm->blocksize0[i] = sbm->blocksize1[i] = unsigned(3 * (i + 1));
    const auto add = [&](int column, const double* rows) {
      double* const values = allocate<double>(9);
      for (int r = 0; rows && r < 3; ++r)
        for (int c = 0; c < 3; ++c) values[3 * c + r] = rows[3 * r + c];
      sbm->index2_data[filled] = std::size_t(column);
      sbm->block[filled++] = values;
    };
    bool diagonal = false;
    for (int e = blocks.first[i]; e < blocks.first[i + 1]; ++e) {
      const int column = blocks.column[e];
      if (column > i && !diagonal) add(i, nullptr);
      diagonal |= column >= i;
      add(column, &blocks.values[blocks.value_start[e]]);
    }
    if (!diagonal) add(i, nullptr);
    sbm->index1_data[i + 1] = filled;
  }
  sbm->nbblocks = unsigned(filled);
  sbm->filled1 = std::size_t(count) + 1;
  sbm->filled2 = filled;
  return NM_new_SBM(n, n, sbm);
}

}  // namespace

struct SiconosSolver::Data {
  Family family = Family::none;
  int id = 0;
  SolverOptions* options = nullptr;
  FrictionContactProblem* fc3d = nullptr;
  LinearComplementarityProblem* lcp = nullptr;
  MixedLinearComplementarityProblem* mlcp = nullptr;
  std::vector<double> w, permuted;
  std::vector<std::size_t> order;  // mlcp: the problem's row for each of its rows

  // Frees the options first: some solvers keep in them what points into the problem.
  ~Data() {
    if (options) solver_options_delete(options);
    std::free(options);
    if (fc3d) frictionContactProblem_free(fc3d);
    if (lcp) freeLinearComplementarityProblem(lcp);
    if (mlcp) mixedLinearComplementarity_free(mlcp);
  }

  int call(double* z) {
    switch (family) {
      case Family::fc3d:
        return fc3d_driver(fc3d, z, w.data(), options);
      case Family::lcp:
        return linearComplementarity_driver(lcp, z, w.data(), options);
      case Family::mlcp:
        return mlcp_driver(mlcp, z, w.data(), options);
      case Family::none:
        break;
    }
    return 1;
  }

  // What it calls a fatal error jumps back here instead of ending the process. No destructor is jumped over.
  int guarded_call(double* z) {
    if (SN_SETJMP_EXTERNAL_START != 0) return -1;
    const int info = call(z);
    SN_SETJMP_EXTERNAL_STOP
    return info;
  }
};

bool siconos_installed() { return true; }
std::string siconos_version() {
#ifdef LINCHPIN_SICONOS_VERSION
  return LINCHPIN_SICONOS_VERSION;
#else
  return "of unknown version";
#endif
}

std::vector<std::string> siconos_solvers(const Problem& problem) {
  std::vector<std::string> names;
  const Family family = family_of(problem);
  for (const Known& known : known_solvers)
    if (family != Family::none && known.family == family) names.emplace_back(known.name);
  return names;
}

SiconosSolver::SiconosSolver(const Problem& problem, const std::string& solver, SiconosStorage storage)
    : data_(std::make_unique<Data>()) {
  data_->family = family_of(problem);
  const Known* chosen = nullptr;
  for (const Known& known : known_solvers)
    if (known.family == data_->family && known.name == solver) chosen = &known;
  check(chosen != nullptr, "Siconos has no solver ", solver, " for this problem");
  check(storage == SiconosStorage::dense || data_->family == Family::fc3d, "sparse blocks are for cones only");
  use_one_thread();
  numerics_set_verbose(0);

  const std::size_t n = std::size_t(problem.size());
  double* const q = copy_of(problem.q.data(), n);
  data_->w.resize(n);
  data_->permuted.resize(n);
  data_->id = chosen->id;
  data_->options = solver_options_create(chosen->id);
  switch (data_->family) {
    case Family::fc3d: {
      double* const mu = allocate<double>(problem.blocks.size());
      for (std::size_t i = 0; i < problem.blocks.size(); ++i) mu[i] = problem.blocks[i].mu;
      NumericsMatrix* const M = storage == SiconosStorage::dense ? dense_matrix(problem.M) : block_matrix(problem.M);
      data_->fc3d = frictionContactProblem_new_with_data(3, int(problem.blocks.size()), M, q, mu);
      break;
    }
    case Family::lcp:
      data_->lcp = newLCP();
      data_->lcp->size = int(n);
      data_->lcp->M = dense_matrix(problem.M);
      data_->lcp->q = q;
      break;
    case Family::mlcp: {
      MixedLinearComplementarityProblem* const p = data_->mlcp = mixedLinearComplementarity_new();
      data_->order = free_rows_first(problem);
      const std::size_t free = free_rows(problem), pairs = n - free;
      p->n = int(free);
      p->m = int(pairs);
      p->blocksRows = allocate<int>(3);
      p->blocksRows[1] = p->n;
      p->blocksRows[2] = p->n + p->m;
      p->blocksIsComp = allocate<int>(2);
      p->blocksIsComp[1] = 1;
      // Given whole and in parts: its own cutting into parts writes past the end of what it allocates (4.4.0).
      p->isStorageType1 = p->isStorageType2 = 1;
      p->M = dense_matrix(problem.M, data_->order);
      p->q = q;
      for (std::size_t i = 0; i < n; ++i) q[i] = problem.q[data_->order[i]];
      p->A = part(p->M, 0, free, 0, free);
      p->C = part(p->M, 0, free, free, pairs);
      p->D = part(p->M, free, pairs, 0, free);
      p->B = part(p->M, free, pairs, free, pairs);
      p->a = copy_of(q, free);
      p->b = copy_of(q + free, pairs);
      mlcp_driver_init(p, data_->options);
      break;
    }
    case Family::none:
      break;
  }
}

SiconosSolver::~SiconosSolver() = default;
SiconosSolver::SiconosSolver(SiconosSolver&&) noexcept = default;
SiconosSolver& SiconosSolver::operator=(SiconosSolver&&) noexcept = default;

SiconosOutcome SiconosSolver::solve(double tolerance, int max_iterations, std::span<double> z) {
  Data& d = *data_;
  check(z.size() == d.w.size(), "z has ", z.size(), " numbers, the problem needs ", d.w.size());
  std::memset(z.data(), 0, z.size() * sizeof(double));
  std::memset(d.w.data(), 0, d.w.size() * sizeof(double));
  d.options->solverId = d.id;  // LCP_LEMKE, when it fails, leaves another one there and then ends the process
  d.options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  d.options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iterations;
  const int info = d.guarded_call(z.data());
  if (!d.order.empty()) {
    std::memcpy(d.permuted.data(), z.data(), z.size() * sizeof(double));
    for (std::size_t i = 0; i < z.size(); ++i) z[d.order[i]] = d.permuted[i];
  }
  const int iterations = d.options->iparam[SICONOS_IPARAM_ITER_DONE];
  return {.finished = info == 0, .limit = info != 0 && iterations >= max_iterations, .iterations = iterations};
}

}  // namespace linchpin

#else

namespace linchpin {

struct SiconosSolver::Data {};
bool siconos_installed() { return false; }
std::string siconos_version() { return {}; }
std::vector<std::string> siconos_solvers(const Problem&) { return {}; }
SiconosSolver::SiconosSolver(const Problem&, const std::string& solver, SiconosStorage) {
  fail_check("built without Siconos, so there is no ", solver);
}
SiconosSolver::~SiconosSolver() = default;
SiconosSolver::SiconosSolver(SiconosSolver&&) noexcept = default;
SiconosSolver& SiconosSolver::operator=(SiconosSolver&&) noexcept = default;
SiconosOutcome SiconosSolver::solve(double, int, std::span<double>) { return {}; }

}  // namespace linchpin

#endif
