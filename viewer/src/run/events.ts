// A list of listeners, the only wiring between the parts of the page.
export class Event<T = void> {
  private readonly listeners: ((value: T) => void)[] = [];

  on(listener: (value: T) => void): void {
    this.listeners.push(listener);
  }

  emit(value: T): void {
    for (const listener of [...this.listeners]) listener(value); // a listener may add another
  }
}
