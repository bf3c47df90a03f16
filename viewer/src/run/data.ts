// Reads the data that docs/viewer_data.md describes and linchpin/live/page_data.cc writes: the scene (JSON), frames
// (bytes) and the blob that contains both. All input is checked here, once; a DataError gives the reason for a refusal.

export type Vec3 = [number, number, number];
export type Pose = [number, number, number, number, number, number, number]; // x y z qw qx qy qz

export interface Body { name: string; parent: number; mass: number; centre: Vec3 }

export type Geometry =
  | { kind: 'sphere'; radius: number }
  | { kind: 'capsule' | 'cylinder' | 'cone'; radius: number; half_length: number }
  | { kind: 'box'; half: Vec3 }
  | { kind: 'ellipsoid'; radii: Vec3 }
  | { kind: 'half_space' }
  | { kind: 'mesh'; mesh: number };

export interface Shape { index: number; name: string; body: number; place: Pose; collides: boolean; geometry: Geometry }
export interface Mesh { vertices: Float32Array; triangles: Uint32Array }
export interface Joint {
  name: string; type: string; parent: number; child: number; place: Pose; axis: Vec3; axis2: Vec3;
  lower: (number | null)[]; upper: (number | null)[];
}
export interface Loop { name: string; kind: string; a: number; at_a: Vec3; b: number; at_b: Vec3 }
export interface NamedFrame { name: string; body: number; place: Pose }
export interface Signal { name: string; unit: string; group: string }
export type Certificate = { passed?: boolean; verdict?: string; reason?: string } & Record<string, unknown>;

// In a word or two. A run that did not reach its end has not passed. Pages exported by older versions have no verdict.
export function verdictOf(certificate: Certificate): string {
  if (certificate.passed === true) return certificate.verdict === 'passed_loosely' ? 'passed loosely' : 'passed';
  const { status } = certificate;
  return status === 'unfinished' || status === 'interrupted' ? status : 'failed';
}

// The class of its colour.
export function toneOf(verdict: string): string {
  if (verdict === 'passed') return 'good';
  return verdict === 'passed loosely' ? 'fair' : 'bad';
}

export interface Scene {
  linchpin: string; name: string; source: string; gravity: Vec3; dt: number; method: string; stepper: string;
  bodies: Body[]; shapes: Shape[]; meshes: Mesh[]; joints: Joint[]; loops: Loop[]; frames: NamedFrame[];
  signals: Signal[]; framesCount: number; certificate: Certificate | null;
  shapeByIndex: Map<number, Shape>; // for a compound, its first shape
}

export const CONTACT_STATES = ['separating', 'sticking', 'sliding'];

// Offsets of a contact's fields in Frame.words and Frame.floats, and the number of words per contact.
export const CONTACT = { a: 0, b: 1, state: 2, mu: 3, point: 4, normal: 7, force: 10, gap: 13, words: 14 } as const;

export interface Frame {
  time: number; step: number; failed: boolean;
  poses: Float32Array;    // 7 per body
  signals: Float32Array;
  contacts: number;
  words: Uint32Array;     // CONTACT.words per contact; a, b and state are read here
  floats: Float32Array;   // the same bytes; the other fields are read here
}

export class DataError extends Error {
  override name = 'DataError';
}

const FRAME_MAGIC = 0x3146504c; // "LPF1"
const BLOB_MAGIC = 0x3152504c;  // "LPR1"
const FRAME_HEADER = 40;        // bytes

const fail = (what: string): never => {
  throw new DataError(what);
};

// ---- scene ---------------------------------------------------------------------------------------------------------

type Json = Record<string, unknown>;

const object = (value: unknown, at: string): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : fail(`${at} is not an object`);

const list = (value: unknown, at: string): unknown[] => (Array.isArray(value) ? value : fail(`${at} is not a list`));

const text = (value: unknown, at: string): string =>
  (typeof value === 'string' ? value : fail(`${at} is not a string`));

