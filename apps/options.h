// The command line: verbs, each with its options. CLI11, which takes seconds to compile, is included by options.cc
// alone.
//
//     Command command("linchpin simulates ...", "Examples: ...");
//     Verb verb = command.add_verb("bench", "Time linchpin ...");
//     verb.add_option("--json", request->json, "Write the rows to FILE").type_name("FILE");
//     verb.on_call([request] { return run(*request); });
//     return command.run({"bench", "--json", "-"});
//
// A name without dashes ("MODEL") is a positional argument. Values are kept as typed; command.h turns them into
// numbers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace linchpin {

// One option of a verb. A copy refers to the same option.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option type_name(const std::string& name);   // the name of the value in the help text
  Option required();                           // it is an error to leave it out
  Option needs(const Option& other);           // it is an error without the other one
  Option one_value_each();                     // of a list: --name takes one value each time it is given
  Option value_if_bare(const std::string& v);  // the value may be left out, and is then v
  bool given() const;

 private:
  CLI::Option* option_;
};

// One verb of the command. A copy refers to the same verb.
class Verb {
 public:
  // `status` receives the result of the function of on_call(); it must outlive the verb.
  Verb(CLI::App* verb, int* status) : verb_(verb), status_(status) {}
  Option add_option(const std::string& name, std::string& value, const std::string& text);
  Option add_option(const std::string& name, std::vector<std::string>& values, const std::string& text);
  Option add_flag(const std::string& name, bool& value, const std::string& text);
  void footer(const std::string& text);
  void on_call(std::function<int()> run);          // returns the exit status
  std::vector<std::string> given_options() const;  // names of the options on the command line

 private:
  CLI::App* verb_;
  int* status_;
};

class Command {
 public:
  Command(const std::string& description, const std::string& footer);
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Verb add_verb(const std::string& name, const std::string& summary);
  // Runs the verb that is named first and returns its exit status, or prints help or version. Throws a UsageError for
  // anything that it does not know.
  int run(std::vector<std::string> arguments);

 private:
  std::unique_ptr<CLI::App> command_;
  int status_ = 0;
};

}  // namespace linchpin
