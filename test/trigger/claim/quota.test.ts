import { describe, expect, it } from 'vitest';
import type { ScheduleOptions } from '../../../index';
import type { Trigger } from '../../../trigger';
import { bulkOn } from '../../client/bulk/bulk-on';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';

/** The quota of firings per hour of a tenant. Occurrences over the quota wait, and each has one answer in the end. */

const ledger = useLedger('2026-03-01T00:30:00Z');
const AT = (time: string) => `2026-03-01T${time}Z`;

const create = (options: Partial<ScheduleOptions> = {}) =>
  ledger().client.create(someSchedule({ tenant: 'acme', policies: { overlap: 'ALLOW_ALL' }, ...options }));

const limit = (firingsPerHour: number | null) => ledger().client.tenants.set('acme', { firingsPerHour });

async function claim(trigger: Trigger): Promise<string[]> {
  const claimed: string[] = [];
  for (let more = true; more; ) {
    const pass = await trigger.passes.claim();
    claimed.push(
      ...pass.claimed.map(({ scheduleId, scheduledTime }) => `${scheduleId} ${scheduledTime.toISOString()}`),
    );
    more = pass.more && pass.locked > 0;
  }
  return claimed;
}

const states = () =>
  ledger().query<{ state: string; count: number }>(
    'select state, count(*)::int as count from escapement.firings group by state order by state',
  );

