import { inject, it } from 'vitest';
import { playOnServer } from '../traces/on-server';
import { playTraces } from '../traces/traces';
import { openTraceDatabase } from '../traces/world';

// Other traces than `npm test` plays, and the same ones each time, so that a failure repeats.

it('answers for every occurrence exactly once, whatever dies, is late or changes: 1,276 traces more', async () => {
  const database = await openTraceDatabase(inject('databaseUrl'));
  try {
    await playTraces(database, { traces: 1_276, seed: 4 });
  } finally {
    await database.close();
  }
});

it('plays other traces on a real server, whose answers are the double’s', async () => {
  await playOnServer({ traces: 168, seed: 5 });
});
