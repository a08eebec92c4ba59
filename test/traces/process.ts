import type { Client, Pool, PoolClient } from 'pg';
import type { PoolClientLike, PoolLike } from '../../index';
import { patiently } from '../support/connections/watched-pool';

/** What every operation of a dead process throws. */
export class ProcessDiedError extends Error {
  override readonly name = 'ProcessDiedError';
}

/** A gate at which each operation waits; the function that it returns is called after the operation. */
export type Gate = (backend: number | undefined) => Promise<() => void>;

/**
 * A process that may die at any step, after a number of statements and calls. The death is before or after the last one
 * took effect. After it, every operation fails, and open transactions are rolled back.
 */
export class MortalProcess {
  dead = false;
  /** Lets each operation in, where two processes are interleaved. */
  gate: Gate | undefined;
  #left = Number.POSITIVE_INFINITY;
  #when: 'before' | 'after' = 'before';

  /** Die at the operation that comes after `operations` others. */
  dieAfter(operations: number, when: 'before' | 'after'): void {
    this.#left = operations;
    this.#when = when;
  }

  async do<Result>(operation: () => Promise<Result>, backend?: number): Promise<Result> {
    if (this.dead) throw new ProcessDiedError();
    const leave = await this.gate?.(backend);
    try {
      const isLast = this.#left-- <= 0;
      if (isLast && this.#when === 'before') this.dead = true;
      if (this.dead) throw new ProcessDiedError();
      const result = await operation();
      if (isLast) this.dead = true;
      if (this.dead) throw new ProcessDiedError();
      return result;
    } finally {
      leave?.();
    }
  }
}

/** The connections of one process to a database that it shares with others. */
export function mortalPool(pool: Pool, process: MortalProcess): PoolLike {
  // The same one each time: a store asks each connection that it has not seen before who it is.
  const known = new WeakMap<PoolClient, PoolClientLike>();
  return {
    connect: async () => {
      if (process.dead) throw new ProcessDiedError();
      const client = await pool.connect();
      const mortal = known.get(client) ?? mortalClient(client, process);
      known.set(client, mortal);
      return mortal;
    },
  };
}

function mortalClient(client: PoolClient, process: MortalProcess): PoolClientLike {
  const { processID } = client as unknown as Client & { processID: number };
  return {
    processID,
    query: ({ text, ...config }) =>
      process.do(
        () => client.query({ ...config, text: patiently(text), ...preparedName(text, config.values) }),
        processID,
      ),
    // The connection of a dead process breaks, and Postgres rolls its transaction back.
    release: (error) => client.release(process.dead || error),
  };
}

const preparedNames = new Map<string, string>();

/** Each statement is prepared once per connection, since thousands of traces send the same few. */
function preparedName(text: string, values: unknown[] = []): { name?: string } {
  // Without parameters it may be several statements, which cannot be prepared.
  if (values.length === 0) return {};
  const name = preparedNames.get(text) ?? `trace_${preparedNames.size}`;
  preparedNames.set(text, name);
  return { name };
}
