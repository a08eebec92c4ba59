import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import type { ScheduleHandle, ScheduleOptions } from '../../../index';
import type { Trigger } from '../../../trigger';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const MANY = 12_000;

/** A schedule with very many claims that wait for their start. */
async function withMany(options: Partial<ScheduleOptions> = {}): Promise<{ handle: ScheduleHandle; trigger: Trigger }> {
  const handle = await ledger().client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' }, ...options }));
  const trigger = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, workflow_id,
       claimed_at, tenant, task_queue, late, ready_at)
     select schedule_id, scheduled_time + n * interval '1 second', state, kind, namespace, schedule_version, workflow_id || n,
       claimed_at, tenant, task_queue, late, ready_at from escapement.firings, generate_series(1, ${MANY - 1}) n`,
  );
  return { handle, trigger };
}

/** How many firings there are with each answer, and how many transactions have written these. */
async function counts({ scheduleId }: ScheduleHandle) {
  const rows = await ledger().query<{ answer: string; firings: number; transactions: number }>(
    `select concat_ws(' ', state, reason) as answer, count(*)::int as firings, count(distinct xmin::text)::int as transactions
     from escapement.firings where schedule_id = $1 group by 1 order by 1`,
    [scheduleId],
  );
  return Object.fromEntries(rows.map(({ answer, ...written }) => [answer, written]));
}

/** Leaves the schedule as if its client had died after the first transaction of a pause or a deletion. */
async function dieWhile({ scheduleId }: ScheduleHandle, change: 'paused = true' | 'deleted_at = now()') {
  const now = new Date(ledger().clock.now());
  await ledger().query(`update escapement.schedules set ${change.replace('now()', '$2')} where schedule_id = $1`, [
    scheduleId,
    ...(change === 'paused = true' ? [] : [now]),
  ]);
  await ledger().query('update escapement.timers set wake_at = $2, seq = seq + 1 where schedule_id = $1', [
    scheduleId,
    now,
  ]);
}

describe('very many claims that wait for their start', () => {
  it('are skipped by a pause before it returns, some in each transaction', async () => {
    const { handle } = await withMany();
    await handle.pause();
    expect(await counts(handle)).toEqual({ 'skipped paused': { firings: MANY, transactions: 3 } });
  });

  it('are skipped by a deletion, which gives their actions back', async () => {
    const { handle } = await withMany({ state: { remainingActions: 7 } });
    await handle.delete();
    expect(await counts(handle)).toEqual({ 'skipped schedule_deleted': { firings: MANY, transactions: 3 } });
    const [timer] = await ledger().query('select remaining_actions as left from escapement.timers');
    expect(timer).toEqual({ left: 6 + MANY });
  });

  it('are skipped together with a pause in a transaction of the caller, or not at all', async () => {
    const { handle } = await withMany();
    const transaction = new Client({ connectionString: ledger().databaseUrl });
    await transaction.connect();
    try {
      await transaction.query('begin');
      await handle.pause({ transaction });
      await transaction.query('rollback');
      expect(await counts(handle)).toMatchObject({ claimed: { firings: MANY } });
      await transaction.query('begin');
      await handle.pause({ transaction });
      await transaction.query('commit');
    } finally {
      await transaction.end();
    }
    expect(await counts(handle)).toEqual({ 'skipped paused': { firings: MANY, transactions: 1 } });
  });

  it('are skipped by claim passes where the process that paused the schedule died, beside other schedules', async () => {
    const { handle, trigger } = await withMany();
    const other = await ledger().client.create(someSchedule());
    await dieWhile(handle, 'paused = true');
    ledger().clock.set('2026-03-01T02:00:00Z');
    expect(await trigger.passes.claim()).toMatchObject({ more: true });
    expect(await counts(handle)).toMatchObject({ claimed: { firings: MANY - 5_000 } });
    expect(await ledger().answers(other.scheduleId)).toEqual(['03-01T02:00:00 schedule claimed']);
    while ((await trigger.passes.claim()).more);
    expect(await counts(handle)).toEqual({ 'skipped paused': { firings: MANY, transactions: 3 } });
  });

  it('are skipped by claim passes where others lock the schedule after a pause, which is answered all the same', async () => {
    const { handle, trigger } = await withMany();
    const holder = new Client({ connectionString: ledger().databaseUrl });
    await holder.connect();
    ledger().beforeClose(() => holder.end());
    const pool = watchedPool(ledger(), {
      before: async (text) => {
        if (!/^begin/i.test(text)) return;
        const isPaused = (await ledger().query('select from escapement.schedules where paused')).length > 0;
        if (isPaused) await holder.query('begin; select from escapement.timers for update');
      },
    });
    const client = ledger().newClient({ connectionString: undefined as never, pool });
    await client.getHandle(handle.scheduleId).pause();
    expect(await counts(handle)).toMatchObject({ claimed: { firings: MANY - 5_000 } });
    await holder.query('rollback');
    ledger().clock.advance(1_000);
    while ((await trigger.passes.claim()).more);
    expect(await counts(handle)).toEqual({ 'skipped paused': { firings: MANY, transactions: 3 } });
    expect(
      ledger()
        .log.messages()
        .filter((message) => message === 'paused'),
    ).toHaveLength(1);
  });

  it.each(['BUFFER_ALL', 'SKIP'] as const)(
    'are skipped by claim passes where the process that paused the schedule died, and hold up no firing that a person asked for with %s',
    async (overlap) => {
      const handle = await ledger().client.create(someSchedule());
      const passes = await ledger().claimAt('01:00:00');
      await dieWhile(handle, 'paused = true');
      await handle.trigger(overlap);
      while ((await passes.claim()).more);
      await passes.verify();
      expect(await ledger().answers(handle.scheduleId)).toEqual([
        '03-01T01:00:00 schedule skipped paused',
        expect.stringContaining('manual claimed'),
      ]);
    },
  );

  it('are skipped before an unpause where the process that paused the schedule died', async () => {
    const { handle } = await withMany();
    await dieWhile(handle, 'paused = true');
    await handle.unpause();
    expect(await counts(handle)).toMatchObject({ 'skipped paused': { firings: MANY } });
  });

  it('are skipped before the name is used again where the process that deleted the schedule died', async () => {
    const { handle } = await withMany();
    await dieWhile(handle, 'deleted_at = now()');
    ledger().clock.advance(1_000);
    await ledger().client.create(someSchedule({ scheduleId: handle.scheduleId }));
    expect(await counts(handle)).toMatchObject({ 'skipped schedule_deleted': { firings: MANY } });
  });
});
