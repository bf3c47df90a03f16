// Serves the viewer's page, with a live run or a recording, over HTTP and a websocket (docs/viewer_data.md).
//
//     auto server = LiveServer::start({.page = viewer_page(), .scene = scene_json(model, options, "@stack"),
//                                      .bodies = int(model.bodies().size())}, {.port = 8080});
//     print(server.value()->address());
//     while (...) {
//       server.value()->take(commands);            // commands of viewers since the last call
//       server.value()->publish_frame(frame);      // replaces an older frame that was not sent yet
//     }
//
// A thread of its own does all work on sockets. Callers never wait for a viewer: a frame is handed over as a pointer,
// and each connection sends the newest frame when it has sent its last. A slow viewer therefore sees fewer frames, and
// one that is stuck holds one frame in memory until it is dropped.
//
// It refuses other Hosts and Origins than its own, requests without the token if one is required, requests that are too
// long, too many or too slow, and messages that are not in the protocol; docs/viewer_serving.md gives the reasons. Each
// refusal ends that connection and affects no other.
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

// Either a live run (scene) or a recording (a blob that includes its scene).
struct ServedContent {
  std::string page;       // HTML
  std::string scene;      // live: JSON
  int bodies = 0;         //   of its model, including the world: bounds the bodies of pushes
  std::string recording;  // recording: the blob
};

struct ServerOptions {
  std::string host = "127.0.0.1";  // address to listen at; any but a loopback address requires a token
  int port = 0;                    // 0: any free port
  int most_connections = 64;
  std::size_t longest_head = 8192;     // of an HTTP request, bytes
  std::size_t longest_message = 4096;  // of a websocket, bytes
  int most_waiting = 256;              // commands of one viewer that were not taken yet
  double patience = 10;                // s: time limit of a request and of a handshake
  double silence = 30;  // s: a viewer that sends nothing for so long is dropped; it is pinged after half of it
};

class LiveServer {
 public:
  struct Parts;  // defined in live_server.cc
  // An Error says that the address is invalid, or that the port is in use.
  static Result<std::unique_ptr<LiveServer>> start(ServedContent content, const ServerOptions& options);
  ~LiveServer();  // closes all connections

  int port() const;
  const std::string& token() const;  // empty if there is none
  std::string address() const;       // to open in a browser; includes the token

  int viewers() const;  // number of open websockets

  void publish_frame(std::span<const std::byte> frame);
  void publish_status(std::string_view json);

  // Commands of viewers since the last call, in the order of arrival; a viewer that leaves releases its push.
  void take(std::vector<ViewerCommand>& commands);
  // Returns when there is something to take, a viewer comes or goes, or that much time has passed.
  void wait(std::chrono::duration<double> longest);

 private:
  explicit LiveServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace linchpin
