const AT_MOST_MILLISECONDS = 20_000;

/** Clean-up steps, which run in reverse order, each with a time limit. */
export class Cleanup {
  readonly #steps: { what: string; undo: () => Promise<unknown> }[] = [];
  #running: Promise<void> | undefined;

  constructor(private readonly progress: (line: string) => void) {}

  add(what: string, undo: () => Promise<unknown>): void {
    this.#steps.push({ what, undo });
  }

  /** Run all clean-up steps. The method may be called twice. */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      const { what, undo } = step;
      await atMost(AT_MOST_MILLISECONDS, undo()).catch((error: Error) =>
        this.progress(`${what} failed: ${error.message}`),
      );
    }
  }
}

async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${milliseconds / 1_000} s`)), milliseconds);
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
