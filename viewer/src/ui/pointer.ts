// The mouse in the 3-D view: hover, select, push. All other actions are left to the camera's controls.
import type { LiveConnection } from '../run/live_connection';
import type { Stage } from '../stage/stage';

const CLICK = 5; // px: a press that moves less is a click

export interface PointerActions {
  hover(body: number, x: number, y: number): void;
  select(body: number): void;
  focus(body: number): void;
  canPush(): boolean;
}

export class Pointer {
  private downAt: { x: number; y: number } | null = null;
  private last: { x: number; y: number } | null = null; // mouse position, picked at the next tick
  private outdated = false; // the push target has changed and is not sent yet

  constructor(
    private readonly stage: Stage, private readonly live: LiveConnection | null,
    private readonly actions: PointerActions,
  ) {
    const { canvas } = stage;
    // On the parent, in the capture phase: before the camera's controls receive the event.
    canvas.parentElement!.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointercancel', () => this.letGo());
    canvas.addEventListener('pointerleave', () => {
      this.last = null;
      if (!stage.band.active) actions.hover(-1, 0, 0);
    });
    canvas.addEventListener('dblclick', (event) => {
      const hit = stage.pick(event.clientX, event.clientY);
      if (hit) actions.focus(hit.body);
    });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  // Called once per drawn frame, which limits ray casts and messages to that rate.
  tick(): void {
    const { band } = this.stage;
    if (band.active) {
      if (!this.outdated) return;
      this.outdated = false;
      this.live?.push(band.body, [band.at.x, band.at.y, band.at.z], [band.to.x, band.to.y, band.to.z]);
      this.stage.refreshMarks();
    } else if (this.last) {
      const { x, y } = this.last;
      this.last = null;
      this.actions.hover(this.stage.pick(x, y)?.body ?? -1, x, y);
    }
  }

  letGo(): void {
    if (!this.stage.band.active) return;
    this.stage.band.release();
    this.stage.rig.controls.enabled = true;
    this.live?.release();
    this.stage.refreshMarks();
  }

  private down(event: PointerEvent): void {
    if (event.target !== this.stage.canvas || event.button !== 0) return;
    this.downAt = { x: event.clientX, y: event.clientY };
    if (!this.live || !this.actions.canPush()) return;
    const hit = this.stage.pick(event.clientX, event.clientY);
    if (!hit || hit.body === 0) return;
    if (!(event.ctrlKey || event.shiftKey || event.metaKey || hit.body === this.stage.selected)) return;
    this.stage.rig.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.band.grab(hit.body, hit.point, this.stage.poses, this.stage.rig.camera);
    this.outdated = true;
  }

  private move(event: PointerEvent): void {
    const { band } = this.stage;
    if (band.active) this.outdated = band.move(this.stage.aim(event.clientX, event.clientY).ray) || this.outdated;
    else if (event.buttons === 0) this.last = { x: event.clientX, y: event.clientY };
  }

  private up(event: PointerEvent): void {
    const pushed = this.stage.band.active;
    this.letGo();
    const from = this.downAt;
    this.downAt = null;
    if (!from || Math.hypot(event.clientX - from.x, event.clientY - from.y) > CLICK) return;
    if (pushed && event.ctrlKey) return;
    this.actions.select(this.stage.pick(event.clientX, event.clientY)?.body ?? -1);
  }
}
