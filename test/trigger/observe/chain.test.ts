import { beforeEach, describe, expect, it } from 'vitest';
import { type Chain, type FiringMemo, TemporalCallError, type TemporalPort } from '../../../temporal/port';
import type { TriggerContext } from '../../../trigger/context';
import { type ChainReference, isChainOf, isOf, lookUpChain } from '../../../trigger/observe/chain';
import { type Answers, temporalAnswering } from '../../support/answering';
import { ManualClock } from '../../support/ledger-clock';

const CLOSED_AT = new Date('2026-03-01T01:10:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const MEMO: FiringMemo = {
  ...{ installation: 'ledger', scheduleId: 'orders', scheduledTime: '2026-03-01T01:00:00.000Z', epoch: 2 },
  ...{ kind: 'schedule', startAttempt: 1 },
};

const FIRING: ChainReference & { runId: string } = {
  ...{ scheduleId: 'orders', scheduledTime: new Date('2026-03-01T01:00:00Z'), epoch: 2 },
  ...{ namespace: 'default', workflowId: 'orders-workflow', runId: 'first' },
};
const UNLINKED: ChainReference = { ...FIRING, runId: null };

const RUNNING: Chain = {
  ...{ firstRunId: 'first', runId: 'first', outcome: undefined, closedAt: undefined, memo: MEMO },
  ...{ nativeScheduleId: undefined, stalled: undefined },
};
const ended = (outcome: NonNullable<Chain['outcome']>, changed: Partial<Chain> = {}): Chain => {
  return { ...RUNNING, outcome, closedAt: CLOSED_AT, ...changed };
};

let clock: ManualClock;
let asked: (string | undefined)[];

beforeEach(() => {
  clock = new ManualClock('2026-03-01T02:00:00Z');
  asked = [];
});

/** A trigger to which Temporal answers with these chains: the current one, and others by the IDs of their runs. */
function triggerWith(chains: { current?: Chain; [runId: string]: Chain | undefined }, answers: Answers = {}) {
  const describeChain: TemporalPort['describeChain'] = async (_, workflowId, runId) => {
    if (workflowId !== FIRING.workflowId) return undefined;
    asked.push(runId);
    return chains[runId ?? 'current'];
  };
  const context = {
    ...{ clock, installationId: 'ledger', failureTexts: {}, limits: { refusedAtMostMilliseconds: HOUR } },
    ...{ waiting: { of: () => ({}) }, temporal: temporalAnswering(clock, { describeChain, ...answers }) },
  };
  return context as unknown as TriggerContext;
}

describe('a chain is that of a firing', () => {
  const context = () => triggerWith({});

  it('that is not linked if its memo names the ledger, the schedule, the time and the epoch', () => {
    expect(isOf(context(), UNLINKED, RUNNING)).toBe(true);
    for (const wrong of [
      { installation: 'another' },
      { scheduleId: 'another' },
      { scheduledTime: '2026-03-01T02:00:00.000Z' },
      { epoch: 1 },
    ]) {
      expect(isOf(context(), UNLINKED, { ...RUNNING, memo: { ...MEMO, ...wrong } })).toBe(false);
    }
    expect(isOf(context(), UNLINKED, { ...RUNNING, memo: undefined })).toBe(false);
  });

  it('that is linked by its first run alone', () => {
    expect(isOf(context(), FIRING, { ...RUNNING, memo: undefined })).toBe(true);
    expect(isOf(context(), FIRING, { ...RUNNING, firstRunId: 'another' })).toBe(false);
  });
});

describe('a chain whose current run has no memo of a firing', () => {
  const later: Chain = { ...RUNNING, runId: 'second', memo: undefined };

  it('is that of the firing which its first run names', async () => {
    expect(await isChainOf(triggerWith({ first: RUNNING }), UNLINKED, later)).toBe(true);
    const other = { ...RUNNING, memo: { ...MEMO, scheduleId: 'another' } };
    expect(await isChainOf(triggerWith({ first: other }), UNLINKED, later)).toBe(false);
    expect(await isChainOf(triggerWith({}), UNLINKED, later)).toBe(false);
    expect(asked).toEqual(['first', 'first', 'first']);
  });

  it('is asked for no first run that could show nothing new', async () => {
    const context = triggerWith({ first: RUNNING });
    expect(await isChainOf(context, UNLINKED, RUNNING)).toBe(true);
    expect(await isChainOf(context, UNLINKED, { ...later, runId: 'first' })).toBe(false);
    expect(await isChainOf(context, UNLINKED, { ...later, memo: { ...MEMO, epoch: 1 } })).toBe(false);
    expect(await isChainOf(context, { ...FIRING, runId: 'another' }, later)).toBe(false);
    expect(asked).toEqual([]);
  });
});

describe('where another chain has the workflow ID by now', () => {
  const current: Chain = { ...RUNNING, firstRunId: 'another', runId: 'another', memo: undefined };

  it('a linked firing ends as its own first run did', async () => {
    const found = await lookUpChain(triggerWith({ current, first: ended('canceled') }), FIRING);
    expect(found).toMatchObject({
      state: 'closed',
      closed: { outcome: 'canceled', closedAt: CLOSED_AT, runId: 'first' },
    });
    expect(asked).toEqual([undefined, 'first']);
  });

  it('a linked firing ends as unknown, now, if Temporal knows its first run no more', async () => {
    const { scheduleId, scheduledTime, epoch } = FIRING;
    const closed = { scheduleId, scheduledTime, epoch, outcome: 'unknown', runId: 'first', failedStep: undefined };
    expect(await lookUpChain(triggerWith({ current }), FIRING)).toEqual({
      state: 'closed',
      closed: { ...closed, endedRunId: null, closedAt: new Date(clock.now()) },
    });
  });

  it('a firing that is not linked has no chain', async () => {
    expect(await lookUpChain(triggerWith({ current }), UNLINKED)).toEqual({ state: 'missing' });
  });
});

