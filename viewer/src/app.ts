// The page of one run: creates its parts and connects them. A new time updates the 3-D view at once and the panels at
// most every PANELS_EVERY seconds.
import { type Certificate, type Scene, toneOf, verdictOf } from './run/data';
import type { History } from './run/history';
import type { LiveConnection, Status } from './run/live_connection';
import { Player } from './run/player';
import { type Preset, PRESETS } from './stage/camera_rig';
import { Stage } from './stage/stage';
import { CertificatePanel } from './ui/certificate';
import { h, iconButton, setPressed } from './ui/dom';
import { short } from './ui/format';
import { Help, type Shortcut } from './ui/help';
import { check, menu } from './ui/menu';
import { Inspector } from './ui/inspector';
import { Plots } from './ui/plots';
import { Pointer } from './ui/pointer';
import type { ThemeChoice } from './ui/theme';
import { Timeline } from './ui/timeline';
import { BodyTree } from './ui/body_tree';
import { Triad } from './ui/triad';

const PANELS_EVERY = 0.08; // s between redraws of the panels during playback

interface Switch { element: HTMLElement; toggle(): void; key: string; label: string }

export class App {
  readonly scene: Scene;
  readonly player: Player;
  readonly stage: Stage;
  readonly plots: Plots;
  private readonly tree: BodyTree;
  private readonly inspector: Inspector;
  private readonly certificate = new CertificatePanel();
  private readonly timeline: Timeline;
  private readonly pointer: Pointer;
  private readonly help: Help;
  private readonly triad = new Triad();
  private readonly status = h('span', { class: 'chip', 'data-testid': 'status' });
  private readonly verdict = h('span', { class: 'chip', 'data-testid': 'verdict' });
  private readonly banner = h('div', { class: 'banner', role: 'alert', 'data-testid': 'banner', hidden: true });
  private readonly tip = h('div', { class: 'tip', hidden: true });
  private readonly scale = h('div', { class: 'scale', 'data-testid': 'scale' });
  private readonly legend = h('div', { class: 'states', 'data-testid': 'contact-legend' });
  private readonly frameRate = h('span', { class: 'quiet rate' });
  private readonly left = h('aside', { class: 'left', 'aria-label': 'Bodies' });
  private readonly right = h('aside', { class: 'right', 'aria-label': 'Certificate and plots' });
  private stale = true;
  private sincePanels = 0;
  private touched = false; // a contact has been shown: the scale of arrows and the legend of states appear

  constructor(
    readonly history: History, readonly live: LiveConnection | null, private readonly theme: ThemeChoice,
    root: HTMLElement,
  ) {
    this.scene = history.scene;
    this.player = new Player(history, live);
    document.title = `${this.scene.name || 'run'} · linchpin`;

    this.tree = new BodyTree(this.scene);
    this.inspector = new Inspector(this.scene, () => this.toggleFollow(), () => this.stage.look(null));
    this.timeline = new Timeline(this.player);
    this.plots = new Plots(history, this.player);
    this.left.append(this.tree.element, this.inspector.element);
    this.right.append(this.certificate.element, this.plots.element);

    const canvas = h('canvas', {
      class: 'stage', 'data-testid': 'stage', 'aria-label': 'The mechanism in three dimensions',
    });
    const view = h('main', { class: 'view' },
      canvas, this.legend, this.scale, this.triad.element, this.banner, this.tip);
    const bar = h('header', { class: 'bar' });
    const middle = h('div', { class: 'middle' }, this.left, view, this.right);
    root.replaceChildren(h('div', { class: 'page' }, bar, middle, this.timeline.element));

    this.stage = new Stage(canvas, this.scene, history.frames[0], history.frames[history.last],
      (seconds) => this.tick(seconds));
    this.stage.rig.controls.addEventListener('change', () => this.triad.draw(this.stage.rig.camera));
    this.triad.draw(this.stage.rig.camera);
    this.stage.paint(theme.current);
    const switches = this.switches();
    const shortcuts = this.shortcuts(switches);
    this.help = new Help(shortcuts);
    document.body.append(this.help.dialog);
    this.fillBar(bar, switches);
    this.pointer = new Pointer(this.stage, live, {
      hover: (body, x, y) => this.hover(body, x, y),
      select: (body) => this.select(body),
      focus: (body) => this.focus(body),
      canPush: () => this.player.attached,
    });

    theme.changed.on((name) => {
      this.stage.paint(name);
      this.stale = true;
    });
    this.tree.hovered.on((body) => this.hover(body));
    this.tree.chosen.on((body) => this.select(body));
    this.tree.opened.on((body) => this.focus(body));
    this.player.changed.on(() => this.showMoment());
    this.setCertificate(this.scene.certificate);
    if (live) this.bindLive(live);
    else this.status.textContent = `recording · ${history.length} frames`;
    this.select(-1);
    this.describeScale();
  }

