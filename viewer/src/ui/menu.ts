// A button that opens a sheet below it; a click elsewhere or Escape closes the sheet.
import { h, icon, type IconName } from './dom';

export function menu(name: IconName, label: string, title: string, id: string, ...content: HTMLElement[]): HTMLElement {
  const sheet = h('div', { class: 'sheet', hidden: true }, ...content);
  const button = h('button', {
    class: 'button', type: 'button', title, 'aria-haspopup': 'true', 'aria-expanded': 'false', 'data-testid': id,
  }, icon(name), label);
  const set = (open: boolean): void => {
    sheet.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
  };
  button.addEventListener('click', () => set(sheet.hidden));
  const holder = h('div', { class: 'menu' }, button, sheet);
  addEventListener('pointerdown', (event) => {
    if (!holder.contains(event.target as Node)) set(false);
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') set(false);
  });
  return holder;
}

// A check box with its key, for a sheet.
export function check(
  label: string, key: string, id: string, on: boolean, change: (on: boolean) => void,
): { element: HTMLElement; toggle(): void } {
  const box = h('input', { type: 'checkbox', 'data-testid': id });
  box.checked = on;
  box.addEventListener('change', () => {
    change(box.checked);
    box.blur();
  });
  const element = h('label', { class: 'check' }, box, h('span', { class: 'name' }, label), key && h('kbd', {}, key));
  return { element, toggle: () => box.click() };
}
