/** Lets only one fault at a time hit a target, even if a fault takes longer than planned. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  take(targets: readonly string[], work: () => Promise<void>): Promise<void> {
    const done = Promise.all(targets.map((target) => this.#last.get(target))).then(work);
    for (const target of targets) this.#last.set(target, done);
    return done;
  }
}
