import { describe, expect, it } from 'vitest';
import type { OverlapPolicy, ScheduleAction, ScheduleHandle } from '../../../../index';
import { someSchedule, useLedger } from '../../../support/ledger';
import { running } from '../../observe/running';

type SoftTimeout = NonNullable<ScheduleAction['softTimeout']>;

const ledger = useLedger('2026-03-01T00:30:00Z');
const time = (clock: string) => new Date(`2026-03-01T${clock}:00Z`);

const wakeAt = (clock: string) => ledger().query('update escapement.timers set wake_at = $1', [time(clock)]);

const overlapIs = (overlap: OverlapPolicy) => (handle: ScheduleHandle) =>
  handle.update((previous) => ({ ...previous, policies: { ...previous.policies, overlap } }));
const softTimeoutIs = (softTimeout: SoftTimeout) => (handle: ScheduleHandle) =>
  handle.update((previous) => ({ ...previous, action: { ...previous.action, softTimeout } }));

interface Before {
  softTimeout?: SoftTimeout;
  tenant?: string;
  /** What happens between 01:00 and 02:00. */
  meanwhile?: (one: Awaited<ReturnType<typeof running>>) => Promise<void>;
}

/** The firing of 01:00 runs and is to be ended for that of 02:00, which waits. Nothing is sent to Temporal yet. */
async function toBeEnded(overlap: OverlapPolicy, { softTimeout, tenant, meanwhile }: Before = {}) {
  const action = { ...someSchedule().action, ...(softTimeout !== undefined && { softTimeout }) };
  const schedule = { action, policies: { overlap }, ...(tenant !== undefined && { tenant }) };
  const one = await running(ledger(), { schedules: [schedule], play: { takes: Number.POSITIVE_INFINITY } });
  await meanwhile?.(one);
  const { passes, ids } = one;
  const handle = ledger().client.getHandle(ids[0]!);
  const claimAt = async (clock: string) => {
    ledger().clock.set(time(clock).toISOString());
    await passes.claim();
    await passes.verify();
  };
  await claimAt('02:00');
  expect(await ledger().answers(handle.scheduleId)).toEqual([
    '03-01T01:00:00 schedule linked',
    '03-01T02:00:00 schedule buffered',
  ]);
  const interrupt = async () =>
    (await ledger().query(`select interrupt, interrupt_at as at from escapement.firings where state = 'linked'`))[0];
  return { passes, handle, claimAt, interrupt };
}

describe('a running chain goes on, if before its interrupt is sent', () => {
  it.each([
    ['CANCEL_OTHER', 'a pause skips the firing that waits', (handle) => handle.pause(), 'skipped paused'],
    ['TERMINATE_OTHER', 'a pause skips the firing that waits', (handle) => handle.pause(), 'skipped paused'],
    ['CANCEL_OTHER', 'the schedule is deleted', (handle) => handle.delete(), 'skipped schedule_deleted'],
    ['TERMINATE_OTHER', 'the policy is SKIP', overlapIs('SKIP'), 'skipped overlap'],
    ['CANCEL_OTHER', 'the policy is BUFFER_ALL', overlapIs('BUFFER_ALL'), 'buffered'],
  ] as [OverlapPolicy, string, (handle: ScheduleHandle) => Promise<unknown>, string][])(
    '%s: %s',
    async (overlap, _, change, second) => {
      const { passes, handle, claimAt, interrupt } = await toBeEnded(overlap);
      expect(await interrupt()).toMatchObject({ at: time('02:00') });
      await change(handle);
      await claimAt('02:10');
      expect(await passes.interrupt()).toMatchObject({ sent: 0, unanswered: 0 });
      expect(await interrupt()).toEqual({ interrupt: null, at: null });
      expect(await ledger().answers(handle.scheduleId)).toEqual([
        '03-01T01:00:00 schedule linked',
        `03-01T02:00:00 schedule ${second}`,
      ]);
    },
  );
});

describe('a chain that nobody waits for any more keeps its soft timeout', () => {
  it('counted from now, if it was to be cancelled before that timeout', async () => {
    const { handle, claimAt, interrupt } = await toBeEnded('CANCEL_OTHER', { softTimeout: '3 hours' });
    await handle.pause();
    await claimAt('02:10');
    expect(await interrupt()).toEqual({ interrupt: 'cancel', at: time('05:10') });
  });

  it('of the version with which it began, counted from now, if it was to be terminated', async () => {
    const { handle, claimAt, interrupt } = await toBeEnded('TERMINATE_OTHER', { softTimeout: '3 hours' });
    await softTimeoutIs('30 minutes')(handle);
    await handle.pause();
    await claimAt('02:10');
    expect(await interrupt()).toEqual({ interrupt: 'cancel', at: time('05:10') });
  });

  it.each(['CANCEL_OTHER', 'BUFFER_ALL'] as const)('and a cancel that may be this timeout: %s', async (overlap) => {
    const { handle, claimAt, interrupt } = await toBeEnded(overlap, { softTimeout: '1 hour' });
    const due = { interrupt: 'cancel', at: time('02:00') };
    for (const change of [softTimeoutIs('3 hours'), (same: ScheduleHandle) => same.pause()]) {
      await change(handle);
      await claimAt('02:10');
      expect(await interrupt()).toEqual(due);
    }
  });
});

describe('an interrupt that was not sent stays while it is not decided whether the firing that waits may start', () => {
  it('since this version does not know its overlap policy', async () => {
    const { claimAt, interrupt } = await toBeEnded('TERMINATE_OTHER');
    await ledger().query(`update escapement.firings set overlap = 'NEWER' where state = 'buffered'`);
    await wakeAt('02:10');
    await claimAt('02:10');
    expect(await ledger().query('select wake_at as at from escapement.timers')).toEqual([{ at: time('02:11') }]);
    expect(await interrupt()).toEqual({ interrupt: 'terminate', at: time('02:00') });
  });

  it('since another session has locked the quota of its tenant, but not once the quota is used up', async () => {
    await ledger().client.tenants.set('acme', { firingsPerHour: 5 });
    const { claimAt, interrupt } = await toBeEnded('TERMINATE_OTHER', { tenant: 'acme' });
    await wakeAt('02:10');
    await ledger().query('begin');
    await ledger().query('select from escapement.tenant_hours for update');
    await claimAt('02:10');
    await ledger().query('rollback');
    expect(await interrupt()).toEqual({ interrupt: 'terminate', at: time('02:00') });
    await ledger().client.tenants.set('acme', { firingsPerHour: 0 });
    await wakeAt('02:20');
    await claimAt('02:20');
    expect(await interrupt()).toEqual({ interrupt: null, at: null });
  });
});

it.each([
  ['TERMINATE_OTHER', 'CANCEL_OTHER', 'cancel'],
  ['CANCEL_OTHER', 'TERMINATE_OTHER', 'terminate'],
] as const)('an interrupt for %s that was not sent follows an update to %s', async (former, overlap, kind) => {
  const { handle, claimAt, interrupt } = await toBeEnded(former);
  await overlapIs(overlap)(handle);
  await claimAt('02:10');
  expect(await interrupt()).toEqual({ interrupt: kind, at: time('02:10') });
});
