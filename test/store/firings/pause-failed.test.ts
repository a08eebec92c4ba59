import { beforeEach, expect, it } from 'vitest';
import { type OpenStore, openStore } from '../../../store/connection';
import { closeFirings } from '../../../store/firings/close';
import { running, writeFiring } from '../../support/alerts/alerts';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const now = new Date('2026-03-01T01:05:00Z');

let store: OpenStore;
beforeEach(() => {
  store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
});

/** A firing that runs, of a schedule with `pauseOnFailure`, and a function that records that the run failed. */
async function runningAt(time: string, columns = {}) {
  const { scheduleId } = await ledger().client.create(someSchedule({ policies: { pauseOnFailure: true } }));
  await writeFiring(ledger(), time, { schedule_id: scheduleId, ...running(time), ...columns });
  const end = { outcome: 'failed', closedAt: now, runId: 'r', endedRunId: 'r', failedStep: undefined } as const;
  const scheduledTime = new Date(time);
  const fail = () => closeFirings(store, [{ scheduleId, scheduledTime, epoch: 0, ...end }], { now, resetCheckAt: now });
  return { scheduleId, scheduledTime, fail };
}

it.each([['"?"'], ['7'], ['{}'], ['null']])(
  'a failure is recorded and pauses its schedule, though its letter has the end of a former run at %s',
  async (closedAt) => {
    const { scheduleId, scheduledTime, fail } = await runningAt('2026-03-01T01:00:00Z');
    await ledger().query(
      `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, redrive,
         created_at, updated_at)
       values (gen_random_uuid(), $1, $2, 0, 'workflow', 'open', 'failed', 'default',
         jsonb_build_object('reset', jsonb_build_object('closedAt', $3::jsonb)), $2, $2)`,
      [scheduleId, scheduledTime, closedAt],
    );
    expect(await fail()).toMatchObject({ closed: [{ scheduleId }], paused: [scheduleId] });
  },
);

it.each([
  ['manual', '2026-03-01T01:00:00.001Z'],
  ['schedule', '2026-03-01T01:00:00Z'],
])('the note of the pause after a %s firing names it by its time, at which it is found', async (kind, time) => {
  const { scheduleId, fail } = await runningAt(time, { kind });
  expect(await fail()).toMatchObject({ paused: [scheduleId] });
  const handle = ledger().client.getHandle(scheduleId);
  expect((await handle.describe()).state.note).toBe(`paused: its firing of ${time} failed`);
  expect(await handle.explain(time)).toMatchObject({ answer: 'firing' });
});