const number = (value: unknown, at: string): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : fail(`${at} is not a finite number`);

const positive = (value: unknown, at: string): number => {
  const x = number(value, at);
  return x > 0 ? x : fail(`${at} is ${x}, which is not positive`);
};

const index = (value: unknown, end: number, at: string, begin = 0): number => {
  const i = number(value, at);
  return Number.isInteger(i) && i >= begin && i < end
    ? i
    : fail(`${at} is ${i}, not a whole number from ${begin} to ${end - 1}`);
};

const numbers = (value: unknown, count: number, at: string): number[] => {
  const all = list(value, at);
  if (all.length !== count) fail(`${at} has ${all.length} numbers where ${count} are needed`);
  return all.map((x, i) => number(x, `${at}[${i}]`));
};

const vec3 = (value: unknown, at: string): Vec3 => numbers(value, 3, at) as Vec3;

const pose = (value: unknown, at: string): Pose => {
  const p = numbers(value, 7, at) as Pose;
  const norm = Math.hypot(p[3], p[4], p[5], p[6]);
  return Math.abs(norm - 1) < 1e-3 ? p : fail(`${at} has a quaternion of norm ${norm}`);
};

const limits = (value: unknown, at: string): (number | null)[] =>
  value === undefined ? [] : list(value, at).map((x, i) => (x === null ? null : number(x, `${at}[${i}]`)));

function readGeometry(s: Json, meshes: number, at: string): Geometry {
  const kind = text(s.kind, `${at}.kind`);
  switch (kind) {
    case 'sphere':
      return { kind, radius: positive(s.radius, `${at}.radius`) };
    case 'capsule':
    case 'cylinder':
    case 'cone':
      return {
        kind,
        radius: positive(s.radius, `${at}.radius`),
        half_length: positive(s.half_length, `${at}.half_length`),
      };
    case 'box':
      return { kind, half: vec3(s.half, `${at}.half`) };
    case 'ellipsoid':
      return { kind, radii: vec3(s.radii, `${at}.radii`) };
    case 'half_space':
      return { kind };
    case 'mesh':
      return { kind, mesh: index(s.mesh, meshes, `${at}.mesh`) };
    default:
      return fail(`${at}.kind is "${kind}", which this page does not know`);
  }
}

function readMesh(value: unknown, at: string): Mesh {
  const m = object(value, at);
  const vertices = Float32Array.from(list(m.vertices, `${at}.vertices`), (x, i) => number(x, `${at}.vertices[${i}]`));
  if (vertices.length % 3 !== 0) fail(`${at}.vertices has ${vertices.length} numbers, not three per vertex`);
  const end = vertices.length / 3;
  const triangles = Uint32Array.from(list(m.triangles, `${at}.triangles`), (x, i) =>
    index(x, end, `${at}.triangles[${i}]`));
  if (triangles.length % 3 !== 0) fail(`${at}.triangles has ${triangles.length} numbers, not three per triangle`);
  return { vertices, triangles };
}

