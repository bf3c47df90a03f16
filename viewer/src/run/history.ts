// The frames of a run in order of time: all frames of a recording, or those received so far of a live run. When a live
// run exceeds a limit, its oldest quarter is dropped.
import type { Frame, Scene } from './data';
import { Event } from './event';

const MOST_FRAMES = 40_000;
const MOST_BYTES = 400e6;

const bytesOf = (frame: Frame): number =>
  frame.poses.byteLength + frame.signals.byteLength + frame.words.byteLength;

export class History {
  readonly dropped = new Event<number>(); // number of oldest frames dropped
  readonly cleared = new Event();
  private bytes = 0;

  constructor(readonly scene: Scene, readonly frames: Frame[] = []) {}

  get length(): number {
    return this.frames.length;
  }

  get last(): number {
    return this.frames.length - 1;
  }

  get begin(): number {
    return this.frames[0]?.time ?? 0;
  }

  get end(): number {
    return this.frames[this.last]?.time ?? 0;
  }

  append(frame: Frame): void {
    if (this.length > 0 && frame.step < this.frames[this.last].step) this.clear(); // the run was reset
    this.frames.push(frame);
    this.bytes += bytesOf(frame);
    if (this.length <= MOST_FRAMES && this.bytes <= MOST_BYTES) return;
    const count = Math.ceil(this.length / 4);
    for (const old of this.frames.splice(0, count)) this.bytes -= bytesOf(old);
    this.dropped.emit(count);
  }

  clear(): void {
    this.frames.length = 0;
    this.bytes = 0;
    this.cleared.emit();
  }

  // Index of the last frame at or before time; 0 if all frames are later.
  at(time: number): number {
    let low = 0;
    let high = this.length; // frames[low] <= time < frames[high], where both exist
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.frames[middle].time <= time) low = middle;
      else high = middle;
    }
    return low;
  }

  nearest(time: number): number {
    const i = this.at(time);
    const next = Math.min(i + 1, this.last);
    return Math.abs(this.frames[next]?.time - time) < Math.abs(this.frames[i]?.time - time) ? next : i;
  }
}
