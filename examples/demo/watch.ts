import type { EscapementClient, Firing } from 'escapement';
import type { Pool } from 'pg';
import { readTotals, type Totals } from './totals';
import type { View } from './view';
import { pause } from './wait';

const EVERY_MILLISECONDS = 250;
const LATEST = 60;

/** What the ledger says now. */
export interface Look {
  latest: Firing[];
  totals: Totals;
}

/** Looks at the ledger again and again, and shows it. */
export class Watch {
  readonly #end = new AbortController();
  readonly #listeners: ((look: Look) => void)[] = [];

  constructor(private readonly ledger: { client: EscapementClient; pool: Pool; schema: string; view: View }) {}

  onLook(listener: (look: Look) => void): void {
    this.#listeners.push(listener);
  }

  /** Look until {@link stop}. @throws when the ledger cannot be read */
  async run(): Promise<void> {
    while (!this.#end.signal.aborted) {
      await this.look();
      await pause(EVERY_MILLISECONDS, this.#end.signal);
    }
  }

  async look(): Promise<Look> {
    const { client, pool, schema, view } = this.ledger;
    const latest: Firing[] = [];
    for await (const firing of client.firings({ pageSize: LATEST })) {
      if (latest.push(firing) === LATEST) break;
    }
    const look = { latest, totals: await readTotals(pool, schema) };
    view.update(look.latest, look.totals);
    for (const listener of this.#listeners) listener(look);
    return look;
  }

  stop(): void {
    this.#end.abort();
  }
}
