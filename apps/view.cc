// linchpin view: a live run or a recording in the browser, or one file to keep.
#include <chrono>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/command.h"
#include "apps/model_argument.h"
#include "apps/page_argument.h"
#include "apps/simulate.h"
#include "linchpin/record/live_run.h"
#include "linchpin/record/live_server.h"

namespace linchpin {
namespace {

constexpr const char* usual_port = "8770";

// As typed.
struct ViewRequest {
  SimulateRequest simulate;
  std::string port = usual_port, host = "127.0.0.1";
};

std::unique_ptr<LiveServer> serve(const ViewRequest& request, ServedContent content) {
  content.page = page_or_refuse();
  ServerOptions options;
  options.host = request.host;
  options.port = int(whole_number_from("--port", request.port, 0, 65535));
  auto server = LiveServer::start(std::move(content), options);
  if (!server)
    throw UsageError(fmt::format("{} (--port N for another one, --port 0 for any that is free; --host ADDRESS)",
                                 server.error().message));
  return std::move(server).value();
}

void say_where(const LiveServer& server, const std::string& what) {
  fmt::print("{}: open {} in a browser; Ctrl-C ends it\n", what, server.address());
  std::fflush(stdout);
}

int view_live(const ViewRequest& request) {
  const RunRequest& run_request = request.simulate.run;
  const ModelArgument argument = model_from(run_request.model);
  const Model& model = argument.model;
  SimulationOptions options = simulation_options_of(run_request, model);
  LiveRun run(model, options, start_of(run_request, model), limits_of(run_request));
  const auto server = serve(request, {.page = {},
                                      .scene = scene_json(model, options, argument.text),
                                      .bodies = int(model.bodies().size()),
                                      .recording = {}});
  say_where(*server, argument.text);
  std::vector<ViewerCommand> commands;
  while (!interrupted()) {
    server->take(commands);
    const LiveRun::Turn turn = run.turn(commands, server->viewers() > 0);
    if (!turn.frame.empty()) server->publish_frame(turn.frame);
    if (!turn.status.empty()) server->publish_status(turn.status);
    server->wait(std::chrono::duration<double>(turn.idle));
  }
  return exit_done;
}

int view(const ViewRequest& request) {
  if (request.simulate.page.empty()) return view_live(request);
  const int status = simulate(request.simulate);
  if (!request.simulate.quiet && request.simulate.page != "-")
    fmt::print("\nwritten to {}: open it in a browser, it needs nothing else\n", request.simulate.page);
  return status;
}

}  // namespace

void add_view(CLI::App& command, int& status) {
  auto request = std::make_shared<ViewRequest>();
  RunRequest& run = request->simulate.run;
  CLI::App* verb = command.add_subcommand("view", "Look at a live run in the browser, and push it about");
  verb->add_option("MODEL", run.model, "A built-in scene, such as @stack")->required()->type_name("");
  verb->add_option("--port", request->port, fmt::format("Port to serve at; 0: any that is free ({})", usual_port))
      ->type_name("N");
  verb->add_option("--host", request->host,
                   "Address to listen at; any but the loopback's makes a token part of the page's address (127.0.0.1)")
      ->type_name("ADDRESS");
  verb->add_option("--export", request->simulate.page,
                   "Simulate, and write one HTML file that shows the run without a server or a network")
      ->type_name("FILE");
  CLI::Option* time = verb->add_option("--time", run.time, "With --export: how long to simulate, s (5)")
                          ->type_name("SECONDS");
  CLI::Option* quiet = verb->add_flag("--quiet", request->simulate.quiet, "With --export: print nothing but errors");
  time->needs("--export");
  quiet->needs("--export");
  add_run_options(*verb, run);
  verb->footer(
      "Serves one page on this machine alone, until Ctrl-C. The run begins when the page is opened and waits while nobody\n"
      "watches; it keeps to real time as far as it can. Play, pause, single steps, speed and reset are on the page, and\n"
      "bodies are pulled about with the mouse. Any number of browsers see the same run. docs/viewer_serving.md says what\n"
      "the server refuses, and how to look at a run on another machine.\n\n"
      "Examples:\n"
      "  linchpin view @stack\n"
      "  linchpin view @dominoes --port 0\n"
      "  linchpin view @swing --export swing.html --time 5");
  verb->callback([request, &status] { status = view(*request); });
}

}  // namespace linchpin
