import { inject, it } from 'vitest';
import { playTraces } from './traces';
import { openTraceDatabase } from './world';

/** Half of the ordinary run's traces: two files share them between two workers. */
const TRACES = 500;

it('answers for every occurrence exactly once, whatever dies, is late or changes: first half', async () => {
  const database = await openTraceDatabase(inject('databaseUrl'));
  try {
    await playTraces(database, { traces: TRACES });
  } finally {
    await database.close();
  }
}, 600_000);
