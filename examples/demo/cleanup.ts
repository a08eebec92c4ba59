import { atMost } from './wait';

const STEP_MILLISECONDS = 15_000;

/** What is to be undone at the end, last first: servers, which come up first, go down last. */
export class Cleanup {
  readonly #steps: { name: string; undo: () => Promise<unknown> }[] = [];

  add(name: string, undo: () => Promise<unknown>): void {
    this.#steps.push({ name, undo });
  }

  /** Undo everything, whatever fails on the way, each step in bounded time. */
  async run(): Promise<void> {
    for (const { name, undo } of this.#steps.splice(0).reverse()) {
      const undone = undo().catch((error: Error) => console.error(`demo: ${name}: ${error.message}`));
      await atMost(STEP_MILLISECONDS, undone);
    }
  }
}