  select(body: number): void {
    this.stage.select(body);
    this.tree.mark(body, this.stage.hovered);
    if (body >= 0) this.tree.reveal(body);
    if (this.stage.followed >= 0) this.stage.follow(body);
    this.stale = true;
    this.sincePanels = PANELS_EVERY;
  }

  toggleFollow(): void {
    this.stage.follow(this.stage.followed >= 0 ? -1 : this.stage.selected);
    this.stale = true;
  }

  private focus(body: number): void {
    this.select(body);
    this.stage.look(body > 0 ? null : 'home');
  }

  private hover(body: number, x?: number, y?: number): void {
    this.stage.hover(body);
    this.tree.mark(this.stage.selected, body);
    this.stage.canvas.style.cursor = body >= 0 ? 'pointer' : '';
    this.tip.hidden = body < 0 || x === undefined;
    if (this.tip.hidden) return;
    this.tip.textContent = this.scene.bodies[body].name;
    const area = this.stage.canvas.getBoundingClientRect();
    this.tip.style.transform = `translate(${x! - area.left + 14}px, ${y! - area.top + 12}px)`;
  }

  private showMoment(): void {
    const { frames } = this.history;
    const { index, fraction } = this.player;
    if (frames[index]) this.stage.show(frames[index], frames[index + 1], fraction);
    if (!this.touched && frames[index]?.contacts > 0) {
      this.touched = true;
      this.describeScale();
    }
    this.stale = true;
  }

  private tick(seconds: number): void {
    this.player.advance(seconds);
    this.pointer.tick();
    this.sincePanels += seconds;
    if (!this.stale || this.sincePanels < PANELS_EVERY) return;
    this.sincePanels = 0;
    this.stale = false;
    this.timeline.update();
    this.plots.draw();
    const { selected, followed } = this.stage;
    this.inspector.show(selected, this.history.frames[this.player.index], followed >= 0 && followed === selected);
    this.frameRate.textContent = this.player.moving ? `${Math.round(this.stage.framesPerSecond)} fps` : '';
  }

  private bindLive(live: LiveConnection): void {
    live.frame.on((frame) => {
      this.history.append(frame);
      this.player.frameArrived();
    });
    live.status.on((status) => this.showStatus(status));
    live.ended.on((reason) => {
      this.player.running = false;
      this.status.textContent = 'not connected';
      this.status.className = 'chip bad';
      this.warn(`${reason} The frames received so far can still be viewed.`);
      this.stale = true;
    });
    this.status.textContent = 'live';
  }

  private showStatus(status: Status): void {
    this.player.running = status.running;
    if (Number.isFinite(status.speed)) this.player.speed = status.speed;
    const rate = status.running ? ` · ${short(status.rate, 2)}× real time` : '';
    this.status.textContent = status.failed ? 'stopped' : `${status.running ? 'running' : 'paused'}${rate}`;
    this.status.className = `chip ${status.failed ? 'bad' : status.running ? 'good' : ''}`;
    if (status.failed) {
      const { time, reason, body } = status.failed;
      this.warn(`The run stopped at t = ${short(time, 5)} s: ${reason}${body ? ` (body “${body}”)` : ''}.`);
    } else {
      this.banner.hidden = true;
    }
    this.setCertificate(status.certificate);
    this.stale = true;
  }

