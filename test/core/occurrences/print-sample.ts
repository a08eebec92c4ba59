import fc from 'fast-check';
import { compileSpec } from '../../../core/occurrences';
import { anySpec } from './arbitrary';

/** Prints occurrences of a sample of specs: run under several TZ, the output must be the same. */
for (const spec of fc.sample(anySpec, { numRuns: 150, seed: 7 })) {
  const compiled = compileSpec(spec, { scheduleId: 'sample' });
  let at: number | undefined = Date.UTC(2026, 2, 28);
  for (let n = 0; n < 30 && at !== undefined; n++) {
    at = compiled.next(at);
    process.stdout.write(`${at}\n`);
  }
  process.stdout.write(`${compiled.count(Date.UTC(2010, 0, 1), Date.UTC(2012, 0, 1))}\n`);
}
