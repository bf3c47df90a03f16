// Creates HTML elements: h() makes one with its attributes, listeners (on...) and children in one expression.
type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, props: Props = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key.slice(2), value as EventListener);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

// Line drawings in SVG, 24 by 24 units.
const ICONS = {
  play: '<path d="M8 5.5v13l11-6.5z" fill="currentColor"/>',
  pause: '<path d="M8 5.5v13M16 5.5v13" stroke-width="3.4"/>',
  next: '<path d="M6 6.5v11l8-5.5z" fill="currentColor"/><path d="M18 6v12" stroke-width="2.6"/>',
  previous: '<path d="M18 6.5v11l-8-5.5z" fill="currentColor"/><path d="M6 6v12" stroke-width="2.6"/>',
  start: '<path d="M19 6v12l-7-6zM11.500 6v12l-7-6z" fill="currentColor"/>',
  reset: '<path d="M5 12a7 7 0 1 0 2.200-5.100"/><path d="M4.500 4.500v4h4"/>',
  loop: '<path d="M5 11V9.500A2.500 2.500 0 0 1 7.500 7H18"/><path d="m15.500 4 3 3-3 3"/>' +
    '<path d="M19 13v1.500a2.500 2.500 0 0 1-2.500 2.500H6"/><path d="m8.500 20-3-3 3-3"/>',
  camera: '<path d="M4 8h3.500l1.500-2.500h6L16.500 8H20v11H4z"/><circle cx="12" cy="13" r="3.300"/>',
  eye: '<path d="M3 12s3.300-6 9-6 9 6 9 6-3.300 6-9 6-9-6-9-6z"/><circle cx="12" cy="12" r="2.600"/>',
  cube: '<path d="m12 3.500 7.500 4.200v8.600L12 20.500l-7.500-4.200V7.700z"/>' +
    '<path d="M4.500 7.700 12 12l7.500-4.300M12 12v8.500"/>',
  theme: '<circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>',
  help: '<circle cx="12" cy="12" r="8.500"/><path d="M12 16.800v.1" stroke-width="2.400"/>' +
    '<path d="M9.500 9.500a2.500 2.500 0 1 1 3.700 2.200c-.8.5-1.200 1-1.200 2"/>',
  tree: '<path d="M5 5v13h5M5 11h5"/><path d="M13 5h6M13 11h6M13 18h6" stroke-width="2.400"/>',
  chart: '<path d="M4 4v16h16"/><path d="m7 15 4-5 3 3 5-7"/>',
  follow: '<circle cx="12" cy="12" r="6.500"/><circle cx="12" cy="12" r="1.500" fill="currentColor"/>' +
    '<path d="M12 2.500v4M12 17.500v4M2.500 12h4M17.500 12h4"/>',
  focus: '<path d="M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  cross: '<path d="m6 6 12 12M18 6 6 18"/>',
  settings: '<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>',
} as const;

export type IconName = keyof typeof ICONS;

export function icon(name: IconName): HTMLElement {
  const holder = h('span', { class: 'icon', 'aria-hidden': 'true' });
  const style = 'fill="none" stroke="currentColor" stroke-width="1.800" stroke-linecap="round" stroke-linejoin="round"';
  holder.innerHTML = `<svg viewBox="0 0 24 24" width="18" height="18" ${style}>${ICONS[name]}</svg>`;
  return holder;
}

export function iconButton(
  name: IconName, title: string, id: string, press: () => void, label = '',
): HTMLButtonElement {
  const button = h('button', {
    class: label ? 'button' : 'button square', type: 'button', title, 'aria-label': title, 'data-testid': id, id,
  }, icon(name), label);
  button.addEventListener('click', press);
  return button;
}

// A panel of a side bar: a title and its buttons above the content.
export function panel(kind: string, title: Child, tools: Child[], ...content: Child[]): HTMLElement {
  return h('section', { class: `panel ${kind}` },
    h('header', {}, title, h('span', { class: 'space' }), ...tools),
    ...content);
}

// A field that reports the text in it, trimmed and in lower case, at every change.
export function searchField(label: string, id: string, change: (text: string) => void): HTMLInputElement {
  const field = h('input', {
    class: 'field', type: 'search', placeholder: label, 'aria-label': label, 'data-testid': id,
    oninput: () => change(field.value.trim().toLowerCase()),
  });
  return field;
}

// The pen of an empty canvas with one unit per CSS pixel, at the resolution of the screen.
export function clearedPen(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const { clientWidth, clientHeight } = canvas;
  const width = Math.round(clientWidth * devicePixelRatio);
  const height = Math.round(clientHeight * devicePixelRatio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const pen = canvas.getContext('2d')!;
  pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  pen.clearRect(0, 0, clientWidth, clientHeight);
  return pen;
}

export function setPressed(button: HTMLElement, on: boolean): void {
  button.setAttribute('aria-pressed', String(on));
}
