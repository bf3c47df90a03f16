// A message in place of the page: while it loads, or when there is nothing to show.
import { h, icon } from './dom';

export function notice(root: HTMLElement, title: string, text: string, bad = false): void {
  const card = h('div', { class: bad ? 'card bad' : 'card' },
    icon(bad ? 'cross' : 'cube'), h('h1', {}, title), h('p', {}, text));
  root.replaceChildren(h('div', {
    class: 'notice', role: bad ? 'alert' : 'status', 'data-testid': bad ? 'error' : 'loading',
  }, card));
}
