import { Client, Connection } from '@temporalio/client';
import { expect, inject, it } from 'vitest';
import type { SchedulePolicies } from '../../../index';
import { openStore } from '../../../store/connection';
import { buryStep } from '../../../store/letters/park-step';
import type { Trigger } from '../../../trigger';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

async function claimAt(trigger: Trigger, instant: string) {
  ledger().clock.set(instant);
  await trigger.passes.claim();
  await trigger.passes.verify();
  await trigger.passes.dispatch();
}

/** A schedule whose workflows no worker polls, so that they run until they are ended. */
async function scheduleOf(policies: SchedulePolicies) {
  const handle = await ledger().client.create(someSchedule({ policies }));
  return { handle, scheduleId: handle.scheduleId, trigger: await ledger().trigger() };
}

/** As the worker does when the step of an hour's workflow has used up its retries. */
async function park(scheduleId: string, hour: string): Promise<string> {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const [meta] = await ledger().query<{ value: string }>(
    `select value from escapement.meta where key = 'installation'`,
  );
  const firing = await ledger().query<{ workflow_id: string; run_id: string }>(
    'select * from escapement.firings where schedule_id = $1 and scheduled_time = $2',
    [scheduleId, hour],
  );
  const { workflow_id: workflowId, run_id: runId } = firing[0]!;
  const failure = { type: 'BankAway', message: 'later' };
  const step = { activityType: 'chargeCard', activityId: '1', retryState: 'MAXIMUM_ATTEMPTS_REACHED', failure };
  return (await buryStep(store, {
    ...{ installation: meta!.value, scheduleId, scheduledTime: hour, epoch: 0, workflowId, runId },
    ...{ failedAt: Date.parse(hour) + 60_000, step: { ...step, burial: 1, eventId: 5 } },
  }))!;
}

const ONE = '2026-03-01T01:00:00Z';
const TWO = '2026-03-01T02:00:00Z';
const THREE = '2026-03-01T03:00:00Z';

it('a parked firing holds its schedule as every running workflow does', async () => {
  const { handle, scheduleId, trigger } = await scheduleOf({ overlap: 'SKIP' });
  await claimAt(trigger, ONE);
  const letterId = await park(scheduleId, ONE);
  await claimAt(trigger, TWO);
  expect(await ledger().answers(scheduleId)).toEqual([
    '03-01T01:00:00 schedule linked',
    '03-01T02:00:00 schedule skipped overlap',
  ]);
  expect((await handle.describe()).info.parkedActions).toEqual([
    {
      scheduledAt: new Date(ONE),
      workflowId: `${scheduleId}-workflow-2026-03-01T01:00:00Z`,
      ...{ step: 'chargeCard', letterId, since: new Date('2026-03-01T01:01:00Z') },
    },
  ]);
});

it.each(['SKIP', 'TERMINATE_OTHER'] as const)(
  'a schedule with `parkedHolds: false` goes on under %s as if what is parked were not there',
  async (overlap) => {
    const { handle, scheduleId, trigger } = await scheduleOf({ overlap, parkedHolds: false });
    await claimAt(trigger, ONE);
    await park(scheduleId, ONE);
    // A firing that is requested now would not be skipped.
    const before = '2026-02-28T23:00:00Z';
    const fill = await handle.backfill({ start: before, end: before, overlap: 'SKIP', dryRun: true });
    expect(fill).toMatchObject({ filled: 1, skipping: 0 });
    await claimAt(trigger, TWO);
    await trigger.passes.interrupt();
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule linked',
    ]);
    // The second one holds it.
    await claimAt(trigger, THREE);
    if (overlap === 'SKIP')
      expect((await ledger().answers(scheduleId)).at(-1)).toBe('03-01T03:00:00 schedule skipped overlap');
    await trigger.passes.interrupt();
    expect((await ledger().answers(scheduleId))[0]).toBe('03-01T01:00:00 schedule linked');
  },
);

it('a firing that is parked before its chain was ended goes on, where the schedule lets the next one start', async () => {
  const { scheduleId, trigger } = await scheduleOf({ overlap: 'TERMINATE_OTHER', parkedHolds: false });
  await claimAt(trigger, ONE);
  await claimAt(trigger, TWO);
  expect((await ledger().answers(scheduleId)).at(-1)).toBe('03-01T02:00:00 schedule buffered');
  await park(scheduleId, ONE);
  await trigger.passes.sweep();
  await claimAt(trigger, '2026-03-01T02:00:01Z');
  expect(await trigger.passes.interrupt()).toMatchObject({ sent: 0 });
  expect(await ledger().answers(scheduleId)).toEqual([
    '03-01T01:00:00 schedule linked',
    '03-01T02:00:00 schedule linked',
  ]);
});

it('what waits behind a firing goes on once that is parked, where the schedule lets it', async () => {
  const { handle, scheduleId, trigger } = await scheduleOf({ overlap: 'BUFFER_ALL', parkedHolds: false });
  await claimAt(trigger, ONE);
  await claimAt(trigger, TWO);
  expect((await ledger().answers(scheduleId)).at(-1)).toBe('03-01T02:00:00 schedule buffered');
  await trigger.passes.heartbeat();
  expect(await handle.explain(TWO)).toMatchObject({ cause: { kind: 'behind' } });
  await park(scheduleId, ONE);
  expect(await handle.explain(TWO)).toMatchObject({ cause: undefined });
  expect(await handle.explain(ONE)).toMatchObject({ cause: { kind: 'parked', holds: false } });
  await trigger.passes.sweep();
  await claimAt(trigger, '2026-03-01T02:00:01Z');
  expect((await ledger().answers(scheduleId)).at(-1)).toBe('03-01T02:00:00 schedule linked');
  expect((await handle.explain(TWO)).sentence).toContain('has run as');
});

