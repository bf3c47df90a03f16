// The plots beside the view: each shows the signals that the user chooses; a click in a plot shows that time in the
// view.
import { Event } from '../run/event';
import type { History } from '../run/history';
import type { Player } from '../run/player';
import { Series, type Source, Sources } from '../run/series';
import { drawChart, timeAt } from './chart';
import { h, icon, iconButton, panel, searchField } from './dom';
import { withUnit } from './format';

const COLOURS = ['#3b82f6', '#f97316', '#10b981', '#ef4444', '#a855f7', '#eab308', '#06b6d4', '#ec4899'];
const MOST_LISTED = 150; // entries per group in the list of signals

export class Plots {
  readonly element: HTMLElement;
  readonly sources: Sources;
  private readonly series = new Map<string, Series>();
  private readonly plots: Plot[] = [];
  private readonly list = h('div', { class: 'plots' });

  constructor(readonly history: History, readonly player: Player) {
    this.sources = new Sources(history);
    const add = iconButton('plus', 'Add a plot', 'add-plot', () => this.add([], false).open(), 'Plot');
    this.element = panel('grow', h('h2', {}, 'Plots'), [add], this.list);
    const named = this.sources.groups();
    this.add((named.get('energy') ?? []).slice(0, 5), false);
    const certificate = (named.get('certificate') ?? []).slice(0, 5);
    if (certificate.length > 0) this.add(certificate, true);
  }

  add(sources: Source[], log: boolean): Plot {
    const plot = new Plot(this, sources, log);
    plot.closed.on(() => {
      this.plots.splice(this.plots.indexOf(plot), 1);
      plot.element.remove();
    });
    this.plots.push(plot);
    this.list.append(plot.element);
    return plot;
  }

  seriesOf(source: Source): Series {
    let series = this.series.get(source.key);
    if (!series) this.series.set(source.key, (series = new Series(this.history, source)));
    return series;
  }

  draw(): void {
    if (this.element.offsetParent === null) return; // the panel is hidden
    const times = this.history.frames.map((frame) => frame.time);
    for (const plot of this.plots) plot.draw(times);
  }
}

class Plot {
  readonly closed = new Event();
  readonly element: HTMLElement;
  private readonly canvas = h('canvas', {
    class: 'chart', 'data-testid': 'plot-canvas', role: 'img', 'aria-label': 'Plot over time; click to go to a time',
  });
  private readonly legend = h('div', { class: 'legend', 'data-testid': 'plot-legend' });
  private readonly picker = h('div', { class: 'picker', hidden: true });
  private readonly title = h('span', { class: 'title' });
  private readonly logBox: HTMLInputElement;
  private hover: number | null = null;
  private filter = '';

  constructor(private readonly plots: Plots, private chosen: Source[], log: boolean) {
    this.logBox = h('input', { type: 'checkbox', 'data-testid': 'plot-log', onchange: () => plots.draw() });
    this.logBox.checked = log;
    const choose = h('button', {
      class: 'button choose', type: 'button', title: 'Choose the signals to plot', 'data-testid': 'plot-choose',
      onclick: () => this.toggle(),
    }, this.title, icon('settings'));
    const close = iconButton('cross', 'Remove this plot', '', () => this.closed.emit());
    close.removeAttribute('id');
    const logCheck = h('label', { class: 'check', title: 'Logarithmic axis, absolute values' }, this.logBox, 'log');
    this.element = h('div', { class: 'plot', 'data-testid': 'plot' },
      h('div', { class: 'plot-head' }, choose, logCheck, close),
      this.picker, this.canvas, this.legend);
    this.bindMouse();
    this.retitle();
  }

  open(): void {
    this.picker.hidden = false;
    this.list();
    this.picker.querySelector('input')!.focus();
  }

  private toggle(): void {
    if (this.picker.hidden) this.open();
    else this.picker.hidden = true;
  }

  draw(times: readonly number[]): void {
    const { history, player } = this.plots;
    const units = [...new Set(this.chosen.map((source) => source.unit))];
    const curves = this.chosen.map((source, i) => (
      { values: this.plots.seriesOf(source).all, colour: COLOURS[i % COLOURS.length] }));
    drawChart(this.canvas, curves, {
      times, begin: history.begin, end: history.end, cursor: player.time, hover: this.hover, log: this.logBox.checked,
      unit: units.length === 1 ? units[0] : units.filter(Boolean).join(', '),
    });
    const index = this.hover === null ? player.index : history.nearest(this.hover);
    this.chosen.forEach((source, i) => {
      const value = curves[i].values[index];
      const shown = value === undefined ? '' : withUnit(value, source.unit, 4);
      this.legend.children[i].lastElementChild!.textContent = shown;
    });
  }

  private retitle(): void {
    const groups = [...new Set(this.chosen.map((source) => source.group))];
    this.title.textContent = groups.length > 0 ? groups.join(', ') : 'choose signals';
    this.legend.replaceChildren(...this.chosen.map((source, i) => {
      const swatch = h('span', { class: 'swatch' });
      swatch.style.background = COLOURS[i % COLOURS.length];
      const name = h('span', { class: 'name' }, source.name);
      return h('span', { class: 'entry', title: source.name }, swatch, name, h('b', {}));
    }));
    this.plots.draw();
  }

  // Fills the list of signals, by group, with a check box each.
  private list(): void {
    const search = searchField('Find a signal', 'plot-filter', (text) => {
      this.filter = text;
      fill();
    });
    search.value = this.filter;
    const choices = h('div', { class: 'choices' });
    const fill = (): void => {
      const groups = [...this.plots.sources.groups()];
      choices.replaceChildren(...groups.flatMap(([group, sources]) => this.group(group, sources)));
    };
    fill();
    this.picker.replaceChildren(search, choices);
  }

  private group(group: string, sources: Source[]): HTMLElement[] {
    const found = sources.filter((source) =>
      source.name.toLowerCase().includes(this.filter) || group.includes(this.filter));
    if (found.length === 0) return [];
    const rows = found.slice(0, MOST_LISTED).map((source) => {
      const box = h('input', {
        type: 'checkbox', 'data-key': source.key,
        onchange: () => {
          this.chosen = box.checked ? [...this.chosen, source] : this.chosen.filter((each) => each.key !== source.key);
          this.retitle();
        },
      });
      box.checked = this.chosen.some((each) => each.key === source.key);
      return h('label', { class: 'check', title: source.name },
        box, h('span', { class: 'name' }, source.name), h('span', { class: 'quiet' }, source.unit));
    });
    const left = found.length - MOST_LISTED;
    const more = left > 0 ? [h('p', { class: 'quiet' }, `${left} more: type to filter`)] : [];
    return [h('h3', {}, `${group} (${found.length})`), ...rows, ...more];
  }

  private bindMouse(): void {
    const time = (event: MouseEvent): number => {
      const area = this.canvas.getBoundingClientRect();
      return timeAt(event.clientX - area.left, area.width, this.plots.history.begin, this.plots.history.end);
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.plots.player.seek(time(event));
    });
    this.canvas.addEventListener('pointermove', (event) => {
      this.hover = time(event);
      if (event.buttons & 1) this.plots.player.seek(this.hover);
      this.plots.draw();
    });
    this.canvas.addEventListener('pointerleave', () => {
      this.hover = null;
      this.plots.draw();
    });
  }
}