it('a firing whose workflow ID Temporal does not know ends as unknown if it is linked, and has no chain otherwise', async () => {
  const context = triggerWith({ first: ended('completed') });
  expect(await lookUpChain(context, FIRING)).toMatchObject({ state: 'closed', closed: { outcome: 'unknown' } });
  expect(await lookUpChain(context, UNLINKED)).toEqual({ state: 'missing' });
  expect(asked).toEqual([undefined, undefined]);
});

it('a chain that runs is told with its first run, and why it makes no progress', async () => {
  const current: Chain = { ...RUNNING, runId: 'second', stalled: 'no_worker' };
  const expected = { state: 'running', runId: 'first', stalled: 'no_worker' };
  expect(await lookUpChain(triggerWith({ current }), UNLINKED)).toEqual(expected);
  expect(await lookUpChain(triggerWith({ current }), FIRING)).toEqual(expected);
});

describe('the end of a chain', () => {
  const endOf = async (context: TriggerContext) => {
    const found = await lookUpChain(context, FIRING);
    return found.state === 'closed' ? found.closed : undefined;
  };

  it('that has completed needs no other call: nothing is left to resume', async () => {
    const never = () => {
      throw new Error('asked');
    };
    const context = triggerWith({ current: ended('completed') }, { retention: never, failedStep: never });
    const closed = await endOf(context);
    expect(closed).toMatchObject({ outcome: 'completed', closedAt: CLOSED_AT, failedStep: undefined });
    expect(closed).not.toHaveProperty('resumeUntil');
  });

  it('that has failed names the failed step of its last run, and until when it can be resumed', async () => {
    const runs: string[] = [];
    const failedStep: TemporalPort['failedStep'] = async (_namespace, _workflowId, runId) => {
      runs.push(runId);
      return { runId, failure: { type: 'CardDeclined', message: 'card 4711 declined' } };
    };
    const current = ended('failed', { runId: 'last' });
    const context = triggerWith({ current }, { failedStep, retention: async () => 72 * HOUR });
    context.failureTexts = { redact: (text) => text.replace('4711', '****') };
    expect(await endOf(context)).toMatchObject({
      ...{ outcome: 'failed', runId: 'first', resumeUntil: new Date('2026-03-04T01:10:00Z') },
      failedStep: { failure: { type: 'CardDeclined', message: 'card **** declined' } },
    });
    expect(runs).toEqual(['last']);
  });

  it('that has failed without a step has none, and no limit to resume it if Temporal does not tell how long it keeps it', async () => {
    const answers: Answers = { failedStep: async () => undefined, retention: async () => undefined };
    const closed = await endOf(triggerWith({ current: ended('timed_out') }, answers));
    expect(closed).toMatchObject({ outcome: 'timed_out', failedStep: undefined, resumeUntil: null });
  });

  it('by a person has no failed step', async () => {
    const failedStep = () => {
      throw new Error('asked');
    };
    const closed = await endOf(triggerWith({ current: ended('terminated') }, { failedStep }));
    expect(closed).toMatchObject({ outcome: 'terminated', failedStep: undefined });
  });

  describe('whose failed step cannot be read', () => {
    const cannot = (error: Error) =>
      triggerWith({ current: ended('failed') }, { failedStep: () => Promise.reject(error) });
    const after = (milliseconds: number) => {
      clock.set(new Date(CLOSED_AT.getTime() + milliseconds).toISOString());
    };

    it.each([
      ['ten minutes if Temporal refuses its history', 'refused', 10 * MINUTE],
      ['a day if Temporal does not answer', 'away', 24 * HOUR],
    ] as const)('is recorded without it after %s', async (_, kind, atMost) => {
      const context = cannot(new TemporalCallError('not now', kind));
      after(atMost);
      await expect(endOf(context)).rejects.toThrow('not now');
      after(atMost + 1);
      expect(await endOf(context)).toMatchObject({ outcome: 'failed', failedStep: undefined });
    });

    it.each([
      ['the server is busy', new TemporalCallError('not now', 'busy')],
      ['the namespace is away', new TemporalCallError('not now', 'away', { ofNamespace: true })],
      ['this program has failed', new Error('not now')],
    ])('is not recorded without it while %s, however long', async (_, error) => {
      const context = cannot(error);
      after(240 * HOUR);
      await expect(endOf(context)).rejects.toThrow('not now');
    });
  });
});

it('a linked firing of a namespace that has been missing for an hour ends as unknown, though it may run', async () => {
  const details = 'Namespace default is not found.';
  const cause = Object.assign(new Error(`5 NOT_FOUND: ${details}`), { code: 5, details, metadata: {} });
  const missing = new TemporalCallError(details, 'refused', { cause });
  const context = triggerWith({}, { describeChain: () => Promise.reject(missing) });
  const unknownSince = clock.now();
  Object.assign(context, { waiting: { of: () => ({ unknownSince }) } });
  await expect(lookUpChain(context, FIRING)).rejects.toThrow('is not found');
  clock.advance(HOUR - 1);
  await expect(lookUpChain(context, FIRING)).rejects.toThrow('is not found');
  clock.advance(1);
  expect(await lookUpChain(context, FIRING)).toMatchObject({
    state: 'closed',
    closed: { outcome: 'unknown', runId: 'first', closedAt: new Date(clock.now()), mayRun: true },
  });
  // Recovery gives this one up, with a dead letter.
  await expect(lookUpChain(context, UNLINKED)).rejects.toThrow('is not found');
});
