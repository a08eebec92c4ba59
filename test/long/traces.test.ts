import { inject, it } from 'vitest';
import { playTraces } from '../traces/traces';
import { openTraceDatabase } from '../traces/world';

/** Other traces than `npm test` plays, and the same ones each time, so that a failure repeats. */
const TRACES = { traces: 1_000, seed: 4 };

it('answers for every occurrence exactly once, whatever dies, is late or changes: a thousand traces more', async () => {
  const database = await openTraceDatabase(inject('databaseUrl'));
  try {
    await playTraces(database, TRACES);
  } finally {
    await database.close();
  }
});
