import { parseArgs } from 'node:util';
import { playTraces } from './traces';
import { openTraceDatabase } from './world';

/** Plays more traces than the test run does: `npx tsx test/traces/main.ts --traces 10000`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { traces: { type: 'string', default: '10000' }, seed: { type: 'string' }, path: { type: 'string' } },
  });
  const database = await openTraceDatabase(process.env.DATABASE_URL);
  const startedAt = performance.now();
  try {
    await playTraces(database, {
      traces: Number(values.traces),
      ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
      ...(values.path === undefined ? {} : { path: values.path }),
    });
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    process.stdout.write(`${values.traces} traces in ${seconds} s, every invariant held\n`);
  } finally {
    await database.close();
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
