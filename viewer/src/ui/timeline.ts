// The bar below the view: play, step, speed, loop, and the slider of time.
import { nextSpeed, SPEEDS, type Player } from '../run/player';
import { clearedPen, h, icon, iconButton, setPressed } from './dom';
import { fixed, ticks, timeLabel } from './format';
import { cssColour } from './theme';

const INSET = 8; // px: half of the slider's thumb, the distance of its ends from those of the ruler

export class Timeline {
  readonly element: HTMLElement;
  private readonly playButton: HTMLButtonElement;
  private readonly loopButton: HTMLButtonElement;
  private readonly liveButton: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly ruler = h('canvas', { class: 'ruler', 'aria-hidden': 'true' });
  private readonly time = h('span', { class: 'now', 'data-testid': 'time' });
  private readonly count = h('span', { class: 'quiet', 'data-testid': 'frame-count' });
  private readonly speed: HTMLSelectElement;
  private playIcon = '';
  private ruled = ''; // the inputs of the last drawing of the ruler

  constructor(private readonly player: Player) {
    const live = player.live !== null;
    this.playButton = iconButton('play', 'Play or pause (space)', 'play', () => player.toggle());
    this.playButton.classList.add('primary');
    this.loopButton = iconButton('loop', 'Repeat at the end (L)', 'loop', () => this.toggleLoop());
    this.loopButton.hidden = live;
    this.liveButton = h('button', {
      class: 'button live', type: 'button', title: 'Go to the end and continue live (End)', 'data-testid': 'live',
      onclick: () => player.goLive(),
    }, 'Live');
    this.liveButton.hidden = !live;
    this.slider = h('input', {
      class: 'slider', type: 'range', step: 'any', min: 0, max: 1, 'aria-label': 'Time', 'data-testid': 'timeline',
      oninput: () => player.seek(Number(this.slider.value)),
    });
    this.slider.addEventListener('change', () => this.slider.blur());
    this.speed = h('select', {
      class: 'field speed', title: 'Simulated seconds per second (+ and −)', 'aria-label': 'Speed',
      'data-testid': 'speed',
      onchange: () => {
        player.setSpeed(Number(this.speed.value));
        this.speed.blur();
      },
    }, ...SPEEDS.map((value) => h('option', { value }, `${value}×`)));
    const startTitle = live ? 'Restart the run (Home)' : 'Go to the start (Home)';
    this.element = h('footer', { class: 'timeline' },
      h('div', { class: 'transport' },
        iconButton(live ? 'reset' : 'start', startTitle, 'start', () => player.reset()),
        iconButton('previous', 'One frame back (←)', 'step-back', () => player.step(-1)),
        this.playButton,
        iconButton('next', 'One frame forward (→)', 'step', () => player.step(1)),
        this.loopButton, this.liveButton, this.speed),
      h('div', { class: 'track' }, this.slider, this.ruler),
      h('div', { class: 'clock' }, this.time, this.count));
  }

  toggleLoop(): void {
    this.player.loop = !this.player.loop;
    this.update();
  }

  faster(by: 1 | -1): void {
    this.player.setSpeed(nextSpeed(this.player.speed, by));
  }

  update(): void {
    const { player } = this;
    const { history } = player;
    const name = player.moving ? 'pause' : 'play';
    if (name !== this.playIcon) {
      this.playIcon = name;
      this.playButton.replaceChildren(icon(name));
      this.playButton.dataset.playing = String(player.moving);
    }
    setPressed(this.loopButton, player.loop);
    setPressed(this.liveButton, player.attached);
    if (this.speed.value !== String(player.speed)) this.speed.value = String(player.speed);
    this.slider.min = String(history.begin);
    this.slider.max = String(Math.max(history.end, history.begin + 1e-9));
    this.slider.value = String(player.time);
    const done = history.end > history.begin ? (player.time - history.begin) / (history.end - history.begin) : 0;
    this.slider.style.setProperty('--done', `${100 * done}%`);
    this.slider.setAttribute('aria-valuetext', `${fixed(player.time, 3)} s`);
    this.time.textContent = `${fixed(player.time, 3)} s`;
    this.count.textContent = `frame ${history.length === 0 ? 0 : player.index + 1} of ${history.length}`;
    this.drawRuler();
  }

  // Draws the times below the slider, and a red mark at each failed step.
  private drawRuler(): void {
    const { history } = this.player;
    const width = this.ruler.clientWidth;
    const now = [history.begin, history.end, width, devicePixelRatio, cssColour('--quiet')].join();
    if (now === this.ruled) return;
    this.ruled = now;
    const pen = clearedPen(this.ruler);
    pen.font = '11px system-ui, sans-serif';
    pen.textBaseline = 'top';
    pen.textAlign = 'center';
    pen.fillStyle = cssColour('--quiet');
    pen.strokeStyle = cssColour('--rule');
    const span = history.end - history.begin || 1;
    const x = (time: number): number => INSET + ((time - history.begin) / span) * (width - 2 * INSET);
    for (const time of ticks(history.begin, history.end, width / 90)) {
      pen.beginPath();
      pen.moveTo(Math.round(x(time)) + 0.5, 0);
      pen.lineTo(Math.round(x(time)) + 0.5, 4);
      pen.stroke();
      pen.fillText(timeLabel(time), Math.max(12, Math.min(width - 12, x(time))), 5);
    }
    pen.fillStyle = cssColour('--bad');
    for (const frame of history.frames) if (frame.failed) pen.fillRect(x(frame.time) - 1, 0, 2, 4);
  }
}
