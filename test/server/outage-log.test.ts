import { expect, it } from 'vitest';
import { useApi } from '../support/api';
import { watchedPool } from '../support/connections/watched-pool';
import { listen } from '../support/events';
import { MemoryLogger } from '../support/logger';

const api = useApi();

it('logs once that Postgres does not answer, however often the server asks, and once that it answers again', async () => {
  const logger = new MemoryLogger();
  let isAway = false;
  let asked = 0;
  const pool = watchedPool(api().ledger, {
    before: () => {
      if (!isAway) return;
      asked += 1;
      throw new Error('Connection terminated unexpectedly');
    },
  });
  const { server, read } = await listen(api(), { connectionString: undefined as never, pool, logger });
  await read();
  const ask = async () => {
    server.bulk.wake();
    await server.bulk.idle();
  };
  const said = () => logger.lines.map(({ level, message, meta }) => [level, message, meta.error]).sort();

  isAway = true;
  await ask();
  await ask();
  asked = 0;
  // The loop for readers of events asks by itself.
  await expect.poll(() => asked).toBeGreaterThan(2);
  const error = expect.stringContaining('Connection terminated unexpectedly');
  const failing = [
    ['warn', 'bulk operations are not carried out; trying again', error],
    ['warn', 'events are not read; trying again', error],
  ];
  expect(said()).toEqual(failing);

  isAway = false;
  await ask();
  await expect
    .poll(said)
    .toEqual([
      ['info', 'bulk operations are carried out again', undefined],
      ['info', 'events are read again', undefined],
      ...failing,
    ]);
});
