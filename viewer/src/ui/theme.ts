// Dark or light: the system's preference until the user chooses. The choice is stored where the browser allows it.
import type { Theme } from '../stage/palette';
import { Event } from '../run/event';

const KEY = 'linchpin-theme';

export class ThemeChoice {
  readonly changed = new Event<Theme>();
  private readonly system = matchMedia('(prefers-color-scheme: dark)');
  private chosen: Theme | null = null;

  constructor() {
    const kept = remembered();
    if (kept === 'light' || kept === 'dark') this.chosen = kept;
    this.system.addEventListener('change', () => this.apply());
    this.apply();
  }

  get current(): Theme {
    return this.chosen ?? (this.system.matches ? 'dark' : 'light');
  }

  toggle(): void {
    this.chosen = this.current === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(KEY, this.chosen);
    } catch {
      // A page opened from disk may have no storage; the choice then lasts as long as the page.
    }
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.current;
    this.changed.emit(this.current);
  }
}

function remembered(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export const cssColour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
