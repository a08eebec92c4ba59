import { describe, expect, it } from 'vitest';
import {
  type BackfillOptions,
  type BackfillResult,
  InvalidScheduleError,
  RetiredMonthError,
  ScheduleConflictError,
  ScheduleNotFoundError,
} from '../../../index';
import { patient } from '../../support/connections/watched-pool';
import { COSTLY_SPEC } from '../../support/costly-spec';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

const ALLOW_ALL = { overlap: 'ALLOW_ALL' } as const;

const range = (start: string, end: string) => ({ start: new Date(start), end: new Date(end) });

describe('backfill', () => {
  it('takes an end in the future for now: what is to come fires by itself, once', async () => {
    const handle = await ledger().client.create(someSchedule({ state: { paused: true } }));
    ledger().clock.set('2026-03-01T02:30:00Z');
    const end = new Date('2026-03-01T05:00:00Z');
    const result = await handle.backfill({ start: new Date('2026-03-01T00:30:00Z'), end });
    expect(result).toMatchObject({ occurrences: 2, filled: 2, last: new Date('2026-03-01T02:00:00Z') });
  });

  it('fills only holes, both ends inclusive: a gap is beaten, a firing never doubled', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: { ...ALLOW_ALL, catchupLimit: 1 } }));
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T04:30:00Z');
    await trigger.passes.claim();
    const asked = range('2026-03-01T02:00:00Z', '2026-03-01T04:00:00Z');
    const result = { occurrences: 3, filled: 2, skipping: 0, alreadyFired: 1, leftToTrigger: 0 };
    const ends = { first: new Date('2026-03-01T02:00:00Z'), last: new Date('2026-03-01T03:00:00Z') };
    expect(await handle.backfill({ ...asked, dryRun: true })).toEqual({ ...result, ...ends });
    expect(await ledger().query(`select from escapement.firings where kind = 'backfill'`)).toEqual([]);
    expect(await handle.backfill(asked)).toEqual({ ...result, ...ends });
    expect(await handle.backfill(asked)).toEqual({ ...result, filled: 0, alreadyFired: 3 });
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00..03-01T03:00:00 gap 3 over_catchup_limit',
      '03-01T02:00:00 backfill claimed',
      '03-01T03:00:00 backfill claimed',
      '03-01T04:00:00 catchup claimed',
    ]);
  });

  it.each([true, false])('refuses a schedule whose times take too long to find, dry run %s', async (dryRun) => {
    const handle = await ledger().client.create(someSchedule({ spec: COSTLY_SPEC }));
    const filled = handle.backfill({ ...range('2026-02-27T00:00:00Z', '2026-02-28T00:00:00Z'), dryRun });
    await expect(filled).rejects.toThrow(/takes too long to evaluate/);
    expect(await ledger().query(`select from escapement.firings where kind = 'backfill'`)).toEqual([]);
  });

  it('writes nothing of a schedule whose later times take too long to find', async () => {
    const cheap = { second: 45, minute: '*', hour: '*' } as const;
    const costly = { ...cheap, second: { start: 0, end: 45 }, year: 2026, month: 'FEBRUARY', dayOfMonth: 28 } as const;
    const spec = { calendars: [cheap, costly], skip: COSTLY_SPEC.skip! };
    const handle = await ledger().client.create(someSchedule({ spec }));
    let batches = 0;
    const progress = () => void batches++;
    await handle.backfill({ ...range('2026-02-26T00:00:00Z', '2026-02-27T00:00:00Z'), progress });
    expect(batches).toBe(2);
    await ledger().query('delete from escapement.firings');
    const filled = handle.backfill({ ...range('2026-02-27T00:00:00Z', '2026-02-28T12:00:00Z'), progress });
    await expect(filled).rejects.toThrow(/takes too long to evaluate/);
    expect(batches).toBe(2);
    expect(await ledger().query('select from escapement.firings')).toEqual([]);
  });

  it.each([
    ['SKIP', 5, 4],
    ['BUFFER_ONE', 5, 3],
    ['CANCEL_OTHER', 5, 4],
    ['BUFFER_ALL', 5, 0],
    ['ALLOW_ALL', 5, 0],
  ] as const)(
    'says beforehand what overlap skips of it: under %s of %i it is %i',
    async (overlap, filled, skipping) => {
      const handle = await ledger().client.create(someSchedule({ policies: { overlap } }));
      const asked = range('2026-02-01T00:00:00Z', '2026-02-01T04:00:00Z');
      expect(await handle.backfill({ ...asked, dryRun: true })).toMatchObject({ filled, skipping });
      expect(await handle.backfill(asked)).toMatchObject({ filled, skipping });
      await (await ledger().trigger()).passes.claim();
      expect(await ledger().query(`select from escapement.firings where state = 'skipped'`)).toHaveLength(skipping);
      const later = range('2026-02-02T00:00:00Z', '2026-02-02T01:00:00Z');
      const held = { SKIP: 2, BUFFER_ONE: 2, CANCEL_OTHER: 1, BUFFER_ALL: 0, ALLOW_ALL: 0 }[overlap];
      expect(await handle.backfill({ ...later, dryRun: true })).toMatchObject({ filled: 2, skipping: held });
    },
  );

  it('says who asked, overlaps by its own policy or the schedule’s, and names workflows as the spec does', async () => {
    const { client } = ledger();
    const handle = await client.create(someSchedule());
    await handle.backfill([
      { ...range('2026-02-01T00:00:00Z', '2026-02-01T00:59:00Z'), overlap: 'BUFFER_ALL' },
      range('2026-02-01T00:00:00Z', '2026-02-01T01:00:00Z'),
    ]);
    expect(
      await ledger().query('select state, actor, overlap, workflow_id from escapement.firings order by scheduled_time'),
    ).toEqual([
      {
        state: 'buffered',
        actor: 'test',
        overlap: 'BUFFER_ALL',
        workflow_id: `${handle.scheduleId}-workflow-2026-02-01T00:00:00Z`,
      },
      {
        state: 'buffered',
        actor: 'test',
        overlap: null,
        workflow_id: `${handle.scheduleId}-workflow-2026-02-01T01:00:00Z`,
      },
    ]);
  });

  it('of ranges that overlap says beforehand what it then does', async () => {
    const { client } = ledger();
    const handle = await client.create(someSchedule());
    const ranges = [
      range('2026-02-01T00:00:00Z', '2026-02-01T05:00:00Z'),
      range('2026-02-01T03:00:00Z', '2026-02-01T08:00:00Z'),
    ];
    const foretold = await handle.backfill(ranges.map((one) => ({ ...one, dryRun: true })));
    expect(foretold).toMatchObject({ occurrences: 12, filled: 9, alreadyFired: 3 });
    expect(await handle.backfill(ranges)).toEqual(foretold);
  });

  it('leaves to the trigger what came after the end of a pause', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: ALLOW_ALL }));
    await handle.pause({ until: new Date('2026-03-01T01:30:00Z') });
    const asked = range('2026-03-01T00:00:00Z', '2026-03-01T02:00:00Z');
    const left = { occurrences: 3, filled: 1, leftToTrigger: 2 };
    clock.set('2026-03-01T02:10:00Z');
    expect(await handle.backfill({ ...asked, dryRun: true })).toMatchObject(left);
    expect(await handle.backfill(asked)).toMatchObject(left);
    await (await ledger().trigger()).passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toContain('03-01T02:00:00 catchup claimed');
  });

  it('leaves to the trigger what no trigger has looked at, and what is excluded to whoever excluded it', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: ALLOW_ALL }));
    await handle.exclude('2026-03-01T01:00:00Z');
    clock.set('2026-03-01T02:30:00Z');
    const asked = range('2026-02-28T23:00:00Z', '2026-03-01T02:00:00Z');
    for (const dryRun of [true, false]) {
      expect(await handle.backfill({ ...asked, dryRun })).toMatchObject({
        occurrences: 4,
        filled: 2,
        leftToTrigger: 2,
      });
    }
    await (await ledger().trigger()).passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '02-28T23:00:00 backfill claimed',
      '03-01T00:00:00 backfill claimed',
      '03-01T01:00:00 schedule skipped excluded',
      '03-01T02:00:00 catchup claimed',
    ]);
  });

  it.each(['paused', 'completed'])(
    'fills what a %s schedule slept through, and its later gap is beaten',
    async (how) => {
      const { client, clock } = ledger();
      const state = how === 'paused' ? { paused: true } : { remainingActions: 0 };
      const handle = await client.create(someSchedule({ policies: ALLOW_ALL, state }));
      clock.set('2026-03-01T03:30:00Z');
      const asked = range('2026-03-01T02:00:00Z', '2026-03-01T03:30:00Z');
      for (const dryRun of [true, false]) {
        expect(await handle.backfill({ ...asked, dryRun })).toMatchObject({ filled: 2, leftToTrigger: 0 });
      }
      await handle.update((previous) => ({ ...previous, state: {} }));
      expect(await ledger().answers(handle.scheduleId)).toEqual([
        `03-01T01:00:00..03-01T03:00:00 gap 3 ${how}`,
        '03-01T02:00:00 backfill buffered',
        '03-01T03:00:00 backfill buffered',
      ]);
      expect(await handle.explain('2026-03-01T02:00:00Z')).toMatchObject({ answer: 'firing' });
    },
  );

  it('goes in batches of 1,000, tells how far it is, and is finished by calling it again', async () => {
    const { client } = ledger();
    const handle = await client.create(someSchedule({ spec: { cron: '* * * * * *' } }));
    const asked = range('2026-02-28T23:00:00Z', '2026-02-28T23:41:39Z');
    const progress: number[] = [];
    const interrupted = handle.backfill({
      ...asked,
      progress: ({ filled }) => {
        progress.push(filled);
        if (filled === 2_000) throw new Error('the process dies');
      },
    });
    await expect(interrupted).rejects.toThrow('the process dies');
    const rest = await handle.backfill({ ...asked, progress: ({ filled }) => void progress.push(filled) });
    expect(rest).toMatchObject({ occurrences: 2_500, filled: 500, alreadyFired: 2_000 });
    expect(progress).toEqual([1_000, 2_000, 0, 0, 500]);
  });

  it('stops with a typed error when the schedule is updated meanwhile', async () => {
    const { client } = ledger();
    const handle = await client.create(someSchedule({ spec: { cron: '* * * * * *' } }));
    const attempt = handle.backfill({
      ...range('2026-02-28T23:00:00Z', '2026-02-28T23:30:00Z'),
      progress: async () => {
        await handle.update((previous) => ({ ...previous, spec: { cron: '0 0 * * *' } }));
      },
    });
    await expect(attempt).rejects.toBeInstanceOf(ScheduleConflictError);
    await expect(attempt).rejects.toThrow(/after 1000 firings .* call backfill again/);
  });

  it.each<[string, object, string, RegExp]>([
    ['a start in the future', range('2026-03-01T00:30:01Z', '2026-03-02T00:00:00Z'), 'backfill.start', /future/],
    ['a start after its end', range('2026-02-02T00:00:00Z', '2026-02-01T00:00:00Z'), 'backfill.start', /after end/],
    [
      'an invalid date',
      { start: new Date('x'), end: new Date('2026-02-01T00:00:00Z') },
      'backfill.start',
      /invalid Date/,
    ],
    ['no end', { start: new Date('2026-02-01T00:00:00Z') }, 'backfill.end', /is missing/],
    ['more than a million', range('1990-01-01T00:00:00Z', '2026-02-01T00:00:00Z'), 'backfill', /1,000,000/],
    [
      'an unknown overlap',
      { ...range('2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z'), overlap: 'SKIPP' },
      'backfill.overlap',
      /did you mean SKIP/,
    ],
    [
      'a misspelt field',
      { ...range('2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z'), dryrun: true },
      'backfill.dryrun',
      /did you mean dryRun/,
    ],
  ])('refuses %s by its path and writes nothing', async (_, asked, path, problem) => {
    const handle = await ledger().client.create(someSchedule({ spec: { cron: '* * * * *' } }));
    const good = range('2026-02-01T00:00:00Z', '2026-02-01T01:00:00Z');
    const attempt = handle.backfill(asked as BackfillOptions);
    await expect(attempt).rejects.toBeInstanceOf(InvalidScheduleError);
    await expect(attempt).rejects.toMatchObject({ path, problem: expect.stringMatching(problem) });
    await expect(handle.backfill([good, asked as BackfillOptions])).rejects.toBeInstanceOf(InvalidScheduleError);
    expect(await ledger().query('select from escapement.firings')).toEqual([]);
  });

  it('refuses retired months, where nobody knows any more what fired', async () => {
    const handle = await ledger().client.create(someSchedule({ spec: { cron: '0 0 * * *' } }));
    await ledger().query(`insert into escapement.meta values ('retention_floor', '"2026-01-01T00:00:00Z"')`);
    const attempt = handle.backfill(range('2025-12-31T00:00:00Z', '2026-02-01T00:00:00Z'));
    await expect(attempt).rejects.toBeInstanceOf(RetiredMonthError);
    await expect(attempt).rejects.toMatchObject({ month: '2025-12', message: expect.stringContaining('refire: true') });
    expect(await ledger().query('select from escapement.firings')).toEqual([]);
    expect(await handle.backfill(range('2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z'))).toMatchObject({ filled: 3 });
    const refired = { ...range('2025-12-30T00:00:00Z', '2025-12-31T00:00:00Z'), refire: true };
    expect(await handle.backfill(refired)).toMatchObject({ filled: 2 });
  });

  it('of a schedule that is not there throws Temporal’s error', async () => {
    const attempt = ledger().client.getHandle('nobody').backfill(range('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'));
    await expect(attempt).rejects.toBeInstanceOf(ScheduleNotFoundError);
  });

  it('races with itself and with a trigger without doubling a firing', async () => {
    const { clock } = ledger();
    const client = ledger().newClient(patient(ledger()));
    const handle = await client.create(
      someSchedule({ spec: { cron: '* * * * *' }, policies: { ...ALLOW_ALL, catchupLimit: 0 } }),
    );
    const triggers = [await ledger().trigger(), await ledger().trigger()];
    clock.set('2026-03-01T04:30:00Z');
    await triggers[0]!.passes.claim();
    const asked = range('2026-03-01T00:31:00Z', '2026-03-01T04:29:00Z');
    const results = await Promise.all([
      ...Array.from({ length: 4 }, () => handle.backfill(asked)),
      ...triggers.map(async (trigger): Promise<BackfillResult> => {
        await trigger.passes.claim();
        return { occurrences: 0, filled: 0, skipping: 0, alreadyFired: 0, leftToTrigger: 0 };
      }),
    ]);
    expect(results.reduce((sum, { filled }) => sum + filled, 0)).toBe(239);
    await triggers[1]!.passes.claim();
    expect(
      await ledger().query(
        `select count(*)::int from escapement.firings where kind = 'backfill' and state = 'claimed'`,
      ),
    ).toEqual([{ count: 239 }]);
  });
});