export function readScene(value: unknown): Scene {
  const s = object(value, 'the scene');
  if (s.type !== 'scene') fail(`the scene has type ${JSON.stringify(s.type)}`);
  if (s.version !== 1) fail(`the scene has version ${JSON.stringify(s.version)}; this page reads version 1`);
  const items = <T>(key: string, read: (item: Json, at: string) => T): T[] =>
    list(s[key] ?? [], key).map((item, i) => read(object(item, `${key}[${i}]`), `${key}[${i}]`));

  const bodies = items('bodies', (b, at): Body => ({
    name: text(b.name, `${at}.name`),
    parent: number(b.parent, `${at}.parent`),
    mass: number(b.mass, `${at}.mass`),
    centre: vec3(b.centre, `${at}.centre`),
  }));
  if (bodies.length === 0) fail('the scene has no bodies, not even the world');
  bodies.forEach((b, i) => index(b.parent, Math.max(i, 0), `bodies[${i}].parent`, -1));
  const body = (x: unknown, at: string) => index(x, bodies.length, at);

  const meshes = list(s.meshes ?? [], 'meshes').map((m, i) => readMesh(m, `meshes[${i}]`));
  const shapes = items('shapes', (h, at): Shape => ({
    index: number(h.index, `${at}.index`),
    name: text(h.name ?? '', `${at}.name`),
    body: body(h.body, `${at}.body`),
    place: pose(h.place, `${at}.place`),
    collides: h.collides !== false,
    geometry: readGeometry(h, meshes.length, at),
  }));
  const shapeByIndex = new Map<number, Shape>();
  for (const shape of shapes) if (!shapeByIndex.has(shape.index)) shapeByIndex.set(shape.index, shape);

  return {
    linchpin: text(s.linchpin ?? '', 'linchpin'),
    name: text(s.name ?? '', 'name'),
    source: text(s.source ?? '', 'source'),
    gravity: vec3(s.gravity ?? [0, 0, 0], 'gravity'),
    dt: number(s.dt ?? 0, 'dt'),
    method: text(s.method ?? '', 'method'),
    stepper: text(s.stepper ?? '', 'stepper'),
    bodies,
    shapes,
    meshes,
    joints: items('joints', (j, at): Joint => ({
      name: text(j.name, `${at}.name`),
      type: text(j.type, `${at}.type`),
      parent: body(j.parent, `${at}.parent`),
      child: body(j.child, `${at}.child`),
      place: pose(j.place, `${at}.place`),
      axis: vec3(j.axis ?? [0, 0, 1], `${at}.axis`),
      axis2: vec3(j.axis2 ?? [0, 1, 0], `${at}.axis2`),
      lower: limits(j.lower, `${at}.lower`),
      upper: limits(j.upper, `${at}.upper`),
    })),
    loops: items('loops', (l, at): Loop => ({
      name: text(l.name, `${at}.name`),
      kind: text(l.kind, `${at}.kind`),
      a: body(l.a, `${at}.a`),
      at_a: vec3(l.at_a, `${at}.at_a`),
      b: body(l.b, `${at}.b`),
      at_b: vec3(l.at_b, `${at}.at_b`),
    })),
    frames: items('frames', (f, at): NamedFrame => ({
      name: text(f.name, `${at}.name`),
      body: body(f.body, `${at}.body`),
      place: pose(f.place, `${at}.place`),
    })),
    signals: items('signals', (g, at): Signal => ({
      name: text(g.name, `${at}.name`),
      unit: text(g.unit ?? '', `${at}.unit`),
      group: text(g.group, `${at}.group`),
    })),
    framesCount: number(s.frames_count ?? 0, 'frames_count'),
    certificate: s.certificate == null ? null : (object(s.certificate, 'certificate') as Certificate),
    shapeByIndex,
  };
}

// ---- frames --------------------------------------------------------------------------------------------------------

