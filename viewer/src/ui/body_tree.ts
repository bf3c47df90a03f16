// The panel with the tree of bodies and its filter.
import type { Scene } from '../run/data';
import { Event } from '../run/event';
import { bodyColour } from '../stage/palette';
import { h, panel, searchField } from './dom';

export class BodyTree {
  readonly hovered = new Event<number>();
  readonly chosen = new Event<number>();
  readonly opened = new Event<number>(); // by a double click
  readonly element: HTMLElement;
  private readonly rows: HTMLElement[] = [];
  private readonly children: number[][];
  private readonly closed = new Set<number>();
  private filter = '';

  constructor(private readonly scene: Scene) {
    this.children = scene.bodies.map(() => []);
    scene.bodies.forEach((body, i) => {
      if (body.parent >= 0) this.children[body.parent].push(i);
    });
    const list = h('div', { class: 'tree', role: 'tree', 'aria-label': 'Bodies', 'data-testid': 'tree' });
    for (const root of scene.bodies.keys()) if (scene.bodies[root].parent < 0) this.addRows(list, root, 0);
    const search = searchField('Find a body', 'tree-filter', (text) => {
      this.filter = text;
      this.arrange();
    });
    const count = h('span', { class: 'quiet' }, String(scene.bodies.length - 1));
    this.element = panel('grow', h('h2', {}, 'Bodies'), [count], search, list);
    list.addEventListener('mouseleave', () => this.hovered.emit(-1));
    this.arrange();
  }

  mark(selected: number, hovered: number): void {
    this.rows.forEach((row, body) => {
      row.classList.toggle('hovered', body === hovered);
      if (row.getAttribute('aria-selected') === 'true' || body === selected)
        row.setAttribute('aria-selected', String(body === selected));
    });
  }

  reveal(body: number): void {
    for (const ancestor of this.ancestors(body)) this.closed.delete(ancestor);
    this.arrange();
    this.rows[body].scrollIntoView({ block: 'nearest' });
  }

  private ancestors(body: number): number[] {
    const found: number[] = [];
    for (let p = this.scene.bodies[body].parent; p >= 0; p = this.scene.bodies[p].parent) found.push(p);
    return found;
  }

  private addRows(list: HTMLElement, body: number, depth: number): void {
    const { name } = this.scene.bodies[body];
    const twist = h('span', { class: 'twist', 'aria-hidden': 'true' }, this.children[body].length > 0 ? '▾' : '');
    const dot = h('span', { class: 'dot' });
    dot.style.background = `#${bodyColour(body).getHexString()}`;
    const row = h('div', {
      class: 'row', role: 'treeitem', 'aria-selected': 'false', 'aria-level': depth + 1, title: name,
      'data-body': body, 'data-testid': `body-${body}`,
      onmouseenter: () => this.hovered.emit(body),
      onclick: () => this.chosen.emit(body),
      ondblclick: () => this.opened.emit(body),
    }, twist, dot, h('span', { class: 'name' }, name || `body ${body}`));
    row.style.paddingLeft = `${6 + 12 * Math.min(depth, 9)}px`;
    twist.addEventListener('click', (event) => {
      if (this.children[body].length === 0) return;
      event.stopPropagation();
      if (!this.closed.delete(body)) this.closed.add(body);
      this.arrange();
    });
    this.rows[body] = row;
    list.append(row);
    for (const child of this.children[body]) this.addRows(list, child, depth + 1);
  }

  private arrange(): void {
    this.rows.forEach((row, body) => {
      row.hidden = this.filter
        ? !this.scene.bodies[body].name.toLowerCase().includes(this.filter)
        : this.ancestors(body).some((ancestor) => this.closed.has(ancestor));
      if (this.children[body].length > 0) row.firstElementChild!.textContent = this.closed.has(body) ? '▸' : '▾';
    });
  }
}
