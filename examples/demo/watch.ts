import type { EscapementClient, Firing } from 'escapement';
import type { Pool } from 'pg';
import { readTotals, type Totals } from './totals';
import type { View } from './view';
import { pause } from './wait';

const EVERY_MILLISECONDS = 250;
const LATEST = 60;

export interface Reading {
  latest: Firing[];
  totals: Totals;
}

/** Polls the ledger, and shows its content. */
export class Watch {
  readonly #end = new AbortController();
  readonly #listeners: ((reading: Reading) => void)[] = [];

  constructor(private readonly ledger: { client: EscapementClient; pool: Pool; schema: string; view: View }) {}

  onReading(listener: (reading: Reading) => void): void {
    this.#listeners.push(listener);
  }

  /** Poll until {@link stop}. @throws if the ledger cannot be read */
  async run(): Promise<void> {
    while (!this.#end.signal.aborted) {
      await this.read();
      await pause(EVERY_MILLISECONDS, this.#end.signal);
    }
  }

  async read(): Promise<Reading> {
    const { client, pool, schema, view } = this.ledger;
    const latest: Firing[] = [];
    for await (const firing of client.firings({ pageSize: LATEST })) {
      if (latest.push(firing) === LATEST) break;
    }
    const reading = { latest, totals: await readTotals(pool, schema) };
    view.update(reading.latest, reading.totals);
    for (const listener of this.#listeners) listener(reading);
    return reading;
  }

  stop(): void {
    this.#end.abort();
  }
}