  private setCertificate(certificate: Certificate | null): void {
    this.certificate.show(certificate);
    this.certificate.element.hidden = this.verdict.hidden = !certificate;
    if (!certificate) return;
    const verdict = verdictOf(certificate);
    this.verdict.textContent = `certificate ${verdict}`;
    this.verdict.className = `chip ${toneOf(verdict)}`;
  }

  private warn(text: string): void {
    this.banner.textContent = text;
    this.banner.hidden = false;
  }

  private describeScale(): void {
    const { cell } = this.stage.ground;
    const { showForces, showCones, showPoints, newtonsPerMetre } = this.stage.contacts;
    const forces = `${short(cell)} m = ${short(newtonsPerMetre * cell, 2)} N`;
    this.scale.replaceChildren(
      h('span', {}, h('span', { class: 'cell' }), `grid ${short(cell)} m`),
      showForces && this.touched ? h('span', {}, h('span', { class: 'arrow' }), forces) : '');
    this.legend.replaceChildren(...['sticking', 'sliding', 'separating'].map((state) =>
      h('span', {}, h('span', { class: `state ${state}` }), state)));
    this.legend.hidden = !this.touched || !(showForces || showCones || showPoints);
  }

  // The check boxes of the menu "Show", each with its key.
  private switches(): Switch[] {
    const { contacts, marks, ground } = this.stage;
    const make = (label: string, key: string, id: string, on: boolean, set: (on: boolean) => void) => ({
      label, key,
      ...check(label, key, id, on, (value) => {
        set(value);
        this.stage.refreshMarks();
        this.describeScale();
      }),
    });
    return [
      make('contact forces', 'C', 'show-forces', contacts.showForces, (on) => (contacts.showForces = on)),
      make('friction cones', 'K', 'show-cones', contacts.showCones, (on) => (contacts.showCones = on)),
      make('contact points', 'O', 'show-points', contacts.showPoints, (on) => (contacts.showPoints = on)),
      make('joint axes', 'J', 'show-joints', marks.show.joints, (on) => (marks.show.joints = on)),
      make('frames', 'X', 'show-frames', marks.show.frames, (on) => (marks.show.frames = on)),
      make('centres of mass', 'M', 'show-centres', marks.show.centres, (on) => (marks.show.centres = on)),
      make('loops', 'U', 'show-loops', marks.show.loops, (on) => (marks.show.loops = on)),
      make('grid', 'G', 'show-grid', true, (on) => ground.showLines(on)),
    ];
  }

