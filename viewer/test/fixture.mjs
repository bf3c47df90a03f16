// Made-up scenes for tests: all kinds of shapes, contacts in all states, a loop. And an encoder of docs/viewer_data.md,
// written independently of the reader that it tests.

const CONTACT_BYTES = 56;

export function encodeFrame(frame) {
  const { time, step, poses, signals, contacts, failed = false } = frame;
  const raw = 40 + 28 * poses.length + 4 * signals.length + CONTACT_BYTES * contacts.length;
  const size = Math.ceil(raw / 8) * 8;
  const buffer = new ArrayBuffer(size);
  const view = new DataView(buffer);
  view.setUint32(0, 0x3146504c, true);
  view.setUint32(4, size, true);
  view.setFloat64(8, time, true);
  view.setFloat64(16, step, true);
  view.setUint32(24, poses.length, true);
  view.setUint32(28, signals.length, true);
  view.setUint32(32, contacts.length, true);
  view.setUint32(36, failed ? 1 : 0, true);
  let at = 40;
  const floats = (list) => {
    for (const x of list) {
      view.setFloat32(at, x, true);
      at += 4;
    }
  };
  const words = (list) => {
    for (const x of list) {
      view.setUint32(at, x, true);
      at += 4;
    }
  };
  for (const pose of poses) floats(pose);
  floats(signals);
  for (const c of contacts) {
    words([c.a, c.b, c.state]);
    floats([c.mu, ...c.point, ...c.normal, ...c.force, c.gap]);
  }
  return new Uint8Array(buffer);
}

export function encodeRecording(scene, frames) {
  const pad = (bytes) => Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8, ' ')]);
  const json = pad(Buffer.from(JSON.stringify({ ...scene, frames_count: frames.length })));
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x3152504c, 0);
  head.writeUInt32LE(json.length, 4);
  return Buffer.concat([head, json, ...frames.map(encodeFrame)]);
}

// Inserts a recording into the built page, as `linchpin view --export` does.
export function exportPage(html, blob) {
  const mark = '<!--linchpin-recording-->';
  if (html.split(mark).length !== 2) throw new Error(`the built page must hold ${mark} once`);
  const data = blob.toString('base64');
  return html.replace(mark, () => `<script type="application/octet-stream" id="linchpin-recording">${data}</script>`);
}

const signals = [
  { name: 'kinetic energy', unit: 'J', group: 'energy' },
  { name: 'potential energy', unit: 'J', group: 'energy' },
  { name: 'total energy', unit: 'J', group: 'energy' },
  { name: 'energy defect', unit: 'J', group: 'certificate' },
  { name: 'penetration', unit: 'm', group: 'certificate' },
  { name: 'residual', unit: '', group: 'certificate' },
  { name: 'hinge', unit: 'rad', group: 'position' },
  { name: 'hinge', unit: 'rad/s', group: 'velocity' },
  { name: 'close x', unit: 'N', group: 'reaction' },
];

const certificate = {
  passed: true, reason: '', finite: true, time: 4,
  energy: {
    start: 12.3, stored: 11.9, relative_defect: 3.2e-9, largest_defect: 4.1e-8, exchanged: 12.8, tolerance: null,
  },
  contact: { residual: 2.1e-13, cone_violation: 0, penetration: 3.4e-7, most_contacts: 11, problems: 4000, impacts: 3 },
  constraints: { rows: 2, loop_error: 1.2e-11, loop_speed: 3e-10 },
};

export const unit = [0, 0, 0, 1, 0, 0, 0]; // the pose without translation and rotation
const turnAbout = (axis, angle) => [Math.cos(angle / 2), ...axis.map((x) => x * Math.sin(angle / 2))];

export const world = { name: 'world', parent: -1, mass: 0, centre: [0, 0, 0] };
export const ground = { index: 0, name: 'ground', body: 0, place: unit, collides: true, kind: 'half_space' };