describe('a tenant that may fire five times an hour', () => {
  it('fires five times, whichever of two triggers claims them, and the rest in the hours after', async () => {
    await limit(5);
    for (let index = 0; index < 12; index++) await create({ spec: { at: new Date(AT('01:00:00')) } });
    // Batches of two, so that both triggers work at the same time.
    const limits = { batchSize: 2 };
    const triggers = [await ledger().trigger({ limits }), await ledger().trigger({ limits })];
    await claim(triggers[0]!);
    const fire = async (time: string) => {
      ledger().clock.set(AT(time));
      let claimed = 0;
      // If the other trigger holds the lock of the count, a trigger polls again a second later.
      for (let second = 0; second < 9; second++) {
        const both = await Promise.all(triggers.map(claim));
        claimed += both.flat().length;
        ledger().clock.advance(1_000);
      }
      return claimed;
    };
    expect(await fire('01:00:00')).toBe(5);
    expect(await fire('01:40:00')).toBe(0);
    expect(await fire('02:00:00')).toBe(5);
    expect(await fire('03:00:00')).toBe(2);
    expect(await states()).toEqual([{ state: 'claimed', count: 12 }]);
  });

  it('fires a schedule that was down as far as the hour goes, and goes on where it stopped', async () => {
    await limit(5);
    const { scheduleId } = await create({ spec: { cron: '*/10 * * * *' } });
    const trigger = await ledger().trigger();
    ledger().clock.set(AT('02:00:00'));
    await claim(trigger);
    expect(await ledger().answers(scheduleId)).toEqual(
      ['00:40', '00:50', '01:00', '01:10', '01:20'].map((time) => `03-01T${time}:00 catchup claimed`),
    );
    const { info } = await ledger().client.getHandle(scheduleId).describe();
    expect(info).toMatchObject({ nextFireAt: new Date(AT('01:30:00')), delayedUntil: new Date(AT('03:00:00')) });
    ledger().clock.set(AT('03:00:00'));
    await claim(trigger);
    expect((await ledger().answers(scheduleId)).slice(5)).toEqual(
      ['01:30', '01:40', '01:50', '02:00', '02:10'].map((time) => `03-01T${time}:00 catchup claimed`),
    );
  });

  it('does not complete a schedule before its last occurrence, which waits for the next hour, is claimed', async () => {
    await limit(1);
    const at = [AT('01:00:00'), AT('01:01:00')].map((time) => new Date(time));
    const { scheduleId } = await create({ spec: { at } });
    const completed = () =>
      ledger().query('select completed_at from escapement.timers where schedule_id = $1', [scheduleId]);
    const trigger = await ledger().trigger();
    ledger().clock.set(AT('01:01:00'));
    await claim(trigger);
    expect(await completed()).toEqual([{ completed_at: null }]);
    ledger().clock.set(AT('02:00:00'));
    await claim(trigger);
    expect(await completed()).toEqual([{ completed_at: new Date(AT('02:00:00')) }]);
  });

  it('records what a freeze has dropped once, when the occurrences before that are claimed', async () => {
    await limit(5);
    const policies = { overlap: 'ALLOW_ALL', catchupLimit: Number.POSITIVE_INFINITY } as const;
    const { scheduleId } = await create({ spec: { cron: '* * * * *' }, policies });
    const freeze = { from: new Date(AT('00:40:00')), to: new Date(AT('00:50:00')), catchUp: 'NONE' as const };
    await ledger().client.freezes.create({ all: true, ...freeze });
    const trigger = await ledger().trigger();
    const gaps = () => ledger().query('select reason, count from escapement.gaps where schedule_id = $1', [scheduleId]);
    for (const hour of ['02', '02']) {
      ledger().clock.set(AT(`${hour}:00:00`));
      await claim(trigger);
      expect(await gaps()).toEqual([]);
    }
    ledger().clock.set(AT('03:00:00'));
    await claim(trigger);
    expect(await gaps()).toEqual([{ reason: 'frozen', count: '10' }]);
    expect((await ledger().answers(scheduleId)).filter((answer) => answer.includes('claimed'))).toHaveLength(10);
  });

  it('counts what a person asks for too, which waits in the ledger and says why', async () => {
    await limit(1);
    const handle = await create({ spec: {} });
    const trigger = await ledger().trigger();
    await trigger.passes.heartbeat();
    await handle.trigger();
    const second = await handle.trigger();
    expect(await claim(trigger)).toHaveLength(1);
    expect(await states()).toEqual([
      { state: 'buffered', count: 1 },
      { state: 'claimed', count: 1 },
    ]);
    await trigger.passes.heartbeat();
    expect(await handle.explain(second.scheduledTime)).toMatchObject({
      cause: { kind: 'quota', tenant: 'acme', firingsPerHour: 1, until: new Date(AT('01:00:00')) },
      sentence: expect.stringContaining("tenant 'acme' has used up its quota (1 firing an hour) until"),
    });
    expect((await handle.describe()).info.delayedUntil).toEqual(new Date(AT('01:00:00')));
    ledger().clock.set(AT('01:00:00'));
    expect(await claim(trigger)).toHaveLength(1);
    expect((await handle.describe()).info.delayedUntil).toBeUndefined();
  });

  it('starts in the next hour what a person asked for on a schedule that has no actions left', async () => {
    await limit(1);
    const handle = await create({ spec: { cron: '40 * * * *' }, state: { remainingActions: 1 } });
    const trigger = await ledger().trigger();
    ledger().clock.set(AT('00:40:00'));
    expect(await claim(trigger)).toHaveLength(1);
    await handle.trigger();
    expect(await claim(trigger)).toHaveLength(0);
    ledger().clock.set(AT('01:00:00'));
    expect(await claim(trigger)).toHaveLength(1);
  });

  it('leaves what was not claimed by its catch-up limit to a gap, as after downtime', async () => {
    await limit(1);
    const { scheduleId } = await create({
      spec: { cron: '*/10 * * * *' },
      policies: { overlap: 'ALLOW_ALL', catchupLimit: 1 },
    });
    const trigger = await ledger().trigger();
    for (const time of ['00:40:00', '00:50:00', '01:00:00', '01:30:00', '02:00:00']) {
      ledger().clock.set(AT(time));
      await claim(trigger);
    }
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T00:40:00 schedule claimed',
      '03-01T00:50:00..03-01T00:50:00 gap 1 over_catchup_limit',
      '03-01T01:00:00 schedule claimed',
      '03-01T01:10:00..03-01T01:20:00 gap 2 over_catchup_limit',
      '03-01T01:30:00..03-01T01:50:00 gap 3 over_catchup_limit',
      '03-01T02:00:00 schedule claimed',
    ]);
    const { sentence } = await ledger().client.getHandle(scheduleId).explain(AT('01:10:00'));
    expect(sentence).toContain("the catch-up limit allows, or the quota of firings of tenant 'acme' was used up; ");
  });

  it('deals it out to its schedules, so that one with much to do leaves something to the others', async () => {
    await limit(4);
    await create({ scheduleId: 'a-much', spec: { cron: '* * * * *' } });
    await create({ scheduleId: 'b-nightly', spec: { cron: '45 0 * * *' } });
    const trigger = await ledger().trigger();
    ledger().clock.set(AT('00:59:00'));
    const claimed = await claim(trigger);
    expect(claimed).toHaveLength(3);
    expect(claimed).toContain('b-nightly 2026-03-01T00:45:00.000Z');
    ledger().clock.advance(1_000);
    // Unused turns go to tenants with more work.
    expect(await claim(trigger)).toEqual(['a-much 2026-03-01T00:33:00.000Z']);
  });

  it('holds back no other tenant, and nothing once the limit is raised or gone', async () => {
    await limit(0);
    for (let index = 0; index < 3; index++) await create({ scheduleId: `acme-${index}` });
    await create({ scheduleId: 'other', tenant: 'other' });
    await create({ scheduleId: 'nobodys', tenant: '' });
    const trigger = await ledger().trigger();
    ledger().clock.set(AT('01:00:00'));
    expect((await claim(trigger)).sort()).toEqual([`nobodys ${AT('01:00:00.000')}`, `other ${AT('01:00:00.000')}`]);
    expect((await limit(1)).used).toEqual({ schedules: 3, firingsThisHour: 0 });
    expect(await claim(trigger)).toHaveLength(1);
    expect((await limit(null)).used).toEqual({ schedules: 3, firingsThisHour: 1 });
    expect(await claim(trigger)).toHaveLength(2);
  });

  it('wakes what waits once the limit is raised, and leaves a schedule that is locked to the next hour', async () => {
    await limit(0);
    for (const scheduleId of ['free', 'locked']) await create({ scheduleId });
    const trigger = await ledger().trigger();
    ledger().clock.set(AT('01:00:00'));
    expect(await claim(trigger)).toEqual([]);
    const release = await bulkOn(ledger).locked(`schedule_id = 'locked'`);
    expect((await limit(9)).limits).toMatchObject({ firingsPerHour: 9 });
    expect(await claim(trigger)).toEqual([`free ${AT('01:00:00.000')}`]);
    await release();
    ledger().clock.set(AT('02:00:00'));
    expect(await claim(trigger)).toContain(`locked ${AT('01:00:00.000')}`);
  });

  it('skips what overlaps as ever, which takes nothing of the hour', async () => {
    await limit(1);
    const { scheduleId } = await create({
      scheduleId: uniqueName('skipping'),
      spec: { cron: '*/10 * * * *' },
      policies: { overlap: 'SKIP' },
    });
    const trigger = await ledger().trigger();
    ledger().clock.set(AT('00:40:00'));
    await claim(trigger);
    await trigger.passes.dispatch();
    ledger().clock.set(AT('00:50:00'));
    await claim(trigger);
    await trigger.passes.verify();
    expect((await ledger().answers(scheduleId)).at(-1)).toBe('03-01T00:50:00 schedule skipped overlap');
  });

  it('ends nothing that runs for a firing that has to wait for the next hour', async () => {
    await limit(1);
    const { scheduleId } = await create({
      scheduleId: uniqueName('replacing'),
      spec: { cron: '*/10 * * * *' },
      policies: { overlap: 'TERMINATE_OTHER' },
    });
    const trigger = await ledger().trigger();
    const interrupts = () => ledger().query('select 1 from escapement.firings where interrupt is not null');
    const pass = async (time: string) => {
      ledger().clock.set(AT(time));
      await claim(trigger);
      await trigger.passes.verify();
    };
    await pass('00:40:00');
    await trigger.passes.dispatch();
    await pass('00:50:00');
    expect(await interrupts()).toEqual([]);
    expect(await ledger().answers(scheduleId)).toEqual(['03-01T00:40:00 schedule linked']);
    await pass('01:00:00');
    expect(await interrupts()).toHaveLength(1);
  });

  it('is not waited for where a trigger is frozen while it counts', async () => {
    await limit(5);
    await create({ scheduleId: 'metered' });
    await create({ scheduleId: 'other', tenant: 'other' });
    const trigger = await ledger().trigger();
    await claim(trigger);
    ledger().clock.set(AT('01:00:00'));
    await ledger().query('begin');
    await ledger().query('select from escapement.tenant_hours for update');
    expect(await claim(trigger)).toEqual([`other ${AT('01:00:00.000')}`]);
    await ledger().query('rollback');
    ledger().clock.advance(1_000);
    expect(await claim(trigger)).toEqual([`metered ${AT('01:00:00.000')}`]);
  });
});
