// linchpin view: a live run or a recording in the browser, or exported as one HTML file.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/file_conflicts.h"
#include "apps/inspect_recording.h"
#include "apps/model_argument.h"
#include "apps/output_file.h"
#include "apps/page_argument.h"
#include "apps/progress.h"
#include "apps/simulate.h"
#include "apps/terminal_text.h"
#include "linchpin/live/live_run.h"
#include "linchpin/live/live_server.h"

namespace linchpin {
namespace {

constexpr const char* usual_port = "8770";

// As typed.
struct ViewRequest {
  SimulateRequest simulate;  // its model may be a recording
  std::string port = usual_port, host = "127.0.0.1";
};

// ---- serving --------------------------------------------------------------------------------------------------------

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
  fmt::print("{}: open {} in a browser; Ctrl-C ends it\n", printable(what), server.address());
  std::fflush(stdout);
}

int serve_live(const ViewRequest& request) {
  const RunRequest& run_request = request.simulate.run;
  const ModelArgument argument = model_from(run_request.model);
  const Model& model = argument.model;
  const SimulationOptions options = simulation_options_of(run_request, model);
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

int serve_recording(const ViewRequest& request, std::string blob) {
  const auto server = serve(request, {.page = {}, .scene = {}, .bodies = 0, .recording = std::move(blob)});
  say_where(*server, request.simulate.run.model);
  while (!interrupted()) server->wait(std::chrono::milliseconds(100));
  return exit_done;
}

// ---- recordings -----------------------------------------------------------------------------------------------------

// A recording in the form that the page reads, thinned to the number of frames that a page can hold.
std::string page_blob(const std::string& file, bool quiet) {
  const Recording recording = recording_from("", file);
  const long long last = recording.frames() - 1;
  const double apart = last > 0 ? (recording.times().back() - recording.times().front()) / double(last) : 0;
  const long long every = apart > 0 ? page_spacing(double(last), recording.model(), apart) : 1;
  PageRecording page(recording.model(), recording.settings().simulation, recording.settings().source);
  Progress progress(!quiet);
  Snapshot snapshot;
  for (long long i = 0; i <= last && !interrupted(); ++i) {
    if (i % every != 0 && i != last) continue;
    if (const std::optional<Error> fault = recording.read(i, snapshot)) throw UsageError(fault->message);
    page.add(snapshot);
    progress.show(double(i) / double(std::max(1LL, last)), "reading " + file);
  }
  return page.blob(recording.certificate(), recording.early_end());
}

int view_recording(const ViewRequest& request) {
  const std::string& file = request.simulate.run.model;
  if (request.simulate.page.empty()) {
    page_or_refuse();
    return serve_recording(request, page_blob(file, false));
  }
  const std::string_view page = page_or_refuse();
  refuse_same_files({{"MODEL", file}}, {{"--export", request.simulate.page}});
  OutputFile out("--export", request.simulate.page);
  out.write(page_with_recording(page, page_blob(file, request.simulate.quiet)));
  if (!interrupted()) out.commit();
  return exit_done;
}

int view(const ViewRequest& request, const Verb& verb) {
  const SimulateRequest& run = request.simulate;
  int status = exit_done;
  if (names_recording(run.run.model)) {
    refuse_others(verb, "MODEL", {"--port", "--host", "--export", "--quiet"});
    status = view_recording(request);
  } else {
    status = run.page.empty() ? serve_live(request) : simulate(run);
  }
  if (!run.page.empty() && run.page != "-" && !run.quiet)
    fmt::print("\nwritten to {}: open it in a browser\n", printable(run.page));
  return status;
}

}  // namespace

void add_view(Command& command) {
  auto request = std::make_shared<ViewRequest>();
  RunRequest& run = request->simulate.run;
  Verb verb = command.add_verb("view", "Show a live run or a recording in the browser");
  verb.add_option("MODEL", run.model, "A built-in scene, such as @stack, a model (.json), or a recording")
      .required()
      .type_name("");
  verb.add_option("--port", request->port, fmt::format("Port to serve at; 0: any that is free ({})", usual_port))
      .type_name("N");
  verb.add_option("--host", request->host,
                  "Address to listen at; for any but the loopback, the page's address contains a token (127.0.0.1)")
      .type_name("ADDRESS");
  const Option page =
      verb.add_option(
              "--export", request->simulate.page,
              "Write one HTML file that shows the run without server or network; a model is simulated first, with\n"
              "the same rules as by `linchpin simulate`")
          .type_name("FILE");
  verb.add_option("--time", run.time, "With --export: how long to simulate, s (5)").type_name("SECONDS").needs(page);
  verb.add_flag("--quiet", request->simulate.quiet, "With --export: print nothing but errors").needs(page);
  add_run_options(verb, run);
  verb.footer(
      "Serves one page to this machine only, until Ctrl-C. A live run starts when the page is opened and pauses while\n"
      "no browser shows it; it runs in real time if the machine is fast enough. The page has play, pause, single "
      "step,\n"
      "speed and reset, and bodies can be pulled with the mouse. All browsers see the same run. A recording (made by\n"
      "`linchpin simulate --record`) has a time line. docs/viewer_serving.md says what the server refuses, and how to\n"
      "watch a run on another machine.\n\n"
      "Examples:\n"
      "  linchpin view @stack\n"
      "  linchpin view @dominoes --port 0\n"
      "  linchpin view @swing --export swing.html --time 5\n"
      "  linchpin view run.h5\n"
      "  linchpin view run.h5 --export run.html");
  verb.on_call([request, verb] { return view(*request, verb); });
}

}  // namespace linchpin
