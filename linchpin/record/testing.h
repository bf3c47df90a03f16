// Helpers of this room's tests: runs to record, and their comparison.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "linchpin/model/scenes.h"
#include "linchpin/record/recording.h"
#include "linchpin/record/recording_writer.h"

namespace linchpin {

// A name in the folder for temporary files; the file is removed at the end.
struct TestFile {
  std::filesystem::path path;
  TestFile() {
    static int count = 0;
    path = std::filesystem::temp_directory_path() /
           ("linchpin_record_" + std::to_string(getpid()) + "_" + std::to_string(count++) + ".h5");
  }
  ~TestFile() { std::filesystem::remove(path); }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
};

inline Recording opened(const std::filesystem::path& file) { return Recording::open(file).value(); }

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

// Runs `work` in a thread for which a system call, with this second argument if one is given, fails with this error.
// False if the system has no filters of system calls (seccomp).
inline bool with_failing_calls(long call, std::optional<int> argument, int error, const std::function<void()>& work) {
  bool filtered = false;
  std::thread([&] {
    const unsigned which = argument ? unsigned(*argument) : 0;
    const unsigned otherwise = argument ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | unsigned(error);
    sock_filter steps[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, unsigned(call), 0, 4),
                           BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[1])),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, which, 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | unsigned(error)),
                           BPF_STMT(BPF_RET | BPF_K, otherwise),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{std::size(steps), steps};
    filtered = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
    if (filtered) work();
  }).join();
  return filtered;
}

// These do not compile if a struct has other fields than here: bits_of() below must have all of them.
inline void check_fields_of(const Snapshot& s, const RowMemory& m, const ContactReport& k) {
  [[maybe_unused]] const auto& [step, state, energy, report, certificate, contacts, reactions] = s;
  [[maybe_unused]] const auto& [time, q, v, substep, memory, fresh, loose_steps, vdot, still] = state;
  [[maybe_unused]] const auto& [key, force, approach] = m;
  [[maybe_unused]] const auto& [kinetic, gravity, springs] = energy;
  [[maybe_unused]] const auto& [r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15, r16, r17, r18, r19,
                                r20, r21, r22, r23, r24, r25, r26, r27, r28, r29, r30, r31, r32, r33, r34,
                                r35, r36, r37] = report;
  [[maybe_unused]] const auto& [k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12] = k;
}

// Every number of a snapshot, as bits, so that NaN and -0 are compared too.
inline std::vector<std::uint64_t> bits_of(const Snapshot& s) {
  std::vector<std::uint64_t> bits;
  const auto real = [&](double x) { bits.push_back(std::bit_cast<std::uint64_t>(x)); };
  const auto whole = [&](long long x) { bits.push_back(std::uint64_t(x)); };
  const auto vec = [&](const Vec3<double>& x) { real(x.x), real(x.y), real(x.z); };
  const State& state = s.state;
  whole(s.step), real(state.time), real(state.substep), whole(state.fresh), whole(state.loose_steps);
  for (const double x : state.q) real(x);
  for (const double x : state.v) real(x);
  whole((long long)(state.memory.size()));
  for (const RowMemory& m : state.memory) {
    for (const std::uint32_t k : m.key) whole(k);
    for (const double f : m.force) real(f);
    for (const double u : m.approach) real(u);
  }
  whole((long long)(state.vdot.size()));
  for (const double x : state.vdot) real(x);
  whole((long long)(state.still.size()));
  for (const double x : state.still) real(x);
  real(s.energy.kinetic), real(s.energy.gravity), real(s.energy.springs);
  const StepReport& r = s.report;
  for (const int x :
       {int(r.status), r.body, r.evaluations, r.substeps, r.rejected, r.constraint, r.contacts, r.problems,
        r.iterations, r.loose, r.halved, r.declared_fallbacks, r.impacts, r.unsplit, r.asleep, r.painleve,
        r.events, r.ambiguous, r.handed_over})
    whole(x);
  for (const double x : {r.work, r.dissipated, r.unresolved, r.loop_error, r.loop_speed, r.projected, r.residual,
                         r.cone_violation, r.penetration, r.overrun, r.impact_loss, r.contact_loss, r.least_release,
                         r.restituted, r.restitution_gain, r.pushed_out, r.friction_gain})
    real(x);
  const Certificate& c = s.certificate;
  for (const long x : {long(c.finite), long(c.status), long(c.body), c.steps, c.evaluations, c.substeps, c.rejected,
                       long(c.constraint), long(c.most_contacts), c.problems, c.loose, c.halved, c.iterations,
                       c.declared_fallbacks, c.impacts, c.unsplit, c.painleve, c.events, c.ambiguous, c.handed_over})
    whole(x);
  for (const double x : {c.loop_error, c.loop_speed, c.residual, c.cone_violation, c.penetration, c.overrun,
                         c.impact_loss, c.contact_loss, c.least_release, c.restituted, c.restitution_gain, c.pushed_out,
                         c.friction_gain, c.limits.energy, c.limits.projection, c.limits.penetration, c.limits.overrun})
    real(x);
  const EnergyBalance& e = c.energy;
  for (const double x : {e.start, e.stored, e.work, e.dissipated, e.lost, e.projected, e.created, e.largest_defect,
                         e.largest_projection, e.exchanged, e.unresolved})
    real(x);
  whole((long long)(s.contacts.size()));
  for (const ContactReport& k : s.contacts) {
    for (const int x : {k.shape_a, k.shape_b, k.body_a, k.body_b, int(k.state)}) whole(x);
    vec(k.point), vec(k.normal), vec(k.force);
    for (const double x : {k.gap, k.normal_force, k.friction, k.mu}) real(x);
  }
  for (const double x : s.reactions) real(x);
  return bits;
}

