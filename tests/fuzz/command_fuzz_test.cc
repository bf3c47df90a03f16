// Command lines of the linchpin command: one argument per line of the input. Each is run as a program in a folder of
// its own. The exit status must be one of the documented ones, and after Ctrl-C the program must end.
#include <cctype>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/fuzz/fuzz.h"

namespace linchpin {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> arguments_of(const std::string& input) {
  std::vector<std::string> arguments;
  std::istringstream lines(input);
  for (std::string line; std::getline(lines, line);) {
    // No argument may hold a NUL, and none may name a file outside the folder.
    for (char& c : line)
      if (c == '\0' || c == '/') c = '_';
    arguments.push_back(line == ".." ? "." : line);
  }
  return arguments;
}

struct Ended {
  int status = 0;  // of waitpid()
  bool interrupted = false;
};

// Runs for two seconds at most, then as after Ctrl-C.
Ended run(std::vector<std::string> arguments, const std::filesystem::path& folder) {
  arguments.insert(arguments.begin(), LINCHPIN_COMMAND);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const pid_t child = fork();
  promise(child >= 0, "fork() failed");
  if (child == 0) {
    const rlimit memory{rlim_t(3) << 30, rlim_t(3) << 30}, file{rlim_t(1) << 28, rlim_t(1) << 28};
    const int out = open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int in = open("/dev/null", O_RDONLY);
    if (setrlimit(RLIMIT_AS, &memory) || setrlimit(RLIMIT_FSIZE, &file) || chdir(folder.c_str()) || out < 0 || in < 0 ||
        dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
      _exit(120);
    execv(words[0], words.data());
    _exit(121);
  }
  Ended ended;
  const auto start = std::chrono::steady_clock::now();
  for (auto pause = 1ms; waitpid(child, &ended.status, WNOHANG) == 0; pause = std::min(2 * pause, 50ms)) {
    const auto taken = std::chrono::steady_clock::now() - start;
    if (taken > 2s && !ended.interrupted) {
      kill(child, SIGINT);
      ended.interrupted = true;
    }
    if (taken > 60s) {
      kill(child, SIGKILL);
      waitpid(child, &ended.status, 0);
      throw FuzzFault("the command does not end after Ctrl-C");
    }
    std::this_thread::sleep_for(pause);
  }
  return ended;
}

// True if `nan` stands in the text as a word.
bool has_nan(const std::string& text) {
  const auto letter = [&](std::size_t i) { return i < text.size() && std::isalnum((unsigned char)(text[i])); };
  for (std::size_t at = text.find("nan"); at != std::string::npos; at = text.find("nan", at + 1))
    if (!letter(at + 3) && (at == 0 || !letter(at - 1))) return true;
  return false;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Fuzz, CommandLine) {
  const auto folder = std::filesystem::temp_directory_path() / ("linchpin_fuzz_command_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  for (const auto& entry : std::filesystem::directory_iterator(LINCHPIN_SOURCE "/models/problems"))
    std::filesystem::copy(entry.path(), folder / entry.path().filename());
  run({"simulate", "@bounce", "--time", "0.01", "--record", "run.h5"}, folder);
  run({"inspect", "@pendulum:links=2", "--write-model", "model.json"}, folder);

  FuzzTarget target{.name = "command line", .seeds = {}, .words = {}, .inputs = 100};
  target.seeds = {
      "simulate\n@pendulum:links=3\n--time\n0.01\n--json\n-\n",
      "simulate\n@stack:boxes=2\n--time\n0.01\n--dt\n0.002\n--method\nos\n--solver\nnewton\n--csv\nrows.csv\n",
      "simulate\n@bounce\n--time\n0.01\n--restitution\nnewton\n--tolerance\n1e-10\n--picture\n-\n",
      "simulate\n@double_pendulum\n--time\n0.02\n--stepper\nrk4\n--seed\n3\n--energy-tolerance\n1e-6\n",
      "simulate\nmodel.json\n--time\n0.01\n--record\nnew.h5\n--every\n2\n--quiet\n",
      "simulate\n--verify\nrun.h5\n",
      "inspect\n@humanoid\n--all\n--json\n-\n",
      "inspect\n--scenes\n",
      "inspect\nrun.h5\n--csv\nframes.csv\n",
      "solve\nsliding_block.fc3d.txt\npendulum_limit.lcp.txt\n--solver\nall\n--tolerance\n1e-9\n",
      "solve\ndiode_bridge.mlcp.txt\n--max-iterations\n50\n--json\n-\n",
      "view\nrun.h5\n--export\npage.html\n",
      "help\nsimulate\n",
  };
  target.words = {"--time",   "--dt",     "--seed",     "--position", "--velocity", "--sleep", "--directions",
                  "--resume", "--record", "--solution", "--help",     "--version",  "--json",  "--quiet",
                  "newton",   "lemke",    "auto",       "poisson",    "rk4",        "links",   "boxes",
                  "@chain",   "@top",     "@four_bar",  "run.h5",     "simulate",   "inspect", "solve"};
  target.read = [&](const std::string& input) {
    const std::vector<std::string> arguments = arguments_of(input);
    if (arguments.empty()) return false;  // the first run, which takes seconds
    const Ended ended = run(arguments, folder);
    if (ended.interrupted) return true;
    promise(WIFEXITED(ended.status), "ended by a signal: " + text_of(folder / "out").substr(0, 2000));
    const int status = WEXITSTATUS(ended.status);
    promise(status >= 0 && status <= 2, "exit status " + std::to_string(status));
    const std::string said = text_of(folder / "out");
    promise(said.find("internal error") == std::string::npos, "an internal error: " + said.substr(0, 2000));
    if (status == 0) promise(!has_nan(said), "success with NaN in its output: " + said.substr(0, 2000));
    return status < 2;
  };
  fuzz(target);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace linchpin
