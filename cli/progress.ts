const WIDTH = 24;

/** A line on a terminal that is written over and over; nothing where nobody watches. */
export class ProgressLine {
  readonly #stream: NodeJS.WriteStream;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  update(done: number, total: number, text: string): void {
    if (this.#stream.isTTY) this.#stream.write(`\r${progressBar(done, total)} ${done}/${total} ${text}\x1b[K`);
  }

  end(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[K');
  }
}

/** `[######..................]` */
export function progressBar(done: number, total: number): string {
  const filled = total === 0 ? WIDTH : Math.min(WIDTH, Math.floor((done / total) * WIDTH));
  return `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}]`;
}
