// A list of listeners. The parts of the page notify each other only through these.
export class Event<T = void> {
  private readonly listeners: ((value: T) => void)[] = [];

  on(listener: (value: T) => void): void {
    this.listeners.push(listener);
  }

  emit(value: T): void {
    for (const listener of [...this.listeners]) listener(value); // a copy: a listener may add another
  }
}
