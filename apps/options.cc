#include "apps/options.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/command.h"

namespace linchpin {
namespace {

std::vector<std::string> verbs_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* verb : command.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

void refuse_unknown_verb(const CLI::App& command, const std::string& word) {
  const std::vector<std::string> verbs = verbs_of(command);
  if (word.starts_with('-') || std::find(verbs.begin(), verbs.end(), word) != verbs.end()) return;
  throw UsageError(fmt::format("there is no verb '{}'; there are: {}, help", word, fmt::join(verbs, ", ")));
}

}  // namespace

// ---- Option ---------------------------------------------------------------------------------------------------------

Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}
Option Option::required() {
  option_->required();
  return *this;
}
Option Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}
Option Option::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}
Option Option::value_if_bare(const std::string& v) {
  option_->expected(0, 1)->default_str(v);
  return *this;
}
bool Option::given() const { return option_->count() > 0; }

// ---- Verb -----------------------------------------------------------------------------------------------------------

Option Verb::add_option(const std::string& name, std::string& value, const std::string& text) {
  return Option(verb_->add_option(name, value, text));
}
Option Verb::add_option(const std::string& name, std::vector<std::string>& values, const std::string& text) {
  return Option(verb_->add_option(name, values, text));
}
Option Verb::add_flag(const std::string& name, bool& value, const std::string& text) {
  return Option(verb_->add_flag(name, value, text));
}
void Verb::footer(const std::string& text) { verb_->footer(text); }
void Verb::on_call(std::function<int()> run) {
  verb_->callback([run = std::move(run), status = status_] { *status = run(); });
}
std::vector<std::string> Verb::given_options() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : std::as_const(*verb_).get_options())
    if (option->count() > 0) names.push_back(option->get_name());
  return names;
}

// ---- Command --------------------------------------------------------------------------------------------------------

Command::Command(const std::string& description, const std::string& footer)
    : command_(std::make_unique<CLI::App>(description, "linchpin")), status_(exit_done) {
  command_->set_version_flag("--version", "linchpin " LINCHPIN_VERSION, "Print the version");
  command_->set_help_flag("-h,--help", "Print this text");
  command_->footer(footer);
  command_->require_subcommand(0, 1);
  command_->get_formatter()->column_width(34);
}
Command::~Command() = default;

Verb Command::add_verb(const std::string& name, const std::string& summary) {
  CLI::App* const verb = command_->add_subcommand(name, summary);
  verb->set_help_flag("-h,--help", "Print this text");
  return Verb(verb, &status_);
}

int Command::run(std::vector<std::string> arguments) {
  if (!arguments.empty()) refuse_unknown_verb(*command_, arguments.front());
  try {
    std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 takes
    command_->parse(arguments);
  } catch (const CLI::Success& asked) {  // --help, --version
    return command_->exit(asked);
  } catch (const CLI::ParseError& fault) {
    const std::vector<CLI::App*> verbs = command_->get_subcommands();
    const std::string verb = verbs.empty() ? "" : verbs.front()->get_name() + " ";
    throw UsageError(fmt::format("{} (see linchpin {}--help)", fault.what(), verb));
  }
  return status_;
}

}  // namespace linchpin