// The frame that begins at offset. Its arrays are views of the buffer, not copies.
export function readFrame(
  scene: Scene, buffer: ArrayBuffer, offset = 0, at = 'a frame',
): { frame: Frame; size: number } {
  const left = buffer.byteLength - offset;
  if (left < FRAME_HEADER) fail(`${at} is cut short: ${left} bytes are left, a header is ${FRAME_HEADER}`);
  const view = new DataView(buffer, offset);
  if (view.getUint32(0, true) !== FRAME_MAGIC) fail(`${at} does not begin with LPF1`);
  const size = view.getUint32(4, true);
  const bodies = view.getUint32(24, true);
  const signals = view.getUint32(28, true);
  const contacts = view.getUint32(32, true);
  const flags = view.getUint32(36, true);
  const needed = FRAME_HEADER + 28 * bodies + 4 * signals + 4 * CONTACT.words * contacts;
  if (size > left) fail(`${at} is cut short: its size is ${size} bytes, ${left} are left`);
  if (size % 8 !== 0 || size < needed || size >= needed + 8)
    fail(`${at} has size ${size}, its parts need ${needed} bytes`);
  if (bodies !== scene.bodies.length) fail(`${at} has ${bodies} bodies, the scene ${scene.bodies.length}`);
  if (signals !== scene.signals.length) fail(`${at} has ${signals} signals, the scene ${scene.signals.length}`);

  let place = offset + FRAME_HEADER;
  const poses = new Float32Array(buffer, place, 7 * bodies);
  place += 28 * bodies;
  const values = new Float32Array(buffer, place, signals);
  place += 4 * signals;
  const words = new Uint32Array(buffer, place, CONTACT.words * contacts);
  const floats = new Float32Array(buffer, place, CONTACT.words * contacts);
  for (let c = 0; c < contacts; ++c) {
    for (const side of [CONTACT.a, CONTACT.b]) {
      const shape = words[CONTACT.words * c + side];
      if (!scene.shapeByIndex.has(shape)) fail(`${at} has a contact of shape ${shape}, which the scene does not have`);
    }
    const state = words[CONTACT.words * c + CONTACT.state];
    if (state >= CONTACT_STATES.length) fail(`${at} has a contact in state ${state}; there are 0, 1 and 2`);
  }
  const frame: Frame = {
    time: view.getFloat64(8, true),
    step: view.getFloat64(16, true),
    failed: (flags & 1) !== 0,
    poses,
    signals: values,
    contacts,
    words,
    floats,
  };
  return { frame, size };
}

// ---- recordings ----------------------------------------------------------------------------------------------------

export function readRecording(buffer: ArrayBuffer): { scene: Scene; frames: Frame[] } {
  if (buffer.byteLength < 8) fail(`the recording is cut short: it has ${buffer.byteLength} bytes`);
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== BLOB_MAGIC) fail('the recording does not begin with LPR1');
  const length = view.getUint32(4, true);
  if (8 + length > buffer.byteLength) fail(`the recording is cut short: its scene needs ${length} bytes`);
  if (length % 8 !== 0) fail(`the recording's scene has ${length} bytes, not a multiple of 8`);
  const json = new TextDecoder().decode(new Uint8Array(buffer, 8, length));
  const scene = readScene(parseJson(json, 'the scene of the recording'));
  const frames: Frame[] = [];
  let offset = 8 + length;
  for (let i = 0; i < scene.framesCount; ++i) {
    const { frame, size } = readFrame(scene, buffer, offset, `frame ${i} of ${scene.framesCount}`);
    frames.push(frame);
    offset += size;
  }
  if (offset !== buffer.byteLength) fail(`the recording has ${buffer.byteLength - offset} bytes after its last frame`);
  if (frames.length === 0) fail('the recording has no frames');
  return { scene, frames };
}

export function parseJson(source: string, what: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    return fail(`${what} is not JSON: ${(error as Error).message}`);
  }
}

// Decodes base64, which may contain white space, in pieces, so that the decoded bytes of a large recording are never
// held in one string.
export function decodeBase64(source: string): ArrayBuffer {
  const clean = source.replace(/\s+/g, '');
  if (clean.length % 4 !== 0)
    fail(`the recording in this page is cut short (${clean.length} characters of base64)`);
  const padding = clean.endsWith('==') ? 2 : clean.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((clean.length / 4) * 3 - padding);
  const piece = 1 << 20; // a multiple of 4
  let end = 0;
  for (let begin = 0; begin < clean.length; begin += piece) {
    let part = '';
    try {
      part = atob(clean.slice(begin, begin + piece));
    } catch {
      fail('the recording in this page is not base64');
    }
    for (let i = 0; i < part.length; ++i) bytes[end++] = part.charCodeAt(i);
  }
  return bytes.buffer;
}
