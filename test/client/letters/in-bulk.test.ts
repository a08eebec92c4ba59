import { randomUUID } from 'node:crypto';
import type { ConnectionOptions } from '@temporalio/client';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import {
  InvalidOptionError,
  type PlannedRedrive,
  type PlanRedriveOptions,
  type RedriveCounts,
  ScheduleLockedError,
} from '../../../index';
import { useFailedLetters } from './failed-letters';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

const { ledger, letterOf, listed, someScheduleId, temporalClient, withTemporal, failedBeside } = useFailedLetters();

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

  it('those of no step or of no workflow type are chosen by an empty text, without those of a step or a type', async () => {
    const [ofNone, ofStep] = [await letterOf(await someScheduleId()), await letterOf(await someScheduleId())];
    await ledger().query(
      `update escapement.dead_letters set failed_step = '{"activityType": "chargeCard", "failure": {}}', workflow_type = 'orders' where letter_id = $1`,
      [ofStep],
    );
    const { deadLetters } = ledger().client;
    expect(await deadLetters.groups({ step: '' })).toMatchObject([{ step: null, workflowType: null, letters: 1 }]);
    expect(await listed({ step: '' })).toEqual([ofNone]);
    expect(await listed({ workflowType: '' })).toEqual([ofNone]);
    expect(await listed({ step: 'chargeCard', workflowType: 'orders' })).toEqual([ofStep]);
    const note = 'paid by hand';
    expect(await deadLetters.discardAll({ step: '', workflowType: '' }, { note, dryRun: true })).toMatchObject({
      total: 1,
    });
    expect(await deadLetters.discardAll({ step: '' }, { note })).toMatchObject({ total: 1, discarded: 1 });
    expect(await deadLetters.get(ofStep)).toMatchObject({ state: 'open' });
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

  it('a plan goes on past a letter whose namespace this server lacks, and says that its other steps are unknown', async () => {
    const elsewhere = await letterOf(await someScheduleId(), { at: '2026-02-28T23:59:00Z' });
    await ledger().query(`update escapement.dead_letters set namespace = 'elsewhere'`);
    const beside = await failedBeside();
    const plans = [];
    for await (const { letter, ...plan } of (await withTemporal()).deadLetters.plan({ state: 'open' }, { force: true }))
      plans.push([letter.letterId, plan] as const);
    const unanswered = expect.stringContaining('elsewhere');
    expect(plans).toEqual([
      [elsewhere, { mode: 'resume', workflowId: 'w', step: undefined, again: undefined, unanswered }],
      [beside, expect.objectContaining({ again: [expect.objectContaining({ name: 'mail' })] })],
    ]);
    expect(plans[1]![1]).not.toHaveProperty('unanswered');
  });

  it('a plan asks about the next letters after a call that failed for one letter alone', async () => {
    const slow = await failedBeside();
    const refused = await letterOf(await someScheduleId(), {
      workflowId: '',
      at: '2026-03-01T00:01:00Z',
    });
    for (let count = 0; count < 14; count++) await letterOf(await someScheduleId(), { at: '2026-03-01T00:01:00Z' });
    const next = await failedBeside();
    await ledger().query(`update escapement.dead_letters set created_at = now() where letter_id = $1`, [next]);
    let histories = 0;
    // The server describes the first workflow, but its history takes too long.
    const tooLate: Interceptor = (options, call) => {
      const isHistory = options.method_definition.path.endsWith('/GetWorkflowExecutionHistoryReverse');
      return call(isHistory && histories++ === 0 ? { ...options, deadline: 0 } : options) as ReturnType<Interceptor>;
    };
    const { deadLetters } = await withTemporal({ interceptors: [tooLate] });
    const plans = new Map<string, PlannedRedrive>();
    for await (const plan of deadLetters.plan({ state: 'open' }, { force: true }))
      plans.set(plan.letter.letterId, plan);
    expect(plans.get(slow)).toMatchObject({ unanswered: expect.stringContaining('DEADLINE_EXCEEDED') });
    expect(plans.get(refused)).toMatchObject({ unanswered: expect.stringContaining('INVALID_ARGUMENT') });
    expect([...plans.keys()].at(-1)).toBe(next);
    expect(plans.get(next)).toMatchObject({ again: [{ name: 'mail' }] });
    expect(plans.get(next)).not.toHaveProperty('unanswered');
  });

  it('a plan goes through all letters without an answer of Temporal', async () => {
    for (let count = 0; count < 18; count++) await letterOf(await someScheduleId());
    const { deadLetters } = await withTemporal({ isAway: true });
    const unknown = [];
    for await (const { unanswered } of deadLetters.plan({ state: 'open' })) unknown.push(unanswered);
    expect(unknown).toEqual(Array(18).fill(expect.stringContaining('UNAVAILABLE')));
    expect(await deadLetters.redriveAll({ state: 'open' }, { dryRun: true })).toMatchObject({ redriven: 18 });
  });

  it('Temporal away is asked about the first letter only', async () => {
    for (let count = 0; count < 12; count++) await letterOf(await someScheduleId());
    const { deadLetters } = await withTemporal({ isAway: true });
    expect(await deadLetters.redriveAll({ state: 'open' })).toEqual({ total: 12, redriven: 12, refused: {} });
  });

  it('a namespace that does not answer holds up no question about another one', async () => {
    for (const at of ['2026-02-28T23:58:00Z', '2026-02-28T23:59:00Z']) await letterOf(await someScheduleId(), { at });
    await ledger().query(`update escapement.dead_letters set namespace = 'elsewhere'`);
    const beside = await failedBeside();
    const [away, here] = [await temporalClient({ isAway: true }), await temporalClient()];
    const temporal = (namespace: string) => (namespace === 'elsewhere' ? away : here);
    const { deadLetters } = ledger().newClient({ temporal });
    expect(await deadLetters.redriveAll({ state: 'open' })).toEqual({
      total: 3,
      redriven: 2,
      refused: { RedriveNeedsForceError: 1 },
    });
    expect(await deadLetters.get(beside)).toMatchObject({ state: 'open' });
  });

  /** In the transaction that changes the first letter, somebody else does this. */
  const besides = (first: string, statement: string) =>
    ledger().query(`
      create function besides() returns trigger language plpgsql as $$ begin ${statement}; return null; end $$;
      create trigger besides after update on escapement.dead_letters for each row when (old.letter_id = '${first}')
        execute function besides()`);

  it('a letter that is purged meanwhile is refused alone', async () => {
    const first = await letterOf(await someScheduleId(), { at: '2026-02-28T23:58:00Z' });
    const purged = await letterOf(await someScheduleId(), { at: '2026-02-28T23:59:00Z' });
    await letterOf(await someScheduleId());
    await besides(first, `delete from escapement.dead_letters where letter_id = '${purged}'`);
    const { deadLetters } = ledger().client;
    expect(await deadLetters.discardAll({ state: 'open' }, { note: 'paid by hand' })).toEqual({
      total: 3,
      discarded: 2,
      refused: { DeadLetterNotFoundError: 1 },
    });
  });

  it('a letter that somebody else redrives meanwhile does not end the checks of the others', async () => {
    const first = await letterOf(await someScheduleId(), { kind: 'start', at: '2026-02-28T23:58:00Z' });
    const redriven = await letterOf(await someScheduleId(), { at: '2026-02-28T23:59:00Z' });
    const beside = await failedBeside();
    const request = '{"mode": "resume", "requestId": "other", "askedAt": "2026-03-01T00:30:00Z"}';
    await besides(
      first,
      `update escapement.dead_letters set state = 'redriving', redrive = '${request}' where letter_id = '${redriven}'`,
    );
    const { deadLetters } = await withTemporal();
    expect(await deadLetters.redriveAll({ state: 'open' })).toEqual({
      total: 3,
      redriven: 2,
      refused: { RedriveNeedsForceError: 1 },
    });
    expect(await deadLetters.get(beside)).toMatchObject({ state: 'open' });
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
