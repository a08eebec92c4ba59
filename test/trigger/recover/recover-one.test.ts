import { beforeEach, describe, expect, it } from 'vitest';
import type { TakenFiring } from '../../../store/firings/take-over-lost';
import { TemporalCallError, type TemporalPort } from '../../../temporal/port';
import type { TemporalDouble } from '../../../testing';
import type { Trigger } from '../../../trigger';
import type { TriggerContext } from '../../../trigger/context';
import type { CompiledDefinition } from '../../../trigger/definitions';
import { linkFound } from '../../../trigger/recover/link-found';
import { deduplicationOf, recover } from '../../../trigger/recover/recover-one';
import { grpcError, temporalAnswering, triggerAnswering } from '../../support/answering';
import { someSchedule, useLedger } from '../../support/ledger';
import { ManualClock } from '../../support/ledger-clock';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const TIME = new Date('2026-03-01T01:00:00Z');

describe('a start is taken to be deduplicated', () => {
  const LIMITS = { retentionMarginMilliseconds: HOUR };
  function deduplication(retention: TemporalPort['retention']) {
    const temporal = temporalAnswering(new ManualClock(TIME.toISOString()), { retention });
    return deduplicationOf({ temporal, limits: LIMITS } as unknown as TriggerContext, 'default');
  }
  const refusal = (ofNamespace: boolean) => new TemporalCallError('may not', 'refused', { ofNamespace });

  it.each([
    ['an hour less than the retention', 72 * HOUR, 71 * HOUR],
    ['nine tenths of a retention of a few hours', 5 * HOUR, 4.5 * HOUR],
    ['for ever, if Temporal names no retention', undefined, Number.POSITIVE_INFINITY],
  ])('for %s', async (_, retention, expected) => {
    expect(await deduplication(async () => retention)()).toBe(expected);
  });

  it('for 54 minutes if the trigger may not ask, and for none while it is not known', async () => {
    expect(await deduplication(() => Promise.reject(refusal(false)))()).toBe(54 * MINUTE);
    await expect(deduplication(() => Promise.reject(refusal(true)))()).rejects.toThrow('may not');
    const busy = new TemporalCallError('overloaded', 'busy');
    await expect(deduplication(() => Promise.reject(busy))()).rejects.toThrow('overloaded');
  });

  it('for as long as one question has shown, for a whole share of firings', async () => {
    let asked = 0;
    const retention = deduplication(async () => ++asked * HOUR);
    expect([await retention(), await retention()]).toEqual([0.9 * HOUR, 0.9 * HOUR]);
  });
});

