import { describe, expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';
import { loseClaims } from '../support/lost-claims';
import { watchedPool } from '../support/watched-pool';

const ledger = useLedger('2026-03-01T00:30:00Z');

describe('the checks of claims that wait in a living trigger', () => {
  it('are put off in time for no other trigger to take the claims over', async () => {
    const { client, clock } = ledger();
    await client.create(someSchedule());
    const busy = await ledger().trigger();
    const other = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await busy.passes.claim();
    for (let beat = 0; beat < 10; beat++) {
      clock.advance(5_000);
      await busy.passes.heartbeat();
      expect(await other.passes.reconcile()).toMatchObject({ taken: 0 });
    }
  });

  it('are written again only when half of their time is over', async () => {
    const { client, clock } = ledger();
    await client.create(someSchedule());
    const { passes } = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await passes.claim();
    const checks: unknown[] = [];
    for (let beat = 0; beat < 10; beat++) {
      await passes.heartbeat();
      const [row] = await ledger().query<{ check_at: Date }>('select check_at from escapement.firings');
      if (checks.at(-1) !== row!.check_at.toISOString()) checks.push(row!.check_at.toISOString());
      clock.advance(4_000);
    }
    expect(checks).toEqual(['2026-03-01T01:00:30.000Z', '2026-03-01T01:00:46.000Z', '2026-03-01T01:01:02.000Z']);
  });

  it('are put off of all that waits, however much it is, once for twice the time that it takes to start it', async () => {
    const { scheduleId } = await ledger().client.create(someSchedule({ policies: { catchupWindow: '1 year' } }));
    await loseClaims(ledger(), scheduleId, 5_001);
    let renewals = 0;
    const isRenewal = (text: string) => text.includes('set check_at = case');
    const pool = watchedPool(ledger(), {
      before: (text) => {
        if (isRenewal(text)) renewals += 1;
      },
    });
    const trigger = await ledger().trigger({ pool });
    while ((await trigger.passes.reconcile()).taken > 0);
    const checks = () => ledger().query('select distinct check_at from escapement.firings');
    ledger().clock.set('2026-03-01T00:30:10Z');
    await trigger.passes.heartbeat();
    expect(await checks()).toEqual([{ check_at: new Date('2026-03-01T00:30:30Z') }]);
    ledger().clock.set('2026-03-01T00:30:20Z');
    await trigger.passes.heartbeat();
    // 5,001 at 150 a second take 33.34 s.
    expect(await checks()).toEqual([{ check_at: new Date('2026-03-01T00:31:26.680Z') }]);
    renewals = 0;
    ledger().clock.set('2026-03-01T00:31:11Z');
    await trigger.passes.heartbeat();
    expect(renewals).toBe(0);
    expect(await checks()).toEqual([{ check_at: new Date('2026-03-01T00:31:26.680Z') }]);
    ledger().clock.set('2026-03-01T00:31:20Z');
    await trigger.passes.heartbeat();
    expect(await checks()).toEqual([{ check_at: new Date('2026-03-01T00:32:26.680Z') }]);
  });

  it('are put off as ever of what somebody has called, and of nothing for longer than five minutes', async () => {
    const { scheduleId } = await ledger().client.create(someSchedule({ policies: { catchupWindow: '1 year' } }));
    await loseClaims(ledger(), scheduleId, 400);
    const trigger = await ledger().trigger({ limits: { startsPerSecondAssumed: 1 } });
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 400 });
    await ledger().query(
      `update escapement.firings set first_attempted_at = check_at where scheduled_time = '2026-02-28T22:59:59Z'`,
    );
    ledger().clock.set('2026-03-01T00:30:20Z');
    await trigger.passes.heartbeat();
    const checks = 'select check_at, count(*)::int from escapement.firings group by 1 order by 1';
    expect(await ledger().query(checks)).toEqual([
      { check_at: new Date('2026-03-01T00:30:50Z'), count: 1 },
      { check_at: new Date('2026-03-01T00:35:20Z'), count: 399 },
    ]);
  });
});
