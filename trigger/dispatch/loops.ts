import type { Ticker } from '../ticker';
import type { WaitingHints } from './waiting';

/**
 * The dispatch loops, some for each namespace, so that a server that is slow, or accepts calls and never answers, holds up
 * no other's. Those of a namespace are made when something first waits in it, are woken whenever more does, and stay:
 * namespaces are few, and a loop that finds nothing to do costs nothing.
 */
export class DispatchLoops {
  readonly #loops = new Map<string, Ticker[]>();
  #isRunning = false;

  /** @param make makes the loops of a namespace */
  constructor(
    private readonly waiting: WaitingHints,
    private readonly make: (namespace: string) => Ticker[],
  ) {
    waiting.onMore((namespaces) => this.#wake(namespaces));
  }

  /** Begin with what is known to wait already. */
  start(): void {
    this.#isRunning = true;
    this.#wake(this.waiting.namespaces());
  }

  /** Make and start nothing further; resolves when the running passes have ended. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all([...this.#loops.values()].flat().map((loop) => loop.stop()));
  }

  #wake(namespaces: Iterable<string>): void {
    if (!this.#isRunning) return;
    for (const namespace of namespaces) {
      const known = this.#loops.get(namespace);
      if (known) for (const loop of known) loop.wake();
      else this.#begin(namespace);
    }
  }

  #begin(namespace: string): void {
    const made = this.make(namespace);
    this.#loops.set(namespace, made);
    for (const loop of made) loop.start();
  }
}
