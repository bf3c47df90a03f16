// The keyboard shortcuts and the help dialog that lists them, both from one table, with the mouse actions.
import { h, iconButton } from './dom';

export interface Shortcut { keys: string[]; shown: string; what: string; act: () => void }

const MOUSE: [string, string][] = [
  ['drag', 'rotate the view'],
  ['right drag, or Shift + drag off the bodies', 'move the view'],
  ['wheel', 'zoom'],
  ['click', 'select a body'],
  ['double click', 'fill the view with a body'],
  ['Ctrl or Shift + drag on a body', 'push it (live runs)'],
  ['drag on the selected body', 'push it (live runs)'],
  ['click or drag on a plot', 'go to that time'],
];

export class Help {
  readonly dialog: HTMLDialogElement;

  constructor(shortcuts: Shortcut[]) {
    const rows = (pairs: [string, string][]): HTMLElement[] =>
      pairs.map(([key, what]) => h('tr', {}, h('td', {}, h('kbd', {}, key)), h('td', {}, what)));
    const keys = shortcuts.filter(({ shown }) => shown !== '')
      .map(({ shown, what }): [string, string] => [shown, what]);
    const half = Math.ceil((keys.length + MOUSE.length) / 2);
    const close = iconButton('cross', 'Close (Escape)', 'close-help', () => this.dialog.close());
    this.dialog = h('dialog', { class: 'help', 'data-testid': 'help-dialog', 'aria-label': 'Keys and mouse' },
      h('header', {}, h('h2', {}, 'Keys and mouse'), h('span', { class: 'space' }), close),
      h('div', { class: 'columns' },
        h('table', {}, ...rows(keys.slice(0, half))),
        h('table', {}, ...rows([...keys.slice(half), ...MOUSE]))));
    this.dialog.addEventListener('click', (event) => {
      if (event.target === this.dialog) this.dialog.close(); // a click outside the sheet
    });
    // A button clicked by mouse loses the focus, so that the space bar keeps its meaning (play or pause).
    addEventListener('click', (event) => {
      if (event.detail > 0) (event.target as Element).closest('button')?.blur();
    });
    addEventListener('keydown', (event) => {
      const target = event.target as HTMLElement;
      const typing = target instanceof HTMLInputElement && (target.type === 'search' || target.type === 'text');
      if (typing || target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target instanceof HTMLButtonElement && event.key === ' ') return; // focused by Tab: space presses the button
      const shortcut = shortcuts.find(({ keys }) => keys.includes(event.key) || keys.includes(event.key.toLowerCase()));
      if (!shortcut || (this.dialog.open && event.key !== '?')) return;
      event.preventDefault();
      shortcut.act();
    });
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}