// The fields at the head of a scene.
export const head = (name, dt) => ({
  type: 'scene', version: 1, linchpin: '0.1.0', name, source: 'fixture', gravity: [0, 0, -9.81], dt, method: 'os',
  stepper: 'time_stepping',
});

const tetrahedron = {
  vertices: [0.14, 0.14, 0.14, -0.14, -0.14, 0.14, -0.14, 0.14, -0.14, 0.14, -0.14, -0.14],
  triangles: [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3],
};

const shapesOfBodies = [
  { name: 'box', shape: { kind: 'box', half: [0.18, 0.14, 0.12] }, rest: 0.12 },
  { name: 'sphere', shape: { kind: 'sphere', radius: 0.15 }, rest: 0.15 },
  { name: 'capsule', shape: { kind: 'capsule', radius: 0.09, half_length: 0.14 }, rest: 0.23 },
  { name: 'cylinder', shape: { kind: 'cylinder', radius: 0.14, half_length: 0.12 }, rest: 0.12 },
  { name: 'cone', shape: { kind: 'cone', radius: 0.16, half_length: 0.17 }, rest: 0.17 },
  { name: 'ellipsoid', shape: { kind: 'ellipsoid', radii: [0.2, 0.13, 0.1] }, rest: 0.1 },
  { name: 'mesh', shape: { kind: 'mesh', mesh: 0 }, rest: 0.14 },
];

// Seven bodies, one for each kind of shape, that fall, land and slide; a crank of two links closed by a loop.
export function everything() {
  const bodies = [world];
  const shapes = [ground];
  const joints = [];
  shapesOfBodies.forEach(({ name, shape }, i) => {
    bodies.push({ name, parent: 0, mass: 1, centre: [0, 0, 0] });
    shapes.push({ index: i + 1, name, body: i + 1, place: unit, collides: true, ...shape });
    joints.push({
      name: `${name}_free`, type: 'free', parent: 0, child: i + 1, place: unit, axis: [0, 0, 1], axis2: [0, 1, 0],
      lower: [null], upper: [null],
    });
  });
  const crank = bodies.length;
  bodies.push(
    { name: 'crank', parent: 0, mass: 0.4, centre: [0.15, 0, 0] },
    { name: 'rocker', parent: crank, mass: 0.6, centre: [0.25, 0, 0] });
  const bar = (index, body, half_length) => ({
    index, name: '', body, place: [half_length, 0, 0, ...turnAbout([0, 1, 0], Math.PI / 2)], collides: true,
    kind: 'capsule', radius: 0.03, half_length,
  });
  shapes.push(bar(8, crank, 0.15), bar(9, crank + 1, 0.25));
  joints.push(
    {
      name: 'hinge', type: 'revolute', parent: 0, child: crank,
      place: [0, 0.7, 0.5, ...turnAbout([1, 0, 0], Math.PI / 2)],
      axis: [0, 0, 1], axis2: [0, 1, 0], lower: [-3], upper: [3],
    },
    {
      name: 'elbow', type: 'revolute', parent: crank, child: crank + 1, place: [0.3, 0, 0, 1, 0, 0, 0],
      axis: [0, 1, 0], axis2: [0, 1, 0], lower: [null], upper: [null],
    });
  const scene = {
    ...head('everything', 0.001),
    bodies, shapes, meshes: [tetrahedron], joints,
    loops: [{ name: 'close', kind: 'pin', a: crank + 1, at_a: [0.5, 0, 0], b: 0, at_b: [0.6, 0.7, 0.5] }],
    frames: [{ name: 'tip', body: crank + 1, place: [0.5, 0, 0, 1, 0, 0, 0] }],
    signals, certificate,
  };
  const frames = [];
  for (let k = 0; k < 120; ++k) frames.push(momentOfEverything(k, k / 30, crank));
  return { scene, frames };
}

