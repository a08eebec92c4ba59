import { describe, expect, it } from 'vitest';
import { watchedPool } from '../../support/connections/watched-pool';
import { DAY, useMonths } from './months';

const { ledger, insertFiring } = useMonths();

describe('retention', () => {
  it('deletes the gaps that ended, and were written, before the months that are left', async () => {
    await insertFiring('one', '2025-11-03T00:00:00Z');
    const gaps = (rows: string) =>
      ledger().query(
        `insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at) ${rows}`,
      );
    // More than one statement takes.
    await gaps(`select 'old', '2025-11-01Z'::timestamptz + n * interval '1 second', '2025-11-30T23:59Z', 1, 'paused',
      '2025-11-30T23:59:59Z' from generate_series(1, 1500) n`);
    await gaps(`values ('reaches over', '2025-11-01Z'::timestamptz, '2025-12-01Z'::timestamptz, 2, 'paused', '2025-11-15Z'::timestamptz),
      ('written late', '2025-11-01Z', '2025-11-02Z', 2, 'paused', '2025-12-01Z')`);
    const left = async () =>
      (await ledger().query('select distinct schedule_id from escapement.gaps order by 1')).map(
        (row) => row.schedule_id,
      );
    const trigger = await ledger().trigger();
    await trigger.passes.sweep();
    expect(await left()).toEqual(['old', 'reaches over', 'written late']);

    ledger().clock.set(new Date(Date.parse('2025-12-01T00:00:00Z') + 90 * DAY).toISOString());
    await trigger.passes.sweep();
    expect(await left()).toEqual(['reaches over', 'written late']);
  });

  it('finds old gaps by an index among a hundred thousand that stay', async () => {
    await ledger().query(`insert into escapement.meta values ('retention_floor', '"2025-01-01T00:00:00Z"')`);
    await ledger().query(`insert into escapement.gaps select 's' || n, '2025-12-01Z', '2025-12-01Z', 1, 'paused',
      '2025-12-01Z'::timestamptz + n * interval '1 second' from generate_series(1, 100000) n`);
    await ledger().query('analyze escapement.gaps');
    const statements: [string, unknown[]][] = [];
    const pool = watchedPool(ledger(), { before: (text, values) => statements.push([text, values]) });
    await (await ledger().trigger({ pool })).passes.sweep();
    const [text, values] = statements.find(([statement]) => statement.includes('delete from "escapement"."gaps"'))!;
    const plan = JSON.stringify(await ledger().query(`explain (format json) ${text}`, values));
    expect(plan).toContain('gaps_recorded');
    // The handful of schedules may be read whole.
    expect(plan).not.toMatch(/"Seq Scan"[^{}]*"Relation Name":"gaps"/);
  });

  it('keeps all gaps where firings are kept for ever, though months were retired before', async () => {
    await ledger().query(`insert into escapement.meta values ('retention_floor', '"2026-01-01T00:00:00Z"')`);
    await ledger().query(
      `insert into escapement.gaps values ('old', '2025-11-01Z', '2025-11-01Z', 1, 'paused', '2025-11-01Z')`,
    );
    ledger().clock.set('2027-01-01T00:00:00Z');
    await ledger().client.settings.set({ retention: Number.POSITIVE_INFINITY });
    const { passes } = await ledger().trigger();
    await passes.sweep();
    expect(await ledger().query('select schedule_id from escapement.gaps')).toEqual([{ schedule_id: 'old' }]);
    await ledger().client.settings.set({ retention: '90 days' });
    await passes.heartbeat();
    await passes.sweep();
    expect(await ledger().query('select schedule_id from escapement.gaps')).toEqual([]);
  });
});
