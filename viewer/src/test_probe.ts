// The state of the page as the tests in viewer/test read it, at `window.linchpin`.
import type { App } from './app';

export interface Probe {
  ready: boolean;
  error: string | null;
  mode: string;
  readonly frames: number;
  readonly index: number;
  readonly time: number;
  readonly moving: boolean;
  readonly attached: boolean;
  readonly selected: number;
  readonly hovered: number;
  readonly followed: number;
  readonly framesPerSecond: number;
  readonly draws: number;
  readonly contacts: { points: number; arrows: number; cones: number };
  readonly marks: { rods: number; rings: number; balls: number; knots: number };
  readonly pushing: boolean;
  bodies(): string[];
  pose(body: number): number[];
  project(body: number): { x: number; y: number };
  camera(): number[];
}

declare global {
  interface Window { linchpin: Probe }
}

export function installProbe(): { attach(app: App, mode: string): void; fail(reason: string): void } {
  let app: App | null = null;
  window.linchpin = {
    ready: false,
    error: null,
    mode: '',
    get frames() { return app?.history.length ?? 0; },
    get index() { return app?.player.index ?? -1; },
    get time() { return app?.player.time ?? 0; },
    get moving() { return app?.player.moving ?? false; },
    get attached() { return app?.player.attached ?? false; },
    get selected() { return app?.stage.selected ?? -1; },
    get hovered() { return app?.stage.hovered ?? -1; },
    get followed() { return app?.stage.followed ?? -1; },
    get framesPerSecond() { return app?.stage.framesPerSecond ?? 0; },
    get draws() { return app?.stage.draws ?? 0; },
    get contacts() { return app?.stage.contacts.drawn ?? { points: 0, arrows: 0, cones: 0 }; },
    get marks() { return app?.stage.marks.drawn ?? { rods: 0, rings: 0, balls: 0, knots: 0 }; },
    get pushing() { return app?.stage.band.active ?? false; },
    bodies: () => app?.scene.bodies.map((body) => body.name) ?? [],
    pose: (body) => [...(app?.history.frames[app.player.index]?.poses.subarray(7 * body, 7 * body + 7) ?? [])],
    project: (body) => app?.stage.project(body) ?? { x: 0, y: 0 },
    camera: () => app?.stage.rig.camera.position.toArray() ?? [],
  };
  return {
    attach(made, mode) {
      app = made;
      window.linchpin.mode = mode;
      window.linchpin.ready = true;
    },
    fail(reason) {
      window.linchpin.error = reason;
    },
  };
}