describe('a lost firing', () => {
  const ledger = useLedger('2026-03-01T00:30:00Z');

  let trigger: Trigger;
  let context: TriggerContext;
  let double: TemporalDouble;
  let definition: CompiledDefinition;
  let claimed: TakenFiring;
  /** What `describeChain` throws, if anything. */
  let failure: Error | undefined;

  beforeEach(async () => {
    failure = undefined;
    const policies = { catchupWindow: '1 hour', onUncertain: 'SKIP' } as const;
    const { scheduleId } = await ledger().client.create(someSchedule({ policies }));
    const one = await triggerAnswering(ledger(), {
      describeChain: (...asked) => (failure ? Promise.reject(failure) : double.describeChain(...asked)),
    });
    ({ trigger, context, double } = one);
    at('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    const key = { scheduleId, version: 1 };
    definition = (await context.definitions.load(context.store, [key]))(key);
    claimed = {
      ...{ scheduleId, scheduledTime: TIME, version: 1, kind: 'schedule', actor: null, namespace: 'default' },
      ...{ workflowId: `${scheduleId}-workflow-2026-03-01T01:00:00Z`, epoch: 0, startAttempts: 0, recovery: null },
      ...{ again: null, claimedAt: TIME, startsAt: null, readyAt: TIME, late: false, calledBefore: false, tenant: '' },
      ...{ firstAttemptedAt: null, startAttemptedAt: null, refusedSince: null, schedule: 'enabled', redriven: false },
    };
  });

  const at = (instant: string) => ledger().clock.set(instant);
  const after = (milliseconds: number) => new Date(TIME.getTime() + milliseconds);
  const decide = (changed: Partial<TakenFiring> = {}, remembered: () => Promise<number> = async () => HOUR) =>
    recover(context, { ...claimed, ...changed }, definition, ledger().clock.now(), remembered);
  const row = async () => (await ledger().query('select * from escapement.firings'))[0]!;
  const CALLED = { firstAttemptedAt: TIME, startAttemptedAt: TIME };

  it('whose start nobody has called waits for it again, and the retention of its namespace is not asked', async () => {
    const asked = () => Promise.reject(new Error('asked'));
    expect(await decide({}, asked)).toEqual({ action: 'dispatch' });
    await expect(decide(CALLED, asked)).rejects.toThrow('asked');
    expect(await decide(CALLED)).toEqual({ action: 'start', rememberedFor: HOUR });
  });

  it('that was claimed on time is late from its claim, and one of a catch-up from its own time', async () => {
    at('2026-03-01T02:30:00Z');
    const claimedAt = after(30 * MINUTE);
    const outside = { action: 'abandon', reason: 'outside_catchup_window' };
    expect(await decide({ claimedAt })).toEqual({ action: 'dispatch' });
    expect(await decide({ claimedAt, kind: 'catchup' })).toEqual(outside);
    // A claim of an older program has no time from which it was ready.
    expect(await decide({ claimedAt, kind: 'catchup', readyAt: null })).toEqual(outside);
    // It was buffered, and became ready long after its claim.
    expect(await decide({ kind: 'catchup', readyAt: after(30 * MINUTE) })).toEqual({ action: 'dispatch' });
    at('2026-03-01T02:30:00.001Z');
    expect(await decide({ claimedAt })).toEqual(outside);
  });

  it('that was claimed ahead is stopped by no pause or deletion, and one that is due is', async () => {
    for (const schedule of ['paused', 'deleted'] as const) {
      expect(await decide({ schedule, startsAt: after(MINUTE) })).toEqual({ action: 'dispatch' });
      expect(await decide({ schedule })).toMatchObject({ action: 'skip' });
    }
  });

  it('whose start Temporal has refused for an hour is given up, and not before', async () => {
    at('2026-03-01T01:59:59.999Z');
    expect(await decide({ refusedSince: TIME })).toEqual({ action: 'dispatch' });
    at('2026-03-01T02:00:00Z');
    expect(await decide({ refusedSince: TIME })).toEqual({ action: 'abandon', reason: 'start_refused' });
  });

  it('of a namespace that refuses every trigger is given up an hour after that began, or after its claim', async () => {
    failure = new TemporalCallError('no', 'refused', { cause: grpcError(16, 'unauthenticated') });
    await expect(context.temporal.of('default').describeChain('any')).rejects.toThrow('no');
    context.waiting.of('default').closedSince = TIME.getTime();
    at('2026-03-01T01:59:59.999Z');
    expect(await decide()).toEqual({ action: 'dispatch' });
    at('2026-03-01T02:00:00Z');
    expect(await decide()).toEqual({ action: 'abandon', reason: 'start_refused' });
    expect(await decide({ claimedAt: after(1) })).toEqual({ action: 'dispatch' });
    // Another trigger is answered.
    context.waiting.of('default').closedSince = undefined;
    expect(await decide()).toEqual({ action: 'dispatch' });
  });

  it('is not started again while its namespace is away: it waits two seconds, with the error', async () => {
    failure = new TemporalCallError('no answer', 'away');
    await expect(context.temporal.of('default').describeChain('any')).rejects.toThrow('no answer');
    expect(await decide(CALLED)).toEqual({ action: 'wait' });
    expect(await row()).toMatchObject({ state: 'claimed', last_error: 'no answer', check_at: after(2 * SECOND) });
    expect(await decide()).toEqual({ action: 'dispatch' });
  });

  describe('whose start Temporal may have forgotten', () => {
    const forgotten = async () => 0;

    it('is linked with its run, whether that runs or has ended', async () => {
      at('2026-03-01T01:00:01Z');
      expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
      const { firstRunId } = double.chains()[0]!;
      const unlink = () => ledger().query(`update escapement.firings set state = 'claimed', run_id = null`);
      await unlink();
      expect(await decide(CALLED, forgotten)).toEqual({ action: 'find' });
      expect(await row()).toMatchObject({ state: 'linked', run_id: firstRunId });
      double.finish('default', claimed.workflowId);
      await unlink();
      expect(await decide(CALLED, forgotten)).toEqual({ action: 'find' });
      expect(await row()).toMatchObject({ state: 'linked', run_id: firstRunId });
    });

    it('is given up once no call can arrive any more: 18 seconds after the last one', async () => {
      at('2026-03-01T01:00:17.999Z');
      expect(await decide(CALLED, forgotten)).toEqual({ action: 'wait' });
      expect(await row()).toMatchObject({ state: 'claimed', check_at: after(18 * SECOND) });
      at('2026-03-01T01:00:18Z');
      const given = { action: 'abandon', reason: 'start_uncertain' };
      expect(await decide(CALLED, forgotten)).toEqual(given);
      expect(await decide({ ...CALLED, startAttemptedAt: after(1) }, forgotten)).toEqual({ action: 'wait' });
      expect(await decide({ ...CALLED, startAttemptedAt: null }, forgotten)).toEqual(given);
    });

    it('is given up though it cannot be looked up, after an hour of refusals', async () => {
      failure = new TemporalCallError('may not describe', 'rejected');
      at('2026-03-01T01:59:59.999Z');
      const refused = { ...CALLED, refusedSince: TIME };
      expect(await decide(refused, forgotten)).toEqual({ action: 'wait' });
      expect(await row()).toMatchObject({ last_error: 'may not describe', check_at: after(HOUR + 2 * SECOND - 1) });
      at('2026-03-01T02:00:00Z');
      expect(await decide(refused, forgotten)).toEqual({ action: 'abandon', reason: 'start_uncertain' });
      expect(await decide(CALLED, forgotten)).toEqual({ action: 'wait' });
      failure = new TemporalCallError('overloaded', 'busy');
      expect(await decide(refused, forgotten)).toEqual({ action: 'wait' });
      failure = new Error('a bug in the look-up');
      await expect(decide(refused, forgotten)).rejects.toThrow('a bug in the look-up');
    });
  });

  it('that is linked with a run that was found is polled at once, and the log tells how long it took', async () => {
    at('2026-03-01T01:00:05Z');
    const recovery = { number: 1, reason: 'trigger_lost', recoveredAt: '2026-03-01T01:00:05.000Z' } as const;
    await linkFound(context, { ...claimed, recovery }, 'run');
    await ledger().query(`update escapement.firings set state = 'claimed', run_id = null`);
    await linkFound(context, { ...claimed, claimedAt: after(SECOND) }, 'run');
    expect(await row()).toMatchObject({ state: 'linked', run_id: 'run', check_at: after(5 * SECOND) });
    const linked = ledger().log.lines.filter(({ message }) => message === 'linked');
    const meta = { scheduleId: claimed.scheduleId, runId: 'run', lagMilliseconds: 5_000 };
    expect(linked).toMatchObject([
      { level: 'info', meta: { ...meta, milliseconds: 5_000, recovery } },
      { level: 'info', meta: { ...meta, milliseconds: 4_000 } },
    ]);
    expect(linked[1]!.meta).not.toHaveProperty('recovery');
  });

  it('that another trigger has linked or abandoned meanwhile is neither logged nor counted as linked once more', async () => {
    const linked = () => ledger().log.lines.filter(({ message }) => message === 'linked');
    await linkFound(context, claimed, 'run');
    expect(linked()).toHaveLength(1);
    await linkFound(context, claimed, 'run');
    await ledger().query(
      `update escapement.firings set state = 'abandoned', reason = 'start_uncertain', run_id = null`,
    );
    await linkFound(context, claimed, 'run');
    expect(linked()).toHaveLength(1);
    const errors = ledger().log.lines.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([
      { message: 'a workflow was started, but its firing has been given up or started again', meta: { runId: 'run' } },
    ]);
    expect(await trigger.metrics.metrics()).toMatch(/^escapement_firings_linked_total\{.*\} 1$/m);
  });
});
