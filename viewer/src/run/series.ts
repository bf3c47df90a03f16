// Time series for plots: the scene's signals, and the forces between two bodies, summed over their contacts.
import { CONTACT_WORDS, type Frame, type Scene } from './data';
import type { History } from './history';

export interface Source { key: string; name: string; unit: string; group: string; value(frame: Frame): number }

const GROUP_OF_CONTACTS = 'contact force';

// All signals that can be plotted, by key. A pair of bodies is added when a frame with a contact between them is
// scanned.
export class Sources {
  readonly all = new Map<string, Source>();
  private readonly scene: Scene;
  private readonly pairs = new Set<number>();
  private scanned = 0; // number of frames scanned for pairs

  constructor(private readonly history: History) {
    this.scene = history.scene;
    this.scene.signals.forEach((signal, i) => {
      const key = `signal:${i}`;
      this.all.set(key, { key, ...signal, value: (frame) => frame.signals[i] });
    });
    history.dropped.on((count) => (this.scanned = Math.max(0, this.scanned - count)));
    history.cleared.on(() => (this.scanned = 0));
  }

  group(name: string): Source[] {
    this.scan();
    return [...this.all.values()].filter((source) => source.group === name);
  }

  groups(): Map<string, Source[]> {
    this.scan();
    const groups = new Map<string, Source[]>();
    for (const source of this.all.values()) {
      const group = groups.get(source.group);
      if (group) group.push(source);
      else groups.set(source.group, [source]);
    }
    return groups;
  }

  private scan(): void {
    for (; this.scanned < this.history.length; ++this.scanned) {
      const frame = this.history.frames[this.scanned];
      for (let c = 0; c < frame.contacts; ++c) {
        const [a, b] = bodiesOf(this.scene, frame, c);
        this.addPair(Math.min(a, b), Math.max(a, b));
      }
    }
  }

  private addPair(a: number, b: number): void {
    const pair = a * this.scene.bodies.length + b;
    if (this.pairs.has(pair)) return;
    this.pairs.add(pair);
    const key = `contact:${a}:${b}`;
    const names = `${this.scene.bodies[b].name} on ${this.scene.bodies[a].name}`;
    const add = (what: 'normal' | 'friction') =>
      this.all.set(`${key}:${what}`, {
        key: `${key}:${what}`,
        name: `${names}, ${what}`,
        unit: 'N',
        group: GROUP_OF_CONTACTS,
        value: (frame) => pairForce(this.scene, frame, a, b)[what],
      });
    add('normal');
    add('friction');
  }
}

export function bodiesOf(scene: Scene, frame: Frame, contact: number): [number, number] {
  const at = CONTACT_WORDS * contact;
  return [scene.shapeByIndex.get(frame.words[at])!.body, scene.shapeByIndex.get(frame.words[at + 1])!.body];
}

// Normal force and magnitude of the friction force of one contact, N.
export function contactForce(frame: Frame, contact: number): { normal: number; friction: number } {
  const f = frame.floats;
  const n = CONTACT_WORDS * contact + 7;
  const k = n + 3;
  const normal = f[n] * f[k] + f[n + 1] * f[k + 1] + f[n + 2] * f[k + 2];
  const friction = Math.hypot(f[k] - normal * f[n], f[k + 1] - normal * f[n + 1], f[k + 2] - normal * f[n + 2]);
  return { normal, friction };
}

// Sums over the contacts between two bodies, N; friction is the magnitude of the vector sum.
function pairForce(scene: Scene, frame: Frame, a: number, b: number): { normal: number; friction: number } {
  let normal = 0;
  const t = [0, 0, 0];
  for (let c = 0; c < frame.contacts; ++c) {
    const [p, q] = bodiesOf(scene, frame, c);
    if (!((p === a && q === b) || (p === b && q === a))) continue;
    const along = contactForce(frame, c).normal;
    const sign = p === a ? 1 : -1; // force and normal change sign with the order of the two bodies
    normal += along;
    const n = CONTACT_WORDS * c + 7;
    for (let i = 0; i < 3; ++i) t[i] += sign * (frame.floats[n + 3 + i] - along * frame.floats[n + i]);
  }
  return { normal, friction: Math.hypot(t[0], t[1], t[2]) };
}

// The values of one source at all frames so far, each computed once.
export class Series {
  private values: number[] = [];

  constructor(private readonly history: History, readonly source: Source) {
    history.dropped.on((count) => this.values.splice(0, count));
    history.cleared.on(() => (this.values = []));
  }

  get all(): readonly number[] {
    const { frames } = this.history;
    for (let i = this.values.length; i < frames.length; ++i) this.values.push(this.source.value(frames[i]));
    return this.values;
  }
}
