import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  CannotResumeError,
  type DeadLetter,
  DeadLetterConflictError,
  DeadLetterNotFoundError,
  DeadLetterStateError,
  InvalidOptionError,
  type LetterFilter,
  type PlanRedriveOptions,
  type RedriveCounts,
  RedriveModeError,
  RedriveNeedsForceError,
  ScheduleLockedError,
} from '../../../index';
import { useDeployments } from '../../support/deployment/deployments';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const deployments = useDeployments();

/** A letter as a trigger writes it, for an existing schedule. */
async function letterOf(
  scheduleId: string,
  row: { kind?: string; state?: string; at?: string; workflowId?: string } = {},
) {
  const letterId = randomUUID();
  const kind = row.kind ?? 'workflow';
  const at = row.at ?? '2026-03-01T00:00:00Z';
  const state = kind === 'parked' ? 'linked' : kind === 'start' ? 'abandoned' : 'closed';
  await ledger().query(`select escapement.ensure_partition($1)`, [at]);
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, reason, kind, namespace, schedule_version,
       workflow_id, claimed_at)
     values ($1, $2, $3, case $3 when 'closed' then 'failed' end, case $3 when 'abandoned' then 'retries' end, 'schedule', 'default', 1,
       $4, $2) on conflict do nothing`,
    [scheduleId, at, state, row.workflowId ?? 'w'],
  );
  await ledger().query(
    `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, workflow_id,
       created_at, updated_at)
     values ($1, $2, $5, 0, $3, $4, 'failed', 'default', $6, $5, $5)`,
    [letterId, scheduleId, kind, row.state ?? 'open', at, row.workflowId ?? 'w'],
  );
  return letterId;
}

async function listed(filter: LetterFilter & { pageSize?: number } = {}): Promise<string[]> {
  const ids: string[] = [];
  for await (const letter of ledger().client.deadLetters.list(filter)) ids.push(letter.letterId);
  return ids;
}

async function someScheduleId(): Promise<string> {
  return (await ledger().client.create(someSchedule())).scheduleId;
}

/** A client with access to Temporal. */
async function withTemporal(address = inject('temporalAddress')) {
  const connection = Connection.lazy({ address, connectTimeout: '1 second' });
  onTestFinished(() => connection.close());
  return ledger().newClient({ temporal: new Client({ connection }) });
}

/** A workflow that has failed with a step beside the failed one, and its letter. */
async function failedBeside(): Promise<string> {
  const { client, taskQueue, deploy } = deployments();
  await deploy({
    pack: async () => 'parcel',
    mail: async () => {},
    chargeCard: async () => {
      throw new Error('no money');
    },
  });
  const scheduleId = await someScheduleId();
  const workflowId = `${scheduleId}-failed`;
  const run = await client.workflow.start('fulfils', { workflowId, taskQueue, args: [true] });
  await expect(run.result()).rejects.toThrow();
  const letterId = await letterOf(scheduleId, { workflowId });
  await ledger().query('update escapement.dead_letters set run_id = $1', [run.firstExecutionRunId]);
  return letterId;
}

it('two people who decide otherwise hear of each other, and the first decision stands', async () => {
  const { client: one } = ledger();
  const other = ledger().newClient({ identity: 'other' });
  const scheduleId = await someScheduleId();
  const parked = await letterOf(scheduleId, { kind: 'parked' });
  expect(await one.deadLetters.discard(parked, { note: 'paid by hand' })).toMatchObject({ state: 'redriving' });
  const refused = await other.deadLetters.redrive(parked).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(DeadLetterConflictError);
  expect(refused).toMatchObject({ letterId: parked, decided: { mode: 'discard', actor: 'test' } });
  expect((refused as Error).message).toContain('test discarded it at 2026-03-01T00:30:00.000Z');
  // Repeating the same decision is not a conflict.
  expect(await other.deadLetters.discard(parked, { note: 'so do I' })).toMatchObject({ note: 'paid by hand' });

  const failed = await letterOf(scheduleId, { at: '2026-03-01T00:10:00Z' });
  await one.deadLetters.redrive(failed, { mode: 'resume' });
  for (const otherwise of [
    other.deadLetters.redrive(failed, { mode: 'restart' }),
    other.deadLetters.discard(failed, { note: 'too late' }),
  ]) {
    await expect(otherwise).rejects.toThrow(DeadLetterConflictError);
  }
  expect(await other.deadLetters.redrive(failed)).toMatchObject({ mode: 'resume' });
  expect(await one.deadLetters.get(failed)).toMatchObject({ state: 'redriving', actor: 'test' });
});

describe('dead letters', () => {
  it('are listed newest first, page by page, and filtered', async () => {
    const [one, two] = [await someScheduleId(), await someScheduleId()];
    await ledger().query(`update escapement.schedules set tenant = 'acme' where schedule_id = $1`, [two]);
    const ids: string[] = [];
    for (let hour = 0; hour < 7; hour++) {
      const state = hour % 2 ? 'open' : 'resolved';
      const kind = hour < 3 ? 'start' : 'workflow';
      ids.unshift(await letterOf(hour < 5 ? one : two, { state, kind, at: `2026-03-01T0${hour}:00:00Z` }));
    }
    expect(await listed()).toEqual(ids);
    expect(await listed({ pageSize: 2 })).toEqual(ids);
    expect(await listed({ state: 'open', pageSize: 1 })).toEqual([ids[1], ids[3], ids[5]]);
    expect(await listed({ kind: 'start' })).toEqual(ids.slice(4));
    expect(await listed({ scheduleId: two })).toEqual(ids.slice(0, 2));
    expect(await listed({ tenant: 'acme', state: 'open' })).toEqual([ids[1]]);
    const [from, to] = [new Date('2026-03-01T02:00:00Z'), new Date('2026-03-01T04:00:00Z')];
    expect(await listed({ from, to })).toEqual([ids[3], ids[4]]);
  });

  it('older than an age are listed, counted, planned, redriven and discarded, by the clock of the client', async () => {
    ledger().clock.set('2026-03-01T06:00:00Z');
    const scheduleId = await someScheduleId();
    const written = [0, 2, 4, 5].map((hour) =>
      letterOf(scheduleId, { kind: 'start', at: `2026-03-01T0${hour}:00:00Z` }),
    );
    const [oldest, old, , newest] = await Promise.all(written);
    const { deadLetters } = ledger().client;
    expect(await listed({ olderThan: '2 hours' })).toEqual([old, oldest]);
    expect(await listed({ olderThan: 2 * 3_600_000 - 1 })).toHaveLength(3);
    // If there are two bounds, the narrower one applies.
    expect(await listed({ olderThan: '2 hours', to: new Date('2026-03-01T01:00:00Z') })).toEqual([oldest]);
    expect(await listed({ olderThan: '5 hours', to: new Date('2026-03-01T05:00:00Z') })).toEqual([oldest]);
    expect(await deadLetters.groups({ olderThan: '2 hours' })).toMatchObject([{ letters: 2 }]);
    const planned: string[] = [];
    for await (const { letter } of deadLetters.plan({ olderThan: '2 hours' })) planned.push(letter.letterId);
    expect(planned).toEqual([oldest, old]);
    expect(await deadLetters.redriveAll({ olderThan: '5 hours' })).toEqual({ total: 1, redriven: 1, refused: {} });
    expect(await deadLetters.discardAll({ olderThan: '90 minutes' }, { note: 'too late' })).toMatchObject({ total: 2 });
    expect(await listed({ state: 'open' })).toEqual([newest]);
  });

  it('written in the same millisecond are each listed once', async () => {
    const scheduleIds = await Promise.all(Array.from({ length: 7 }, someScheduleId));
    const ids: string[] = [];
    for (const scheduleId of scheduleIds) ids.push(await letterOf(scheduleId));
    expect((await listed({ pageSize: 2 })).sort()).toEqual(ids.sort());
  });

  it('are discarded with a reason, which stays', async () => {
    const letterId = await letterOf(await someScheduleId());
    const { deadLetters } = ledger().client;
    await expect(deadLetters.discard(letterId, { note: ' ' })).rejects.toThrow(TypeError);
    expect(await deadLetters.discard(letterId, { note: 'paid by hand' })).toMatchObject({
      state: 'discarded',
      note: 'paid by hand',
      actor: 'test',
    });
    await expect(deadLetters.discard(letterId, { note: 'again' })).rejects.toThrow(DeadLetterStateError);
    await expect(deadLetters.redrive(letterId)).rejects.toThrow(/discarded/);
  });
});

describe('what cannot be redriven is refused by a typed error that says what to do', () => {
  const refusals: [string, () => Promise<string>, object | undefined, new (...args: never[]) => Error, RegExp][] = [
    ['an unknown letter', async () => randomUUID(), {}, DeadLetterNotFoundError, /dead-letter list/],
    ['what is no ID at all', async () => 'no-id', {}, DeadLetterNotFoundError, /dead-letter list/],
    [
      'a resolved one',
      async () => letterOf(await someScheduleId(), { state: 'resolved' }),
      {},
      DeadLetterStateError,
      /completed/,
    ],
    [
      'a start, resumed',
      async () => letterOf(await someScheduleId(), { kind: 'start' }),
      { mode: 'resume' },
      RedriveModeError,
      /use mode 'restart'/,
    ],
    [
      'a chain, continued',
      async () => letterOf(await someScheduleId()),
      { mode: 'continue' },
      RedriveModeError,
      /use mode 'resume' or 'restart'/,
    ],
    [
      'a parked step, restarted',
      async () => letterOf(await someScheduleId(), { kind: 'parked' }),
      { mode: 'restart' },
      RedriveModeError,
      /use mode 'continue'/,
    ],
  ];
  it.each(refusals)('%s', async (_, letter, options, type, message) => {
    const redriving = ledger().client.deadLetters.redrive(await letter(), options);
    await expect(redriving).rejects.toThrow(type);
    await expect(redriving).rejects.toThrow(message);
  });

  it('a run that Temporal no longer has', async () => {
    const letterId = await letterOf(await someScheduleId(), { workflowId: randomUUID() });
    const { deadLetters } = await withTemporal();
    await expect(deadLetters.redrive(letterId)).rejects.toThrow(CannotResumeError);
    await expect(deadLetters.redrive(letterId)).rejects.toThrow(/use mode 'restart'/);
    expect(await deadLetters.redrive(letterId, { mode: 'restart' })).toMatchObject({ letter: { state: 'redriving' } });
  });

  it('a run whose other steps would run again, unless it is forced; a dry run names them and changes nothing', async () => {
    const letterId = await failedBeside();
    const { deadLetters } = await withTemporal();
    await expect(deadLetters.redrive(letterId)).rejects.toThrow(RedriveNeedsForceError);
    await expect(deadLetters.redrive(letterId)).rejects.toMatchObject({
      siblings: [{ kind: 'activity', name: 'mail' }],
    });
    expect(await deadLetters.redrive(letterId, { dryRun: true })).toMatchObject({
      letter: { state: 'open' },
      plan: { step: { name: 'chargeCard' }, siblings: [{ name: 'mail' }] },
    });
    expect(await deadLetters.redrive(letterId, { force: true })).toMatchObject({
      letter: { state: 'redriving', redrive: { force: true } },
    });
  });
});

it('Temporal away does not keep a redrive from being asked for; only a dry run needs it', async () => {
  const letterId = await letterOf(await someScheduleId());
  const { deadLetters } = await withTemporal('127.0.0.1:1');
  await expect(deadLetters.redrive(letterId, { dryRun: true })).rejects.toThrow();
  expect(await deadLetters.redrive(letterId)).toMatchObject({ letter: { state: 'redriving' }, plan: undefined });
});

describe('in bulk', () => {
  const state = async () => {
    const states: Record<string, number> = {};
    for await (const letter of ledger().client.deadLetters.list())
      states[letter.state] = (states[letter.state] ?? 0) + 1;
    return states;
  };

  it('every open letter that matches is redriven, in pages, and told as it goes', async () => {
    const scheduleIds = await Promise.all(Array.from({ length: 5 }, someScheduleId));
    for (const scheduleId of scheduleIds) await letterOf(scheduleId, { kind: 'start' });
    const other = await letterOf(await someScheduleId(), { kind: 'workflow' });
    const { deadLetters } = ledger().client;
    const progress: number[] = [];
    const filter = { kind: 'start' as const };

    expect(await deadLetters.redriveAll(filter, { dryRun: true })).toEqual({ total: 5, redriven: 5, refused: {} });
    expect(await state()).toEqual({ open: 6 });
    const counts = await deadLetters.redriveAll(filter, { progress: ({ redriven }) => progress.push(redriven) });
    expect(counts).toEqual({ total: 5, redriven: 5, refused: {} });
    expect(progress).toEqual([1, 2, 3, 4, 5]);
    expect(await deadLetters.get(other)).toMatchObject({ state: 'open' });
    expect(await deadLetters.redriveAll(filter)).toEqual({ total: 0, redriven: 0, refused: {} });
  });

  it('what is refused is counted by its error, and stays open', async () => {
    await letterOf(await someScheduleId(), { kind: 'start' });
    await letterOf(await someScheduleId(), { kind: 'workflow' });
    const { deadLetters } = ledger().client;
    expect(await deadLetters.redriveAll({ state: 'open' }, { mode: 'resume' })).toEqual({
      total: 2,
      redriven: 1,
      refused: { RedriveModeError: 1 },
    });
    expect(await state()).toEqual({ open: 1, redriving: 1 });
  });

  it('what somebody else holds is named, and refused alone', async () => {
    const [held, free] = [await someScheduleId(), await someScheduleId()];
    const letterId = await letterOf(held, { kind: 'start', at: '2026-03-01T00:10:00Z' });
    await letterOf(free, { kind: 'start' });
    const holder = new pg.Client({ connectionString: ledger().databaseUrl });
    await holder.connect();
    ledger().beforeClose(() => holder.end());
    await holder.query('begin');
    await ledger().client.getHandle(held).pause('for a while', { transaction: holder });
    const { deadLetters } = ledger().client;
    await expect(deadLetters.discard(letterId, { note: 'paid' })).rejects.toBeInstanceOf(ScheduleLockedError);
    expect(await deadLetters.redriveAll({ state: 'open' })).toEqual({
      total: 2,
      redriven: 1,
      refused: { ScheduleLockedError: 1 },
    });
    await holder.query('rollback');
    expect(await deadLetters.redriveAll({ state: 'open' })).toEqual({ total: 1, redriven: 1, refused: {} });
  });

  it('a dry run counts what only force would redrive', async () => {
    await failedBeside();
    const { deadLetters } = await withTemporal();
    const refused = { RedriveNeedsForceError: 1 };
    expect(await deadLetters.redriveAll({ state: 'open' }, { dryRun: true })).toMatchObject({ redriven: 0, refused });
    expect(await deadLetters.redriveAll({ state: 'open' }, { dryRun: true, force: true })).toMatchObject({
      redriven: 1,
    });
  });

  it('a dry run says of each letter what would run again, or why it would not be redriven', async () => {
    const beside = await failedBeside();
    const start = await letterOf(await someScheduleId(), { kind: 'start', at: '2026-03-01T00:01:00Z' });
    const restarted = await letterOf(await someScheduleId(), { at: '2026-03-01T00:02:00Z', workflowId: randomUUID() });
    const parked = await letterOf(await someScheduleId(), { kind: 'parked', at: '2026-03-01T00:03:00Z' });
    const retired = await letterOf(await someScheduleId(), { kind: 'start', at: '2026-03-01T00:04:00Z' });
    await ledger().query(`delete from escapement.firings where scheduled_time = '2026-03-01T00:04:00Z'`);
    await ledger().query(
      `update escapement.dead_letters set failed_step = '{"activityType": "chargeCard", "activityId": "3", "burial": 1,
        "failure": {"type": "Error", "message": "no"}}' where kind = 'parked'`,
    );
    const { deadLetters } = await withTemporal();
    const planned = async (options: PlanRedriveOptions) => {
      const plans = [];
      for await (const { letter, ...plan } of deadLetters.plan({ state: 'open' }, options))
        plans.push([letter.letterId, plan] as const);
      return plans;
    };
    const scheduleOf = async (letterId: string) => (await deadLetters.get(letterId)).scheduleId;
    const startedAs = `${await scheduleOf(start)}-workflow-2026-03-01T00:01:00Z`;
    const gone = { by: 'trigger', message: 'the ledger no longer keeps its firing' };
    const counted: number[] = [];
    const count = ({ total, redriven, refused }: RedriveCounts) =>
      counted.push(total * 100 + redriven * 10 + Object.values(refused).reduce((sum, more) => sum + more, 0));
    expect(await planned({ progress: count })).toMatchObject([
      [
        beside,
        {
          mode: 'resume',
          step: { kind: 'activity', name: 'chargeCard' },
          again: [{ kind: 'activity', name: 'mail' }],
          refused: { by: 'RedriveNeedsForceError', message: expect.stringContaining('activity mail') },
        },
      ],
      [start, { mode: 'restart', workflowId: startedAs, again: undefined }],
      [restarted, { mode: 'resume', refused: { by: 'CannotResumeError' } }],
      [
        parked,
        { mode: 'continue', workflowId: 'w', step: { kind: 'activity', name: 'chargeCard', id: '3' }, again: [] },
      ],
      [retired, { mode: 'restart', workflowId: null, refused: gone }],
    ]);
    expect(counted).toEqual([501, 511, 512, 522, 523]);
    const restartedAs = `${await scheduleOf(restarted)}-workflow-2026-03-01T00:02:00Z-restart-1`;
    expect(await planned({ mode: 'restart', force: true, atMost: 4 })).toMatchObject([
      [beside, { mode: 'restart' }],
      [start, { workflowId: startedAs }],
      [restarted, { workflowId: restartedAs }],
      [parked, { mode: undefined, refused: { by: 'RedriveModeError' } }],
    ]);
    expect((await planned({ force: true }))[0]![1].refused).toBeUndefined();
    expect(await state()).toEqual({ open: 5 });
    expect(await deadLetters.redriveAll({ state: 'open' }, { dryRun: true })).toEqual({
      total: 5,
      redriven: 2,
      refused: { RedriveNeedsForceError: 1, CannotResumeError: 1, trigger: 1 },
    });
  });

  it('Temporal away is asked about the first letter only', async () => {
    for (let count = 0; count < 12; count++) await letterOf(await someScheduleId());
    const { deadLetters } = await withTemporal('127.0.0.1:1');
    expect(await deadLetters.redriveAll({ state: 'open' })).toEqual({ total: 12, redriven: 12, refused: {} });
  });

  it('a filter that names nothing is refused: it is more likely a mistake', async () => {
    await expect(ledger().client.deadLetters.redriveAll({})).rejects.toThrow(InvalidOptionError);
  });

  it('a filter that cannot be is refused, and nothing is redriven', async () => {
    await letterOf(await someScheduleId(), { kind: 'start' });
    const { deadLetters } = ledger().client;
    const refused = [
      { scheduleID: 'orders' },
      { kind: null },
      { state: 'opened' },
      { from: 'today' },
      { olderThan: 'long' },
      { olderThan: 0 },
    ];
    for (const filter of refused as never[]) {
      await expect(deadLetters.redriveAll(filter)).rejects.toThrow(InvalidOptionError);
      await expect(listed(filter)).rejects.toThrow(InvalidOptionError);
    }
    expect(await state()).toEqual({ open: 1 });
  });
});

it('a letter reads as it was written', async () => {
  const scheduleId = await someScheduleId();
  const letterId = await letterOf(scheduleId);
  const expected: Partial<DeadLetter> = {
    ...{ letterId, scheduleId, kind: 'workflow', state: 'open', reason: 'failed', epoch: 0, failedStep: null },
    ...{ scheduledTime: new Date('2026-03-01T00:00:00Z'), redrive: null },
  };
  expect(await ledger().client.deadLetters.get(letterId)).toMatchObject(expected);
});
