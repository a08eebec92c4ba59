import { inject, it } from 'vitest';
import { playTraces } from './traces';
import { openTraceDatabase } from './world';

/** Half of the ordinary run's traces: two files share them between two workers. The same ones each time; `main.ts` plays others, and a long scene 1,276 more. */
const TRACES = { traces: 12, seed: 1 };

it('answers for every occurrence exactly once, whatever dies, is late or changes: first half', async () => {
  const database = await openTraceDatabase(inject('databaseUrl'));
  try {
    await playTraces(database, TRACES);
  } finally {
    await database.close();
  }
}, 1_200_000);
