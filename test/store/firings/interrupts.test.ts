import { beforeEach, expect, it } from 'vitest';
import { type OpenStore, openStore } from '../../../store/connection';
import { recordInterrupted } from '../../../store/firings/interrupt';
import { running, writeFiring } from '../../support/alerts/alerts';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T01:00:00Z');
const scheduledTime = new Date('2026-03-01T01:00:00Z');
const now = new Date('2026-03-01T01:00:30Z');

let store: OpenStore;
beforeEach(() => {
  store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
});

/** A firing of a new schedule, in an epoch and with an interrupt. */
async function firing(columns: Record<string, unknown>): Promise<string> {
  const { scheduleId } = await ledger().client.create(someSchedule());
  await writeFiring(ledger(), scheduledTime.toISOString(), {
    ...{ schedule_id: scheduleId, interrupt: 'cancel', interrupt_at: scheduledTime },
    ...columns,
  });
  return scheduleId;
}

const interruptOf = async () =>
  (await ledger().query('select interrupt, interrupted_at as at from escapement.firings'))[0];

it('a cancel that was sent to one epoch is not taken for the cancel of the next', async () => {
  const scheduleId = await firing({ ...running(scheduledTime.toISOString()), epoch: 1 });
  const sent = { scheduleId, scheduledTime, kind: 'cancel', dueAt: scheduledTime } as const;
  await recordInterrupted(store, [{ ...sent, epoch: 0 }], now);
  expect(await interruptOf()).toEqual({ interrupt: 'cancel', at: null });
  await recordInterrupted(store, [{ ...sent, epoch: 1 }], now);
  expect(await interruptOf()).toEqual({ interrupt: 'cancel', at: now });
});
