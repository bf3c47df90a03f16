// Time series for plots: the scene's signals, and the forces between two bodies, summed over their contacts.
import { bodiesOf, pairForce } from './contacts';
import type { Frame, Scene } from './data';
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