function momentOfEverything(k, t, crank) {
  const poses = [unit];
  const contacts = [];
  let potential = 0;
  shapesOfBodies.forEach(({ rest }, i) => {
    const start = 0.5 + 0.25 * i;
    const landed = Math.sqrt((2 * start) / 9.81);
    const z = t < landed ? start + rest - (9.81 * t * t) / 2 : rest;
    const slid = i % 2 === 1 ? 0.12 * Math.max(0, Math.min(1, t - landed)) : 0;
    potential += 9.81 * (z - rest);
    const x = -0.9 + 0.45 * (i % 5) + slid;
    const y = -0.35 - 0.5 * Math.floor(i / 5);
    poses.push([x, y, z, 1, 0, 0, 0]);
    if (t < landed) return;
    const sliding = i % 2 === 1 && t < landed + 1;
    const state = i === 4 ? 0 : sliding ? 2 : 1;
    contacts.push({
      a: i + 1, b: 0, state, mu: 0.5, point: [x, y, 0], normal: [0, 0, 1],
      force: state === 0 ? [0, 0, 0] : [sliding ? -4.9 : 0, 0, 9.81],
      gap: state === 0 ? 0.001 : 0,
    });
  });
  const angle = 2 * t;
  const tip = [0.3 * Math.cos(angle), 0.7, 0.5 + 0.3 * Math.sin(angle)];
  const reach = Math.atan2(0.5 - tip[2], 0.6 - tip[0]);
  poses.push([0, 0.7, 0.5, ...turnAbout([0, -1, 0], angle)], [...tip, ...turnAbout([0, -1, 0], reach)]);
  if (poses.length !== crank + 2) throw new Error('a body without a pose');
  const kinetic = 6 + 4 * Math.sin(3 * t);
  return {
    time: t, step: k * 33, poses, contacts,
    signals: [
      kinetic, potential, kinetic + potential, 1e-8 * (1 + t), 1e-7 * (1 + Math.sin(t) ** 2),
      1e-13 * 10 ** Math.sin(5 * t), angle, 2, 5 * Math.cos(angle),
    ],
  };
}

// A heap of `count` boxes, spheres and capsules with five contacts each.
export function heap(count) {
  const kinds = [
    { kind: 'sphere', radius: 0.1 },
    { kind: 'box', half: [0.1, 0.08, 0.07] },
    { kind: 'capsule', radius: 0.06, half_length: 0.06 },
  ];
  const bodies = [world];
  const shapes = [ground];
  for (let i = 1; i <= count; ++i) {
    bodies.push({ name: `stone_${i}`, parent: 0, mass: 1, centre: [0, 0, 0] });
    shapes.push({ index: i, name: '', body: i, place: unit, collides: true, ...kinds[i % 3] });
  }
  const side = Math.ceil(Math.cbrt(count));
  const frames = [];
  for (let k = 0; k < 90; ++k) {
    const t = k / 30;
    const poses = [unit];
    const contacts = [];
    for (let i = 0; i < count; ++i) {
      const place = [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)];
      const wave = 0.02 * Math.sin(4 * t + i);
      const at = [0.24 * (place[0] - side / 2) + wave, 0.24 * (place[1] - side / 2), 0.1 + 0.21 * place[2]];
      poses.push([...at, ...turnAbout([0, 0, 1], 0.3 * i + wave * 4)]);
      for (let c = 0; c < 5; ++c)
        contacts.push({
          a: i + 1, b: 0, state: (i + c) % 3, mu: 0.6,
          point: [at[0] + 0.05 * Math.cos(c), at[1] + 0.05 * Math.sin(c), at[2] - 0.1],
          normal: [0, 0, 1], force: [wave * 20, 0, 2 + c], gap: 0,
        });
    }
    const kinetic = Math.sin(t) ** 2;
    frames.push({
      time: t, step: 33 * k, poses, contacts, signals: [kinetic, 3, 3 + kinetic, 1e-9, 1e-7, 1e-12, 0, 0, 0],
    });
  }
  const scene = {
    ...head(`heap of ${count}`, 0.001),
    bodies, shapes, meshes: [], joints: [], loops: [], frames: [], signals, certificate,
  };
  return { scene, frames };
}
