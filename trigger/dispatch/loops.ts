import type { Ticker } from '../ticker';
import type { WaitingHints } from './waiting-hints';

/**
 * The dispatch loops. Each namespace has loops of its own, so that a server that is slow or never answers does not
 * block other namespaces. The loops of a namespace are created when a firing first waits in it, and woken whenever more
 * firings do. Loops are never removed: namespaces are few, and an idle loop costs little.
 */
export class DispatchLoops {
  readonly #loops = new Map<string, Ticker[]>();
  #isRunning = false;

  constructor(
    private readonly waiting: WaitingHints,
    private readonly make: (namespace: string) => Ticker[],
  ) {
    waiting.onMore((namespaces) => this.#wake(namespaces));
  }

  start(): void {
    this.#isRunning = true;
    this.#wake(this.waiting.namespaces());
  }

  /** From now on, create no loops and start no passes. Resolves when the running passes have ended. */
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
