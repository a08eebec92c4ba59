import { describe, expect, it } from 'vitest';
import type { ScheduleOptions } from '../../../../index';
import { watchedPool } from '../../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../../support/ledger';
import { type Plan, rowsRead } from '../../../support/statements/plans';

const ledger = useLedger('2026-03-01T00:30:00Z');
const OPEN = 12_000;

/** A schedule with very many open firings, and statements that the passes of a trigger send about it. */
async function withManyOpen(options: Partial<ScheduleOptions>, state: 'linked' | 'buffered' = 'linked') {
  const { scheduleId } = await ledger().client.create(someSchedule(options));
  await ledger().query(`select escapement.ensure_partition('2026-02-05Z')`);
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, workflow_id,
       run_id, check_at, claimed_at, linked_at)
     select $1, '2026-02-05Z'::timestamptz + k * interval '1 second', $2, 'backfill', 'default', 1, 'w' || k, 'r' || k,
       '2026-03-01Z', $3::timestamptz, $3::timestamptz from generate_series(1, ${OPEN}) k`,
    // A claim skips what waits since before its schedule was created.
    [scheduleId, state, new Date(ledger().clock.now())],
  );
  await ledger().query('analyze escapement.firings');
  const sent: { text: string; values: unknown[] }[] = [];
  const pool = watchedPool(ledger(), { before: (text, values) => sent.push({ text, values }) });
  const trigger = await ledger().trigger({ pool });
  ledger().clock.set('2026-03-01T01:00:00Z');
  return { scheduleId, trigger, sent };
}

/** How many rows of firings each scan of a claim has read, in the statements with this text. */
async function readBy(sent: { text: string; values: unknown[] }[], part = ''): Promise<number[]> {
  const reads = sent.filter(({ text }) => text.includes('f.interrupted_at as "interruptedAt"') && text.includes(part));
  expect(reads.length).toBeGreaterThan(0);
  const rows: number[] = [];
  for (const { text, values } of reads) {
    const [row] = await ledger().query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, format json) ${text}`,
      values,
    );
    rows.push(...rowsRead(row!['QUERY PLAN'][0].Plan));
  }
  return rows;
}

const mostReadBy = async (...[sent]: Parameters<typeof readBy>) => Math.max(...(await readBy(sent)));

const answersSince = async (scheduleId: string) =>
  (await ledger().answers(scheduleId)).filter((answer) => answer.startsWith('03-'));

describe('a claim of a schedule with very many open firings reads few of them', () => {
  it('where none blocks another', async () => {
    const { scheduleId, trigger, sent } = await withManyOpen({ policies: { overlap: 'ALLOW_ALL' } });
    await trigger.passes.claim();
    expect(await answersSince(scheduleId)).toEqual(['03-01T01:00:00 schedule claimed']);
    expect(await mostReadBy(sent)).toBeLessThan(100);
  });

  it('where a firing waits behind them by its own policy', async () => {
    const { scheduleId, trigger, sent } = await withManyOpen({ policies: { overlap: 'ALLOW_ALL' } });
    await ledger().client.getHandle(scheduleId).trigger('BUFFER_ONE');
    await trigger.passes.claim();
    expect(await answersSince(scheduleId)).toEqual([
      '03-01T01:00:00 schedule claimed',
      '03-01T01:00:00.001 manual buffered',
    ]);
    expect(await mostReadBy(sent)).toBeLessThan(1_500);
  });

  it('where they fill it', async () => {
    const { scheduleId, trigger, sent } = await withManyOpen({ policies: { overlap: 'BUFFER_ALL' } });
    await trigger.passes.claim();
    expect(await answersSince(scheduleId)).toEqual(['03-01T01:00:00 schedule buffered']);
    expect(await mostReadBy(sent)).toBeLessThan(6_000);
  });
});

it('a schedule that may have very many open firings is full with these, and not before', async () => {
  const policies = { overlap: 'BUFFER_ALL', maxConcurrent: OPEN + 1 } as const;
  const { scheduleId, trigger } = await withManyOpen({ policies });
  await trigger.passes.claim();
  ledger().clock.set('2026-03-01T02:00:00Z');
  await trigger.passes.claim();
  expect(await answersSince(scheduleId)).toEqual([
    '03-01T01:00:00 schedule claimed',
    '03-01T02:00:00 schedule buffered',
  ]);
});

it('a claim reads what waits once, though far more waits than it decides about', async () => {
  const { scheduleId, trigger, sent } = await withManyOpen({ policies: { overlap: 'BUFFER_ALL' } }, 'buffered');
  await trigger.passes.claim();
  expect(await answersSince(scheduleId)).toEqual(['03-01T01:00:00 schedule buffered']);
  // Once the oldest 1,000, which the claim decides about, and once all, for those behind that need not wait.
  const read = await readBy(sent, `state = 'buffered' and`);
  expect(read.reduce((sum, rows) => sum + rows)).toBeLessThan(OPEN + 2_000);
});
