import { expect, it } from 'vitest';
import { nextOccurrences, ScheduleNotFoundError, type ScheduleSpec } from '../../index';
import type { Trigger } from '../../trigger';
import { patient } from '../support/connections/watched-pool';
import { someSchedule, type TestLedger, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const SPECS: ScheduleSpec[] = [
  { cron: '*/2 * * * * *' },
  { cron: '*/3 * * * * *' },
  { intervals: [{ every: '5 seconds', offset: '1 second' }] },
  { cron: '* * * * * *', jitter: '1 second' },
];

it('updates, pauses, deletions and several triggers at once leave exactly one answer for every occurrence', async () => {
  const { clock, sql } = ledger();
  const client = ledger().newClient(patient(ledger()));
  const options = someSchedule({ spec: SPECS[0], policies: { overlap: 'ALLOW_ALL', catchupLimit: 4 } });
  const handle = await client.create(options);
  const triggers = [await ledger().trigger(), await ledger().trigger(), await ledger().trigger()];

  for (let round = 0; round < 40; round++) {
    clock.advance([400, 1_000, 7_300, 30_000][round % 4]!);
    const changes: (() => Promise<unknown>)[] = [
      () => handle.update((previous) => ({ ...previous, spec: SPECS[round % SPECS.length]! })),
      () => (round % 3 === 0 ? handle.pause() : handle.unpause()),
      () => (round % 7 === 6 ? handle.delete() : handle.update((previous) => ({ ...previous }))),
      () => (round % 7 === 6 ? client.create({ ...options, spec: SPECS[round % SPECS.length]! }) : handle.describe()),
    ];
    const work = [...triggers.map((trigger) => claims(trigger)), ...changes.map(unlessDeleted)];
    await Promise.all(work.map((run) => run()));
    if (round % 7 === 6) await client.create(options).catch(() => undefined);
  }
  await handle.unpause();
  await triggers[0]!.passes.claim();

  await expectOneAnswerEach(ledger(), handle.scheduleId);
  const [{ versions }] = (await sql.query('select count(*)::int as versions from escapement.schedule_versions'))
    .rows as [{ versions: number }];
  expect(versions).toBeGreaterThan(20);
});

const claims = (trigger: Trigger) => async () => {
  await trigger.passes.claim();
  await trigger.passes.claim();
};

/** A change may find the schedule deleted, or created again; both are valid results. */
const unlessDeleted = (change: () => Promise<unknown>) => () =>
  change().catch((error) => {
    if (!(error instanceof ScheduleNotFoundError) && !/exists, or has existed/.test(error.message)) throw error;
  });

async function expectOneAnswerEach(ledger: TestLedger, scheduleId: string): Promise<void> {
  const versions = await ledger.query<{ version: number; spec: ScheduleSpec; from: Date; to: Date }>(
    `select version, spec, created_at as from, coalesce(lead(created_at) over (order by version),
       (select answered_to from escapement.timers where schedule_id = $1)) as to
     from escapement.schedule_versions where schedule_id = $1 order by version`,
    [scheduleId],
  );
  const firings = await ledger.query<{ at: Date; version: number }>(
    'select scheduled_time as at, schedule_version as version from escapement.firings where schedule_id = $1 order by 1',
    [scheduleId],
  );
  const gaps = await ledger.query<{ from: Date; to: Date; count: string }>(
    'select from_time as from, to_time as to, count from escapement.gaps where schedule_id = $1',
    [scheduleId],
  );

  const expected = versions.flatMap(({ version, spec, from, to }) =>
    nextOccurrences(spec, { after: from, count: 10_000, scheduleId })
      .filter((at) => at <= to)
      .map((at) => `${at.toISOString()} version ${version}`),
  );
  const inGaps = gaps.flatMap(({ from, to }) =>
    expected.filter((name) => name >= from.toISOString() && name.slice(0, 24) <= to.toISOString()),
  );
  const answers = [...firings.map(({ at, version }) => `${at.toISOString()} version ${version}`), ...inGaps];
  expect(answers.sort()).toEqual(expected.sort());
  expect(inGaps).toHaveLength(gaps.reduce((sum, gap) => sum + Number(gap.count), 0));
  expect(firings.length).toBeGreaterThan(10);
  expect(gaps.length).toBeGreaterThan(3);
}