it('a firing that is run again holds its schedule, though a step of its former workflow is still parked', async () => {
  const { handle, scheduleId, trigger } = await scheduleOf({ overlap: 'SKIP', parkedHolds: false });
  await claimAt(trigger, ONE);
  await park(scheduleId, ONE);
  // As after an hour at a server without the namespace.
  await ledger().query(`update escapement.firings set state = 'closed', outcome = 'unknown', closed_at = now()`);
  await handle.runAgain(ONE, { confirm: true });
  await claimAt(trigger, '2026-03-01T01:30:00Z');
  await claimAt(trigger, TWO);
  expect(await ledger().answers(scheduleId)).toEqual([
    expect.stringMatching(/^03-01T01:00:00 \w+ linked$/),
    '03-01T02:00:00 schedule skipped overlap',
  ]);
});

it('many parked steps that are redriven wait for what has begun beside them, and then hold the schedule', async () => {
  const { scheduleId, trigger } = await scheduleOf({ overlap: 'SKIP', parkedHolds: false });
  await claimAt(trigger, ONE);
  const letterId = await park(scheduleId, ONE);
  await claimAt(trigger, TWO);
  await ledger().client.deadLetters.redriveAll({ scheduleId });
  expect(await trigger.passes.redrive()).toMatchObject({ decided: 0 });

  const connection = await Connection.connect({ address: inject('temporalAddress') });
  ledger().beforeClose(() => connection.close());
  await new Client({ connection }).workflow.getHandle(`${scheduleId}-workflow-2026-03-01T02:00:00Z`).terminate();
  ledger().clock.advance(60_000);
  await trigger.passes.observe();
  expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
  expect(await ledger().client.deadLetters.get(letterId)).toMatchObject({ state: 'redriving' });
  await claimAt(trigger, THREE);
  expect((await ledger().answers(scheduleId)).at(-1)).toBe('03-01T03:00:00 schedule skipped overlap');
});

it('a step is parked for as long as its schedule lets it, then told to fail; its letter stays open, and says so in the log', async () => {
  const { handle, scheduleId, trigger } = await scheduleOf({ parkedAtMost: '3 days' });
  await claimAt(trigger, ONE);
  const letterId = await park(scheduleId, ONE);
  ledger().clock.set('2026-03-04T01:00:59Z');
  await trigger.passes.sweep();
  expect(await trigger.passes.redrive()).toMatchObject({ taken: 0 });

  ledger().clock.set('2026-03-04T01:01:00Z');
  await trigger.passes.sweep();
  await expect(ledger().client.deadLetters.discard(letterId, { note: 'x' })).rejects.toThrow(
    /its step was parked for too long, and has been due to fail since 2026-03-04T01:01:00/,
  );
  expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
  expect(await ledger().client.deadLetters.get(letterId)).toMatchObject({
    ...{ state: 'open', kind: 'workflow', reason: 'parked_too_long', actor: null },
    note: 'it was parked for as long as its schedule allows',
  });
  expect(ledger().log.lines.at(-1)).toMatchObject({
    ...{ level: 'warn', message: 'dead letter' },
    meta: { letterId, scheduleId, kind: 'workflow', reason: 'parked_too_long' },
  });
  expect((await handle.describe()).info.parkedActions).toEqual([]);
  await trigger.passes.sweep();
  expect(await trigger.passes.redrive()).toMatchObject({ taken: 0 });
});

it('a stored limit that is no number ends no step, and none of another schedule is parked for longer because of it', async () => {
  const { scheduleId, trigger } = await scheduleOf({ parkedAtMost: '3 days' });
  const damaged = await scheduleOf({ parkedAtMost: '3 days' });
  await claimAt(trigger, ONE);
  const letterId = await park(scheduleId, ONE);
  const left = await park(damaged.scheduleId, ONE);
  await ledger().query(
    `update escapement.schedule_versions set policies = jsonb_set(policies, '{parkedAtMost}', '"3 days"') where schedule_id = $1`,
    [damaged.scheduleId],
  );
  ledger().clock.set('2026-03-04T01:01:00Z');
  await trigger.passes.sweep();
  expect(await ledger().client.deadLetters.get(letterId)).toMatchObject({ state: 'redriving' });
  expect(await ledger().client.deadLetters.get(left)).toMatchObject({ state: 'open', kind: 'parked' });
});

it('a parked firing that a later one has terminated keeps its letter, which no person has settled', async () => {
  const { scheduleId, trigger } = await scheduleOf({ overlap: 'TERMINATE_OTHER' });
  await claimAt(trigger, ONE);
  const letterId = await park(scheduleId, ONE);
  await claimAt(trigger, TWO);
  await trigger.passes.interrupt();
  expect((await ledger().answers(scheduleId))[0]).toBe('03-01T01:00:00 schedule closed terminated');
  expect(await ledger().client.deadLetters.get(letterId)).toMatchObject({
    ...{ state: 'open', kind: 'workflow', reason: 'terminated' },
  });
});
