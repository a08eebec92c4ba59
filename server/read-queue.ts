const ended = () => {};

/**
 * Reads that run one after the other, so that none overwrites a newer result. Callers may share a read that has not
 * begun: then no answer is older than its question, and all callers who wait cost the ledger one read.
 */
export class ReadQueue {
  #last: Promise<void> = Promise.resolve();

  /** Reads once the earlier reads of the queue have ended. */
  alone<Answer>(read: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#last.then(read);
    // The queue keeps no answer: the next read needs only to know that this one has ended.
    this.#last = answer.then(ended, ended);
    return answer;
  }

  /** Returns a function that reads. All who call it before the same read begins share that read. */
  shared<Answer>(read: () => Promise<Answer>): () => Promise<Answer> {
    let waiting: Promise<Answer> | undefined;
    return () => {
      waiting ??= this.alone(() => {
        waiting = undefined;
        return read();
      });
      return waiting;
    };
  }
}
