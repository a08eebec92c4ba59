import { Connection } from '@temporalio/client';
import { expect, inject, it, onTestFinished } from 'vitest';
import { writeIncident } from '../../bench/lib/fill/incident';
import { Ledger } from '../../bench/lib/ledger';
import { ACTION } from '../../bench/lib/names';
import { checksOf } from '../../bench/scenes/incident';

it('the scene incident finds a redriven firing that is open, one that Temporal has not, and two of a schedule at once', async () => {
  const ledger = await Ledger.create(inject('databaseUrl'), 'default');
  onTestFinished(() => ledger.drop());
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  onTestFinished(() => connection.close());
  const from = new Date('2026-03-01T00:00:00Z');
  const incident = await writeIncident(ledger, { schedules: 2, each: 2, from, action: ACTION });
  const checks = () => checksOf({ connection, servers: { namespace: 'default' } as never }, ledger, incident);
  expect(await checks()).toMatchObject([{ ok: true }, { ok: true }]);

  // Both firings of a schedule are redriven and closed, but there is no workflow of them.
  const [scheduleId] = incident.scheduleIds.BUFFER_ALL;
  await ledger.query(
    `update escapement.letters set redrive = '{"requestId": "one", "carriedOutAt": "2026-03-02T00:00:00Z"}' where schedule_id = $1`,
    [scheduleId],
  );
  await ledger.query('update escapement.firings set epoch = 1 where schedule_id = $1', [scheduleId]);
  const neverStarted = '2 ran again, 2 wait, 2 letters say so, 0 workflows';
  expect(await checks()).toMatchObject([{ ok: false, detail: neverStarted }, { ok: true }]);

  await ledger.query(
    `update escapement.firings set state = 'linked', outcome = null, closed_at = null where schedule_id = $1 and scheduled_time = $2`,
    [scheduleId, new Date(from.getTime() + 60_000)],
  );
  const oneOpen = '1 ran again, 2 wait, 2 letters say so, 0 workflows';
  expect(await checks()).toMatchObject([{ ok: false, detail: oneOpen }, { ok: false }]);
});
