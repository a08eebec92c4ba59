/**
 * Reads that callers share. For each key one read runs at a time, and those who ask meanwhile wait for the next one
 * together. So an answer is never older than its question, and many open pages cost the ledger no more than one.
 */
export class JoinedReads<Answer> {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Promise<Answer>>();

  of(key: string, read: () => Promise<Answer>): Promise<Answer> {
    const running = this.#running.get(key);
    if (!running) return this.#begin(key, read);
    const joined = this.#next.get(key);
    if (joined) return joined;
    const begin = () => {
      this.#next.delete(key);
      return this.#begin(key, read);
    };
    const next = running.then(begin, begin);
    this.#next.set(key, next);
    return next;
  }

  #begin(key: string, read: () => Promise<Answer>): Promise<Answer> {
    const reading = read();
    this.#running.set(key, reading);
    const end = () => {
      if (this.#running.get(key) === reading) this.#running.delete(key);
    };
    reading.then(end, end);
    return reading;
  }
}
