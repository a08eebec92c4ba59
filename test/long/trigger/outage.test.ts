import { describe, expect, it } from 'vitest';
import { useLedger } from '../../support/ledger';
import { runCommand } from '../../support/processes/command';
import { startInAnOutage } from '../../trigger/outage';

const ledger = useLedger('2026-03-01T00:30:00Z');

// The trigger waits for a connection for all of its time.
describe('escapement run, started while Temporal does not answer,', () => {
  it('claims, says why it is not ready, and starts once a server that hangs answers', async () => {
    await startInAnOutage(ledger(), 'hang');
  });

  it('still fails over a port that is none', async () => {
    const environment = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: 'localhost:99999' };
    expect(await runCommand(['run'], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be reached .*ERR_SOCKET_BAD_PORT/),
    });
    expect(await ledger().query('select * from escapement.triggers')).toEqual([]);
  });
});
