import { describe, expect, it } from 'vitest';
import type { ScheduleHandle, ScheduleOptions } from '../../../../index';
import { someSchedule, useLedger } from '../../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** A schedule, and a trigger that reads two waiting firings at a time. */
async function created(policies: ScheduleOptions['policies']) {
  const handle = await ledger().client.create(someSchedule({ policies }));
  const { passes } = await ledger().trigger({ limits: { firingsPerScheduleAndPass: 2 } });
  return { handle, passes };
}

async function claimedFirst(policies: ScheduleOptions['policies']) {
  const { handle, passes } = await created(policies);
  ledger().clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  return { handle, passes };
}

/** What was to be terminated has ended, and wakes its schedule. */
async function endTerminated() {
  await ledger().query(
    `update escapement.firings set state = 'closed', outcome = 'terminated', closed_at = claimed_at where interrupt = 'terminate'`,
  );
  const now = new Date(ledger().clock.now());
  await ledger().query('update escapement.timers set wake_at = $1, seq = seq + 1', [now]);
}

describe('though more wait before it than a claim reads', () => {
  it.each([false, true])('what need not wait starts, in a freeze: %s', async (isFrozen) => {
    const { handle, passes } = await claimedFirst({ overlap: 'BUFFER_ALL' });
    await handle.backfill({ start: '2026-02-28T10:00:00Z', end: '2026-02-28T12:00:00Z' });
    await handle.backfill({ start: '2026-02-28T20:00:00Z', end: '2026-02-28T20:00:00Z', overlap: 'ALLOW_ALL' });
    ledger().clock.advance(1_000);
    for (const overlap of ['BUFFER_ALL', 'BUFFER_ALL', 'ALLOW_ALL'] as const) await handle.trigger(overlap);
    if (isFrozen)
      await ledger().client.freezes.create({ scheduleIds: [handle.scheduleId], to: new Date('2026-03-01T12:00:00Z') });
    await passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '02-28T10:00:00 backfill buffered',
      '02-28T11:00:00 backfill buffered',
      '02-28T12:00:00 backfill buffered',
      '02-28T20:00:00 backfill claimed',
      '03-01T01:00:00 schedule claimed',
      '03-01T01:00:01.001 manual buffered',
      '03-01T01:00:01.002 manual buffered',
      '03-01T01:00:01.003 manual claimed',
    ]);
  });

  it('an occurrence that ends a run starts behind it', async () => {
    const { handle, passes } = await claimedFirst({ overlap: 'TERMINATE_OTHER' });
    await handle.backfill({ start: '2026-02-28T10:00:00Z', end: '2026-02-28T12:00:00Z', overlap: 'BUFFER_ALL' });
    ledger().clock.set('2026-03-01T02:00:00Z');
    await passes.claim();
    await endTerminated();
    await passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '02-28T10:00:00 backfill skipped superseded',
      '02-28T11:00:00 backfill buffered',
      '02-28T12:00:00 backfill buffered',
      '03-01T01:00:00 schedule closed terminated',
      '03-01T02:00:00 schedule claimed',
    ]);
  });

  it('what ends a run does so under ALLOW_ALL with a cap, too', async () => {
    const { handle, passes } = await claimedFirst({ overlap: 'ALLOW_ALL', maxConcurrent: 1 });
    const backfill = (start: string, end: string, overlap: 'ALLOW_ALL' | 'TERMINATE_OTHER') =>
      handle.backfill({ start: `2026-02-28T${start}:00:00Z`, end: `2026-02-28T${end}:00:00Z`, overlap });
    await backfill('10', '12', 'ALLOW_ALL');
    await backfill('20', '20', 'TERMINATE_OTHER');
    ledger().clock.advance(1_000);
    await passes.claim();
    expect(await ledger().query('select state, interrupt from escapement.firings where interrupt is not null')).toEqual(
      [{ state: 'claimed', interrupt: 'terminate' }],
    );
    await endTerminated();
    await passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '02-28T10:00:00 backfill skipped superseded',
      '02-28T11:00:00 backfill buffered',
      '02-28T12:00:00 backfill buffered',
      '02-28T20:00:00 backfill claimed',
      '03-01T01:00:00 schedule closed terminated',
    ]);
  });

  it.each<[string, (handle: ScheduleHandle) => Promise<unknown>]>([
    ['paused', (handle) => handle.pause()],
    [
      'completed',
      (handle) => handle.update((previous) => ({ ...previous, state: { ...previous.state, remainingActions: 0 } })),
    ],
  ])('an occurrence is skipped as %s', async (reason, stop) => {
    const { handle, passes } = await claimedFirst({ overlap: 'BUFFER_ALL' });
    ledger().clock.set('2026-03-01T01:10:00Z');
    for (let count = 0; count < 3; count++) await handle.trigger('BUFFER_ALL');
    ledger().clock.set('2026-03-01T02:00:00Z');
    await passes.claim();
    expect((await ledger().answers(handle.scheduleId)).at(-1)).toBe('03-01T02:00:00 schedule buffered');
    await stop(handle);
    await passes.claim();
    expect((await ledger().answers(handle.scheduleId)).at(-1)).toBe(`03-01T02:00:00 schedule skipped ${reason}`);
  });

  it('an occurrence is skipped if only the last one that a freeze has held fires', async () => {
    const { client } = ledger();
    const { handle, passes } = await created({ overlap: 'BUFFER_ALL' });
    for (let count = 0; count < 4; count++) await handle.trigger('BUFFER_ALL');
    await passes.claim();
    const to = new Date('2026-03-01T05:00:00Z');
    await client.freezes.create({ scheduleIds: [handle.scheduleId], to, catchUp: 'LAST' });
    ledger().clock.set('2026-03-01T02:10:00Z');
    await handle.update((previous) => ({ ...previous, spec: { cron: '15 * * * *' } }));
    const ofSpec = async () =>
      (await ledger().answers(handle.scheduleId)).filter((answer) => answer.includes(' catchup '));
    expect(await ofSpec()).toEqual(['03-01T02:00:00 catchup buffered']);
    ledger().clock.set('2026-03-01T05:00:00Z');
    await passes.claim();
    expect(await ofSpec()).toEqual(['03-01T02:00:00 catchup skipped superseded', '03-01T04:15:00 catchup buffered']);
  });

  it('an occurrence of a freeze is skipped if only its last one fires, behind others of the spec that stay', async () => {
    const { client, clock } = ledger();
    const { handle, passes } = await claimedFirst({ overlap: 'BUFFER_ALL' });
    for (const due of ['2026-03-01T02:00:00Z', '2026-03-01T03:00:00Z']) {
      clock.set(due);
      await passes.claim();
    }
    clock.set('2026-03-01T03:10:00Z');
    const to = new Date('2026-03-01T07:00:00Z');
    await client.freezes.create({ scheduleIds: [handle.scheduleId], to, catchUp: 'LAST' });
    clock.set('2026-03-01T05:10:00Z');
    await handle.update((previous) => ({ ...previous, spec: { cron: '15 * * * *' } }));
    clock.set('2026-03-01T07:00:00Z');
    await passes.claim();
    expect((await ledger().answers(handle.scheduleId)).filter((answer) => !answer.includes(' gap '))).toEqual([
      '03-01T01:00:00 schedule claimed',
      '03-01T02:00:00 schedule buffered',
      '03-01T03:00:00 schedule buffered',
      '03-01T05:00:00 catchup skipped superseded',
      '03-01T06:15:00 catchup buffered',
    ]);
  });
});