  private shortcuts(switches: Switch[]): Shortcut[] {
    const { player } = this;
    const look = (preset: Preset | null) => () => this.stage.look(preset);
    return [
      { keys: [' '], shown: 'space', what: 'play or pause', act: () => player.toggle() },
      {
        keys: ['ArrowRight', '.'], shown: '→ or .', what: 'one frame forward (one step, at the end of a live run)',
        act: () => player.step(1),
      },
      { keys: ['ArrowLeft', ','], shown: '← or ,', what: 'one frame back', act: () => player.step(-1) },
      { keys: ['Home'], shown: 'Home', what: 'to the start (restarts a live run)', act: () => player.reset() },
      {
        keys: ['End'], shown: 'End', what: 'to the end',
        act: () => (player.live ? player.goLive() : player.seekIndex(this.history.last)),
      },
      { keys: ['+', '='], shown: '+ −', what: 'faster, slower', act: () => this.timeline.faster(1) },
      { keys: ['-'], shown: '', what: '', act: () => this.timeline.faster(-1) },
      { keys: ['l'], shown: 'L', what: 'repeat at the end', act: () => this.timeline.toggleLoop() },
      ...PRESETS.map((preset, i) => ({
        keys: [presetKey(preset)], shown: i === 0 ? '1 … 6' : '', what: `view: ${PRESETS.join(', ')}`,
        act: look(preset),
      })),
      { keys: ['z'], shown: 'Z', what: 'fill the view (with the selected body)', act: look(null) },
      { keys: ['f'], shown: 'F', what: 'follow the selected body', act: () => this.toggleFollow() },
      { keys: ['Escape'], shown: 'Escape', what: 'clear the selection', act: () => this.select(-1) },
      ...switches.map(({ key, label, toggle }) => (
        { keys: [key.toLowerCase()], shown: key, what: `show ${label}`, act: toggle })),
      { keys: ['b'], shown: 'B', what: 'show or hide the bodies', act: () => fold(this.left) },
      { keys: ['p'], shown: 'P', what: 'show or hide the plots', act: () => fold(this.right) },
      { keys: ['s'], shown: 'S', what: 'screenshot', act: () => void this.screenshot() },
      { keys: ['d'], shown: 'D', what: 'dark or light theme', act: () => this.theme.toggle() },
      { keys: ['?', 'h'], shown: '? or H', what: 'this help', act: () => this.help.toggle() },
    ];
  }

  private fillBar(bar: HTMLElement, switches: Switch[]): void {
    const arrows = h('input', {
      type: 'range', min: -2, max: 2, step: 0.1, value: 0,
      'aria-label': 'Length of force arrows', 'data-testid': 'arrow-scale',
    });
    arrows.addEventListener('input', () => {
      this.stage.contacts.enlarge = 10 ** Number(arrows.value);
      this.stage.refreshMarks();
      this.describeScale();
    });
    const cameras = PRESETS.map((preset) => h('button', {
      class: 'entry', type: 'button', 'data-testid': `camera-${preset}`, onclick: () => this.stage.look(preset),
    }, preset, h('kbd', {}, presetKey(preset))));
    const bodies = iconButton('tree', 'Show or hide the bodies (B)', 'toggle-bodies', () => fold(this.left));
    const plots = iconButton('chart', 'Show or hide the plots (P)', 'toggle-plots', () => fold(this.right));
    for (const button of [bodies, plots]) setPressed(button, false);
    const { name, source, method, stepper, dt } = this.scene;
    const about = [stepper.replaceAll('_', ' '), method, dt > 0 ? `dt ${short(dt)} s` : '']
      .filter(Boolean).join(' · ');
    bar.append(
      bodies,
      h('span', { class: 'brand', title: `linchpin ${this.scene.linchpin}` }, 'linchpin'),
      h('span', { class: 'scene-name', title: source }, name || source),
      h('span', { class: 'quiet about' }, about),
      h('span', { class: 'space' }),
      this.frameRate, this.status, this.verdict,
      menu('eye', 'Show', 'Choose what to show', 'menu-show',
        ...switches.map(({ element }) => element),
        h('label', { class: 'check column' }, h('span', { class: 'name' }, 'length of arrows'), arrows)),
      menu('cube', 'View', 'Choose a view', 'menu-view', ...cameras),
      iconButton('camera', 'Save a picture of the view (S)', 'screenshot', () => void this.screenshot()),
      iconButton('theme', 'Dark or light theme (D)', 'theme', () => this.theme.toggle()),
      iconButton('help', 'Keys and mouse (?)', 'help', () => this.help.toggle()),
      plots);
  }

  private async screenshot(): Promise<void> {
    const address = URL.createObjectURL(await this.stage.picture());
    const name = `${this.scene.name || 'linchpin'}_${this.player.time.toFixed(3)}s.png`.replace(/[^\w.-]+/g, '_');
    h('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }
}

const presetKey = (preset: Preset): string => String(PRESETS.indexOf(preset) + 1);

function fold(side: HTMLElement): void {
  side.hidden = !side.hidden;
}
