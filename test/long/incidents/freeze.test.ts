import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const SCHEDULES = 10_000;

/** Live schedules of one source, each due at the full hour. */
async function manySchedules(): Promise<void> {
  const { client } = ledger();
  const declared = Array.from({ length: SCHEDULES }, (_, n) => someSchedule({ scheduleId: `s${n}` }));
  await client.apply(declared, { source: 'billing', revision: 1 });
}

it('a release freeze over 10,000 schedules begins and ends in under five seconds, and starts once what it is to catch up', {
  timeout: 600_000,
}, async () => {
  const { client, clock } = ledger();
  await manySchedules();
  const { passes } = await ledger().trigger();
  const claimAll = async (at: string) => {
    clock.set(`2026-03-01T${at}Z`);
    for (let more = true; more; ) ({ more } = await passes.claim());
  };
  const took: Record<string, number> = {};
  const timed = async <Result>(what: string, work: () => Promise<Result>) => {
    const begun = performance.now();
    const result = await work();
    took[what] = performance.now() - begun;
    return result;
  };
  await claimAll('00:30:01');
  const options = {
    source: 'billing',
    to: new Date('2026-03-01T08:00:00Z'),
    catchUp: 'LAST',
    note: 'release 12',
  } as const;
  const planned = await timed('dry run', () => client.freezes.create({ ...options, dryRun: true }));
  expect(planned.frozen).toHaveLength(SCHEDULES);
  expect(planned.frozen!.reduce((sum, one) => sum + one.occurrences, 0)).toBe(7 * SCHEDULES);
  const { freeze, schedules } = await timed('begin', () => client.freezes.create(options));
  expect(schedules).toBe(SCHEDULES);
  await timed('first hour held', () => claimAll('01:00:00'));
  await claimAll('02:00:00');
  expect(await ledger().query('select 1 from escapement.firings limit 1')).toEqual([]);
  clock.set('2026-03-01T03:30:00Z');
  await timed('end', () => client.freezes.end(freeze.freezeId!));
  await timed('caught up', () => claimAll('03:30:01'));
  const [counts] = await ledger().query(`select count(*)::int as firings, count(distinct schedule_id)::int as schedules,
    min(scheduled_time) as first, max(scheduled_time) as last from escapement.firings`);
  const last = new Date('2026-03-01T03:00:00Z');
  expect(counts).toEqual({ firings: SCHEDULES, schedules: SCHEDULES, first: last, last });
  const explained = await client.getHandle('s4711').explain(new Date('2026-03-01T02:00:00Z'));
  expect(explained.sentence).toContain(`frozen by freeze ${freeze.freezeId} ('release 12')`);
  const figures = Object.entries(took).map(([what, milliseconds]) => `${what}: ${(milliseconds / 1_000).toFixed(2)} s`);
  process.stdout.write(`${figures.join(', ')}\n`);
  expect(took.begin).toBeLessThan(5_000);
  expect(took.end).toBeLessThan(5_000);
});
