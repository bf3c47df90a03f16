// The time that is shown. A recording is played from its frames. A live run is a time line that grows at its end. While
// attached to the end, the player shows the newest frame, and play, pause and step are sent to the server. Before the
// end, the frames received so far are played as a recording; at the end the player attaches and the run continues live.
import { Event } from './event';
import type { History } from './history';

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

// The next speed of the list; `speed` itself may lie between or beyond them (another viewer has set it).
export function nextSpeed(speed: number, by: 1 | -1): number {
  const further = by > 0 ? SPEEDS.find((value) => value > speed) : SPEEDS.filter((value) => value < speed).at(-1);
  return further ?? speed;
}

export interface LiveControls { play(): void; pause(): void; step(): void; reset(): void; speed(value: number): void }

export class Player {
  readonly changed = new Event(); // the time shown, or whether it is playing
  time = 0;
  index = 0;
  playing = false;     // through frames of the history
  running = false;     // the live run, by the server's last status
  attached: boolean;
  speed = 1;
  loop = true;

  constructor(readonly history: History, readonly live: LiveControls | null = null) {
    this.attached = live !== null;
    this.time = history.begin;
    this.loop = live === null;
    history.cleared.on(() => {
      this.attached = live !== null;
      this.playing = false;
      this.show(0);
    });
    history.dropped.on((count) => this.show(Math.max(0, this.index - count)));
  }

  get moving(): boolean {
    return this.attached ? this.running : this.playing;
  }

  // Position of the time shown between frame `index` (0) and the next one (1).
  get fraction(): number {
    const a = this.history.frames[this.index];
    const b = this.history.frames[this.index + 1];
    if (!a || !b || b.time <= a.time) return 0;
    return Math.min(1, Math.max(0, (this.time - a.time) / (b.time - a.time)));
  }

  frameArrived(): void {
    if (this.attached) this.show(this.history.last);
    else this.changed.emit();
  }

  // Plays on by seconds of real time.
  advance(seconds: number): void {
    if (this.attached || !this.playing) return;
    let time = this.time + seconds * this.speed;
    if (time >= this.history.end) {
      if (this.live) return this.goLive();
      if (!this.loop) {
        this.playing = false;
        return this.show(this.history.last);
      }
      time = this.history.begin;
    }
    this.time = time;
    this.index = this.history.at(time);
    this.changed.emit();
  }

  toggle(): void {
    if (this.moving) this.pause();
    else this.play();
  }

  play(): void {
    if (this.attached) this.live?.play();
    else {
      if (!this.live && this.index >= this.history.last) this.show(0);
      this.playing = true;
      this.changed.emit();
    }
  }

  pause(): void {
    if (this.live) this.live.pause();
    if (!this.attached && this.playing) this.show(this.index); // stop on a frame, not between two
    this.playing = false;
    this.changed.emit();
  }

  step(count: number): void {
    if (this.attached && count > 0) {
      if (this.running) this.pause();
      this.live?.step();
      return;
    }
    this.seekIndex(this.index + count);
  }

  // The user chose a frame: playback stops, and a live run is paused.
  seekIndex(index: number): void {
    this.playing = false;
    if (this.live) {
      if (this.running) this.live.pause();
      this.attached = index >= this.history.last;
    }
    this.show(index);
  }

  seek(time: number): void {
    const was = this.playing;
    this.seekIndex(this.history.nearest(time));
    if (was && !this.live) this.play();
  }

  goLive(): void {
    if (!this.live) return;
    this.playing = false;
    this.attached = true;
    this.live.play();
    this.show(this.history.last);
  }

  reset(): void {
    if (this.live) this.live.reset();
    else this.seekIndex(0);
  }

  setSpeed(value: number): void {
    this.speed = value;
    this.live?.speed(value);
    this.changed.emit();
  }

  private show(index: number): void {
    this.index = Math.max(0, Math.min(this.history.last, index));
    this.time = this.history.frames[this.index]?.time ?? 0;
    this.changed.emit();
  }
}