// A run of a scene, recorded as by `simulate`.
struct TestRun {
  struct How {
    long long steps = 100, every = 1;
    double dt = 1e-3;
    SimulationOptions options = {};
  };
  ModelSpec spec;
  Model model;
  RunSettings settings;
  long long steps;

  TestRun(const std::string& name, const How& how)
      : spec(scene(name).value()), model(compile(spec).value()), steps(how.steps) {
    settings.source = name;
    settings.simulation = how.options;
    settings.simulation.dt = how.dt;
    if (!settings.simulation.stepper) settings.simulation.stepper = default_stepper(model);
    settings.time = double(how.steps) * how.dt;
    settings.every = how.every;
  }

  // Returns the recorded snapshots.
  std::vector<Snapshot> record(const std::filesystem::path& file, RunEnd end = RunEnd::done) const;
};

// Runs step by step.
class Stepping {
 public:
  explicit Stepping(const TestRun& run)
      : run_(run),
        simulation_(run.model, run.settings.simulation),
        monitor_(run.model, run.settings.limits),
        take_(run.model),
        state_(make_state(run.model)) {
    monitor_.start(state_);
  }
  // Continues from the last frame of a recording.
  void continue_from(const std::filesystem::path& file) {
    const Recording recording = Recording::open(file).value();
    Snapshot start, last;
    check(!recording.read(0, start) && !recording.read(recording.frames() - 1, last), "reading");
    last.certificate.reason = "";
    monitor_.resume(start.energy, last.certificate);
    state_ = last.state;
    step_ = last.step;
  }
  RecordingWriter writer(const std::filesystem::path& file, bool append = false) const {
    Result<RecordingWriter> made = append ? RecordingWriter::append(file, run_.model, run_.settings)
                                          : RecordingWriter::create(file, run_.spec, run_.model, run_.settings);
    check(made.ok(), made.ok() ? "" : made.error().message);
    return std::move(made).value();
  }
  const Snapshot& take() { return take_(step_, state_, simulation_, report_, monitor_.certificate()); }
  const Snapshot& next(int steps = 1) {
    for (int i = 0; i < steps; ++i) advance();
    return take();
  }
  void advance() {
    report_ = simulation_.step(state_);
    monitor_.add(state_, report_);
    if (report_.ok()) ++step_;
  }
  bool ok() const { return report_.ok(); }
  long long step() const { return step_; }

 private:
  const TestRun& run_;
  Simulation simulation_;
  RunMonitor monitor_;
  SnapshotTaker take_;
  State state_;
  StepReport report_;
  long long step_ = 0;
};

inline std::vector<Snapshot> TestRun::record(const std::filesystem::path& file, RunEnd end) const {
  Stepping stepping(*this);
  RecordingWriter writer = stepping.writer(file);
  std::vector<Snapshot> kept;
  const auto add = [&] {
    kept.push_back(stepping.take());
    const std::optional<Error> fault = writer.add(kept.back(), settings.simulation.dt);
    check(!fault, fault ? fault->message : "");
  };
  add();
  for (long long step = 1; step <= steps && stepping.ok(); ++step) {
    stepping.advance();
    if (step % settings.every == 0 || step == steps || !stepping.ok()) add();
  }
  if (end != RunEnd::unfinished) {
    const std::optional<Error> fault = writer.finish(end);
    check(!fault, fault ? fault->message : "");
  }
  return kept;
}

}  // namespace linchpin
