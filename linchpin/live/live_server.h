// Serves the viewer's page, and a live run or a recording with it, over HTTP and a websocket (docs/viewer_data.md).
//
//     auto server = LiveServer::start({.page = viewer_page(), .scene = scene_json(model, options, "@stack"),
//                                      .bodies = int(model.bodies().size())}, {.port = 8080});
//     print(server.value()->address());
//     while (...) {
//       server.value()->take(commands);            // what viewers asked for since the last time
//       server.value()->publish_frame(frame);      // the newest; what was there before and not yet sent is dropped
//     }
//
// One thread of its own does all that has to do with sockets. Whoever calls from outside never waits for a viewer: a
// frame is handed over as a pointer, and each connection sends the newest one when it is done with its last, so that a
// slow viewer sees fewer, and one that is stuck holds one frame in memory until it is dropped.
//
// What it refuses, and why, is told in docs/viewer_serving.md: other Hosts and Origins than its own, requests without the
// token where there has to be one, what is too long, too many or too slow, and any message that the protocol does not
// know. Each refusal ends that connection and touches no other.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linchpin/base/result.h"
#include "linchpin/live/viewer_command.h"

namespace linchpin {

// Either a live run, which has a scene, or a recording, which has a blob with its own.
struct ServedContent {
  std::string page;       // HTML
  std::string scene;      // live: JSON
  int bodies = 0;         //   of its model, the world included: what a push may name
  std::string recording;  // a recording: the blob
};

struct ServerOptions {
  std::string host = "127.0.0.1";  // the address to listen at; any but a loopback address makes a token necessary
  int port = 0;                    // 0: any that is free
  int most_connections = 64;
  std::size_t longest_head = 8192;     // of an HTTP request, bytes
  std::size_t longest_message = 4096;  // of a websocket, bytes
  int most_waiting = 256;              // commands of one viewer that nobody has taken yet
  double patience = 10;                // s: for a request to arrive whole, for a handshake
  double silence = 30;                 // s: a viewer that neither speaks nor answers a ping for so long is gone
};

class LiveServer {
 public:
  struct Parts;  // live_server.cc's own
  // An Error says what is wrong with the address, or that the port is taken.
  static Result<std::unique_ptr<LiveServer>> start(ServedContent content, const ServerOptions& options);
  ~LiveServer();  // closes all connections

  int port() const;
  const std::string& token() const;  // empty where there is none
  std::string address() const;       // to open in a browser, the token included

  int viewers() const;  // websockets that are open

  void publish_frame(std::span<const std::byte> frame);
  void publish_status(std::string_view json);

  // What viewers asked for since the last call, in the order in which it came; a viewer that goes has released its push.
  void take(std::vector<ViewerCommand>& commands);
  // Until there is something to take, a viewer comes or goes, or that much time has passed.
  void wait(std::chrono::duration<double> longest);

 private:
  explicit LiveServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
