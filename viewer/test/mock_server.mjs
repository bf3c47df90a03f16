// A live run without linchpin: one box on springs, stepped here, which the page can push. Serves the built page with
// the same limits on what it may load as linchpin/live/live_server.cc.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { encodeFrame, ground, head, unit, world } from './fixture.mjs';

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; " +
  "connect-src 'self'";

const scene = {
  ...head('mock', 0.01),
  bodies: [world, { name: 'block', parent: 0, mass: 1, centre: [0, 0, 0] }],
  shapes: [ground, { index: 1, name: '', body: 1, place: unit, collides: true, kind: 'box', half: [0.2, 0.2, 0.2] }],
  meshes: [], loops: [], frames: [],
  joints: [{
    name: 'free', type: 'free', parent: 0, child: 1, place: unit, axis: [0, 0, 1], axis2: [0, 1, 0],
    lower: [], upper: [],
  }],
  signals: [
    { name: 'kinetic energy', unit: 'J', group: 'energy' },
    { name: 'residual', unit: '', group: 'certificate' },
  ],
};

// options.session: the answer to /session; options.recording: a blob; options.garbage: bytes sent as the first frame.
export async function startServer(html, options = {}) {
  const received = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    const answer = (type, body) =>
      response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': POLICY }).end(body);
    if (path === '/') answer('text/html; charset=utf-8', html);
    else if (path === '/session') answer('application/json', JSON.stringify(options.session ?? { mode: 'live' }));
    else if (path === '/recording' && options.recording) answer('application/octet-stream', options.recording);
    else response.writeHead(404).end();
  });
  const sockets = new WebSocketServer({ server, path: '/live' });
  sockets.on('connection', (socket) => run(socket, received, options));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    received,
    cut: () => sockets.clients.forEach((socket) => socket.terminate()),
    stop: () => {
      sockets.clients.forEach((socket) => socket.terminate());
      sockets.close();
      server.close();
    },
  };
}

function run(socket, received, options) {
  let step = 0;
  let x = [0, 0, 0.2];
  let v = [0, 0, 0];
  let running = true;
  let speed = 1;
  let push = null;
  const reset = () => {
    step = 0;
    x = [0, 0, 0.2];
    v = [0, 0, 0];
  };
  const advance = () => {
    const dt = 0.01;
    for (let i = 0; i < 3; ++i) {
      const pull = push ? 60 * (push.to[i] - x[i] - push.at[i]) : 0;
      const home = i === 0 ? 0.3 * Math.sin(step * dt) : i === 2 ? 0.2 : 0;
      v[i] += dt * (pull + 20 * (home - x[i]) - 4 * v[i]);
      x[i] += dt * v[i];
    }
    ++step;
  };
  const frame = () => encodeFrame({
    time: step * 0.01, step, poses: [unit, [...x, 1, 0, 0, 0]],
    signals: [0.5 * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2), 1e-12],
    contacts: [{
      a: 1, b: 0, state: 1, mu: 0.5, point: [x[0], x[1], 0], normal: [0, 0, 1], force: [0, 0, 9.81], gap: 0,
    }],
  });
  const status = () => JSON.stringify({
    type: 'status', running, speed, rate: running ? speed : 0, time: step * 0.01, steps: step, failed: null,
    certificate: {
      passed: true, reason: '', energy: { relative_defect: 1e-9 }, contact: { penetration: 1e-8, residual: 1e-13 },
    },
  });
  socket.send(JSON.stringify(scene));
  socket.send(options.garbage ?? frame());
  socket.send(status());
  const clock = setInterval(() => {
    if (!running) return;
    for (let i = 0; i < Math.max(1, Math.round(3 * speed)); ++i) advance();
    socket.send(frame());
  }, 30);
  const report = setInterval(() => socket.send(status()), 250);
  socket.on('close', () => [clock, report].forEach(clearInterval));
  socket.on('message', (data) => {
    const message = JSON.parse(data);
    received.push(message);
    if (message.type === 'play') running = true;
    if (message.type === 'pause') running = false;
    if (message.type === 'speed') speed = message.value;
    if (message.type === 'push') push = message;
    if (message.type === 'release') push = null;
    if (message.type === 'reset') reset();
    if (message.type === 'step') advance();
    if (['reset', 'step'].includes(message.type)) socket.send(frame());
    socket.send(status());
  });
}
