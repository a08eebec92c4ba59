import { expect, inject, it } from 'vitest';
import { runScript } from '../support/processes/child';

it('the demo kills its trigger in mid-flight, recovers, loses nothing, and ends with its counts', async () => {
  const env = { DATABASE_URL: inject('databaseUrl'), TEMPORAL_ADDRESS: inject('temporalAddress') };
  const demo = runScript('examples/demo/main.ts', ['--seconds', '15'], env);
  expect(await demo.ended(), [...demo.output, ...demo.errors].join('\n')).toEqual({ code: 0, signal: null });
  const counts = /^demo: claimed (\d+), linked (\d+), closed (\d+), recovered (\d+), lost (\d+)$/.exec(
    demo.output.at(-1)!,
  );
  expect(counts, demo.output.slice(-5).join('\n')).not.toBeNull();
  const [claimed, linked, closed, recovered, lost] = counts!.slice(1).map(Number);
  expect([linked, closed, lost]).toEqual([claimed, claimed, 0]);
  expect(recovered).toBeGreaterThanOrEqual(1);
});
