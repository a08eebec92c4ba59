import { atMost } from './wait';

const STEP_MILLISECONDS = 15_000;

/** Steps to undo at the end, in reverse order. Servers are started first, so they are stopped last. */
export class Cleanup {
  readonly #steps: { name: string; undo: () => Promise<unknown> }[] = [];

  add(name: string, undo: () => Promise<unknown>): void {
    this.#steps.push({ name, undo });
  }

  /** Undo everything, each step within a time limit, even if some steps fail. */
  async run(): Promise<void> {
    for (const { name, undo } of this.#steps.splice(0).reverse()) {
      const undone = undo().catch((error: Error) => console.error(`demo: ${name}: ${error.message}`));
      await atMost(STEP_MILLISECONDS, undone);
    }
  }
}
