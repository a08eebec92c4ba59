import { constants, getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { runCli } from '../support/child';
import { useLedger } from '../support/ledger';

const ledger = useLedger();

it('lets firings of the same machine go first: its own priority is below normal', async () => {
  const serve = runCli(['serve', '--port', '0', '--json'], { DATABASE_URL: ledger().databaseUrl });
  await serve.line(/"url"/);
  expect(getPriority(serve.child.pid)).toBe(constants.priority.PRIORITY_BELOW_NORMAL);
  serve.kill('SIGTERM');
  expect((await serve.ended()).code).toBe(0);
});
