import { expect, it } from 'vitest';
import { compileSpec } from '../../../core/occurrences';
import { openStore } from '../../../store/connection';
import { mayBeHeld, readFreezesOf } from '../../../store/freezes/matching';
import { readDueFreezes } from '../../../trigger/claim/freezes';
import { watchedPool } from '../../support/connections/watched-pool';
import { useLedger } from '../../support/ledger';
import { mostRead } from '../../support/statements/plans';

const ledger = useLedger('2026-03-01T00:30:00Z');
const NOW = Date.parse('2026-03-01T01:00:00Z');

/** Looks for the freezes of 100 schedules, and counts how often a spec is evaluated, and in one turn of the event loop. */
async function look() {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const compiled = compileSpec({ cron: '0 * * * *' });
  const seen = { evaluated: 0, inOneTurn: 0 };
  let inThisTurn = 0;
  const counted = {
    next(after: number) {
      if (inThisTurn === 0) {
        setImmediate(() => {
          inThisTurn = 0;
        });
      }
      inThisTurn += 1;
      seen.evaluated += 1;
      seen.inOneTurn = Math.max(seen.inOneTurn, inThisTurn);
      return compiled.next(after);
    },
  };
  const timers = Array.from({ length: 100 }, (_, n) => ({
    ...{ scheduleId: `s${n}`, tenant: '', answeredTo: new Date('2026-03-01T00:00:00Z') },
    ...{ deleted: false, paused: false, pausedUntil: null, remainingActions: null },
  }));
  const context = { store, logger: undefined, unreadableFreezes: new Set() };
  await readDueFreezes(context as never, timers as never, () => ({ compiled: counted }) as never, NOW);
  return seen;
}

it('a claim evaluates no spec to look for freezes where there are none', async () => {
  expect(await look()).toEqual({ evaluated: 0, inOneTurn: 0 });
});

it('where there are freezes, other work gets its turns meanwhile', async () => {
  await ledger().client.freezes.create({ all: true, to: new Date('2026-03-01T05:00:00Z') });
  const { evaluated, inOneTurn } = await look();
  expect(evaluated).toBe(100);
  expect(inOneTurn).toBeLessThanOrEqual(20);
});

it('a claim reads no freezes that are planned for later, or that ended before their planned end', async () => {
  await ledger().query(
    `insert into escapement.freezes (freeze_id, from_time, to_time, ended_at, catch_up, actor, created_at)
     select gen_random_uuid(), case when n % 2 = 0 then '2026-06-01Z' else '2026-02-01Z' end::timestamptz, '2026-07-01Z',
       case when n % 2 = 1 then '2026-02-02Z'::timestamptz end, 'NONE', 'test', '2026-02-01Z' from generate_series(1, 20000) n;
     insert into escapement.freezes (freeze_id, from_time, to_time, catch_up, actor, created_at)
     select gen_random_uuid(), '2026-03-01T00:30Z', '2026-03-01T05:00Z', 'NONE', 'test', '2026-02-01Z';
     analyze escapement.freezes`,
  );
  const sent: [string, unknown[]][] = [];
  const store = openStore({ pool: watchedPool(ledger(), { before: (text, values) => sent.push([text, values]) }) });
  ledger().beforeClose(() => store.close());
  const schedule = { scheduleId: 's', tenant: '', answeredTo: new Date('2026-03-01T00:00Z') };
  expect(await mayBeHeld(store, [schedule], new Date(NOW))).toBe(true);
  await readFreezesOf(store, [{ ...schedule, since: schedule.answeredTo }], new Date(NOW));
  const reads = sent.filter(([text]) => text.includes('"freezes" f'));
  expect(reads).toHaveLength(2);
  for (const [text, values] of reads) {
    const { rows } = await ledger().sql.query(`explain (analyze, format json) ${text}`, values);
    expect(mostRead(rows[0]['QUERY PLAN'][0].Plan, 'freezes')).toBeLessThan(10);
  }
});

it('a claim asks nothing about each freeze that has no filter', async () => {
  const schedules = Array.from({ length: 40 }, (_, n) => ({
    ...{ scheduleId: `s${n}`, tenant: `t${n % 20}`, since: new Date('2026-03-01T00:00Z') },
  }));
  const { freezes } = ledger().client;
  const to = new Date('2026-03-01T05:00:00Z');
  for (let n = 0; n < 19; n++) await freezes.create({ tenant: `t${n}`, to });
  await freezes.create({ scheduleIds: ['s39'], to });
  let asked = 0;
  const store = openStore({ pool: watchedPool(ledger(), { before: () => (asked += 1) }) });
  ledger().beforeClose(() => store.close());
  const held = await readFreezesOf(store, schedules, new Date(NOW));
  // Of the tenant without a freeze, one schedule is frozen by its name.
  expect(schedules.filter(({ scheduleId }) => !held.has(scheduleId))).toMatchObject([{ scheduleId: 's19' }]);
  expect(asked).toBeLessThan(6);
});
