import { expect, it } from 'vitest';
import type { ScheduleOptions } from '../../../index';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const time = (clock: string) => new Date(`2026-03-01T${clock}Z`);
const hourly = (options: Partial<ScheduleOptions>) =>
  ledger().client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' }, ...options }));

/** As a later program may write it, whose grammar has more, or as an earlier one did, which took any year. */
const UNREADABLE = [`owner LIKE 'b%'`, `createdAt > "-100000-01-01T00:00:00Z"`];

it.each(UNREADABLE)(
  'a freeze whose filter cannot be read holds all that it may mean, and no others: %s',
  async (query) => {
    const { client, clock, log } = ledger();
    const handle = await hourly({ scheduleId: 'a-1', tenant: 'acme' });
    for (const [scheduleId, tenant] of [
      ['a-2', 'acme'],
      ['b', 'beta'],
      ['nobodys', ''],
    ] as const)
      await hourly({ scheduleId, tenant });
    const { freeze } = await client.freezes.create({
      tenant: 'acme',
      scheduleIds: ['a-1', 'b'],
      query: `note = 'x'`,
      to: time('05:00:00'),
    });
    const freezeId = freeze.freezeId!;
    await ledger().query('update escapement.freezes set query = $1', [query]);

    const { passes } = await ledger().trigger();
    const claimAt = (hour: string) => {
      clock.set(`2026-03-01T${hour}:00:00Z`);
      return passes.claim();
    };
    await claimAt('01');
    await claimAt('02');
    expect(await ledger().answers('a-1')).toEqual([]);
    for (const id of ['a-2', 'b', 'nobodys']) expect(await ledger().answers(id)).toHaveLength(2);
    const said = log.lines.filter(({ meta }) => meta.freezeId === freezeId);
    expect(said).toMatchObject([{ level: 'error', message: expect.stringContaining(`escapement freeze end`) }]);
    expect((await handle.describe()).info).toMatchObject({ frozen: { freezeId } });
    await expect(handle.trigger()).rejects.toMatchObject({ name: 'ScheduleFrozenError', freezeId });

    clock.set('2026-03-01T02:30:00Z');
    await client.freezes.end(freezeId);
    await claimAt('03');
    expect(await ledger().answers('a-1')).toEqual([
      '03-01T01:00:00..03-01T02:00:00 gap 2 frozen',
      '03-01T03:00:00 schedule claimed',
    ]);
  },
);

it('a claim matches no freezes of tenants that it has no schedules of', async () => {
  await hourly({ scheduleId: 'a', tenant: 'acme' });
  const other = ledger().newClient({ tenant: 'beta' });
  for (const hour of ['02', '03']) await other.freezes.create({ all: true, to: time(`${hour}:00:00`) });
  let matched = 0;
  const pool = watchedPool(ledger(), {
    before: (_text, values) => {
      if (values.includes('beta')) matched++;
    },
  });
  const { passes } = await ledger().trigger({ connectionString: undefined, pool });
  ledger().clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  expect(await ledger().answers('a')).toHaveLength(1);
  expect(matched).toBe(0);
});
