import { afterEach, describe, expect, it, vi } from 'vitest';
import type { StartableFiring } from '../../../store/firings/start';
import { CallLease } from '../../../temporal/call-lease';
import { TemporalCallError } from '../../../temporal/port';
import type { Trigger } from '../../../trigger';
import type { TriggerContext } from '../../../trigger/context';
import { DefinitionCache } from '../../../trigger/definitions';
import { take } from '../../../trigger/dispatch/announce';
import { callStarts } from '../../../trigger/dispatch/call-starts';
import type { CallEnd } from '../../../trigger/dispatch/starts-in-flight';
import { summaryOf } from '../../../trigger/dispatch/summary';
import type { Answering } from '../../support/answering';
import { someSchedule, useLedger } from '../../support/ledger';
import { triggerOnDouble } from '../../support/watched-double';

const ledger = useLedger('2026-03-01T00:30:00Z');
const DUE = '2026-03-01T01:00:00.000Z';

afterEach(() => {
  vi.useRealTimers();
});

/** A firing that is due now and announced, and what a trigger on a double calls its start with. */
async function announced(options: Answering = {}, timezone?: string) {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(
    someSchedule({ spec: { cron: '0 * * * *', ...(timezone && { timezone }) } }),
  );
  const { trigger, context, double } = await triggerOnDouble(ledger(), options);
  clock.set(DUE);
  await trigger.passes.claim();
  const [firing] = (await take(context, 'default', { known: false })).firings;
  const gate = context.gates.of('default');
  const lease = new CallLease(60_000);
  const call = async (changes: Partial<StartableFiring> = {}) =>
    (await callStarts(context, [{ ...firing!, ...changes }], lease))[0]!;
  return { call, context, double, firing: firing!, gate, scheduleId, trigger };
}

const secondsFromDue = (seconds: number) => new Date(Date.parse(DUE) + seconds * 1_000);

describe('a start call tells the gate of its namespace', () => {
  it.each<[string, CallEnd, TemporalCallError | undefined]>([
    ['was answered', 'answered', undefined],
    ['met a busy server', 'busy', new TemporalCallError('too much', 'busy')],
    ['was lost with all of its namespace', 'lost', new TemporalCallError('silent', 'away', { ofNamespace: true })],
    ['alone was lost', 'lost', new TemporalCallError('silent', 'away')],
    ['never left', 'other', new TemporalCallError('no way', 'away', { ofNamespace: true, unsent: true })],
    ['was refused for now', 'other', new TemporalCallError('not now', 'refused')],
    ['was refused for good', 'other', new TemporalCallError('never', 'rejected')],
  ])('that it %s, and how long it took', async (_, end, error) => {
    const { call, double, gate } = await announced();
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.advanceTimersByTime(10_000);
    double.before = () => {
      vi.advanceTimersByTime(50);
      if (error) throw error;
    };
    const leave = vi.spyOn(gate, 'leave');
    await call();
    expect(leave.mock.calls).toEqual([[end, 50]]);
  });

  it.each([
    ['as one on time', true, {}],
    ['as one on time, up to ten seconds after its time', true, { readyAt: secondsFromDue(-10) }],
    ['as one of a backlog after that', false, { readyAt: secondsFromDue(-10.001) }],
    ['as one of a backlog if it is late', false, { late: true }],
    ['as one of a backlog if it is handed over ahead', false, { startsAt: secondsFromDue(5) }],
    ['as one on time if it was to be handed over ahead, and its time has come', true, { startsAt: secondsFromDue(0) }],
  ])('that it asks %s', async (_, isOnTime, changes) => {
    const { call, gate } = await announced();
    const enter = vi.spyOn(gate, 'enter');
    await call(changes);
    expect(enter.mock.calls).toEqual([[isOnTime]]);
  });
});

it.each([
  ['the rate of due ones', {}, ['due']],
  ['the rate of due ones once its time has come', { startsAt: secondsFromDue(0) }, ['due']],
  ['the rate of those handed over ahead', { startsAt: secondsFromDue(5) }, ['ahead']],
])('a start that is answered counts for %s', async (_, changes, rates) => {
  const { call, context, double } = await announced();
  const counted: string[] = [];
  for (const name of ['due', 'ahead'] as const)
    vi.spyOn(context.rates[name], 'started').mockImplementation(() => void counted.push(name));
  await call(changes);
  expect(counted).toEqual(rates);
  double.before = () => {
    throw new TemporalCallError('not now', 'refused');
  };
  await call(changes);
  expect(counted).toEqual(rates);
});

describe('no start is called that waits at the gate until', () => {
  async function waitsAtGate(meanwhile: (trigger: Trigger) => void, lease: CallLease) {
    const { context, double, firing, gate, trigger } = await announced({ limits: { startsInFlight: 1 } });
    await gate.enter(false);
    const asks = new Promise<void>((resolve) => {
      const enter = gate.enter.bind(gate);
      vi.spyOn(gate, 'enter').mockImplementation((isOnTime) => {
        resolve();
        return enter(isOnTime);
      });
    });
    const calling = callStarts(context, [firing], lease);
    await asks;
    meanwhile(trigger);
    gate.leave('other', 0);
    expect(await calling).toEqual([{ kind: 'unsent', firing }]);
    expect(double.starts).toEqual([]);
  }

  it('its lease is over', async () => {
    let now = 0;
    const lease = new CallLease(8_000, [() => now]);
    await waitsAtGate(() => {
      now = 8_000;
    }, lease);
  });

  it('its trigger is to stop', async () => {
    await waitsAtGate((trigger) => trigger.shutdown(), new CallLease(60_000));
  });
});

describe('a start whose definition this version cannot read', () => {
  /** Change the stored policies, and forget what was read of them, as a trigger has that begins now. */
  async function spoil(context: TriggerContext, policies: string) {
    await ledger().query(`update escapement.schedule_versions set policies = ${policies}`);
    context.definitions = new DefinitionCache();
  }

  it('is left to newer ones: it was not sent, and is tried again', async () => {
    const { call, context, double, firing } = await announced();
    await spoil(context, `policies || '{"overlap": "OF_THE_FUTURE"}'`);
    expect(await call()).toMatchObject({ kind: 'failing', firing, sent: false, error: { kind: 'refused' } });
    expect(double.starts).toEqual([]);
  });

  it('since it is damaged is rejected', async () => {
    const { call, context, double, firing, scheduleId } = await announced();
    await spoil(context, `'[]'`);
    expect(await call()).toEqual({ kind: 'refused', firing });
    expect(double.starts).toEqual([]);
    expect(await ledger().firings(scheduleId)).toMatchObject([
      { startAttempts: 1, lastError: expect.stringContaining('policies') },
    ]);
  });
});

it('what a start returns is polled after the usual pause, and at once if an earlier call may have started it', async () => {
  const { call, context } = await announced();
  const pause = context.ends.firstPollAfter('default');
  expect(pause).toBeGreaterThan(0);
  expect(await call()).toMatchObject({ kind: 'started', started: { pollAfterMilliseconds: pause } });
  expect(await call({ calledBefore: true })).toMatchObject({ kind: 'started', started: { pollAfterMilliseconds: 0 } });
});

it('what a start returns says when its own call was answered, since other calls of its batch may take longer', async () => {
  const { call, double } = await announced();
  double.before = () => ledger().clock.advance(50);
  expect(await call()).toMatchObject({ kind: 'started', answeredAt: Date.parse(DUE) + 50 });
});

it('an error that is not Temporal’s is passed on with its firing', async () => {
  const { call, double, firing } = await announced();
  const error = new Error('a bug');
  double.before = () => {
    throw error;
  };
  expect(await call()).toEqual({ kind: 'failed', firing, error });
});

it('a start is delayed until its time, and not at all once that has come', async () => {
  const { call, double } = await announced();
  for (const seconds of [5, 0, -5]) await call({ startsAt: secondsFromDue(seconds) });
  await call({ startsAt: null });
  expect(double.starts.map(({ delayMilliseconds }) => delayMilliseconds)).toEqual([5_000, 0, 0, 0]);
});

it('the memo of a start says whose it is, and only what is known of it', async () => {
  const { call, context, double, scheduleId } = await announced();
  const plain = {
    ...{ installation: context.installationId, scheduleId, scheduledTime: DUE },
    ...{ kind: 'schedule', startAttempt: 1, epoch: 0 },
  };
  await call();
  const actor = 'ann';
  const recovery = { number: 1, recoveredAt: DUE, reason: 'trigger_lost' as const };
  const again = { number: 1, askedAt: DUE, actor };
  await call({ startAttempts: 2, actor, recovery, again });
  expect(double.starts.map(({ memo }) => memo)).toEqual([plain, { ...plain, startAttempt: 3, actor, recovery, again }]);
});

it('the summary of a start names what is unusual about it, in the time zone of its schedule', async () => {
  const { call, double, firing, scheduleId } = await announced({}, 'Europe/Berlin');
  const recovery = { number: 2, recoveredAt: DUE, reason: 'trigger_lost' as const };
  for (const changes of [{}, { kind: 'manual' as const }, { recovery }]) await call(changes);
  expect(double.starts.map(({ summary }) => summary)).toEqual([
    `${scheduleId} · 2026-03-01 02:00 Europe/Berlin`,
    `${scheduleId} · 2026-03-01 02:00 Europe/Berlin · manual`,
    `${scheduleId} · 2026-03-01 02:00 Europe/Berlin · recovered ×2`,
  ]);
  const at = (time: string, zone?: string) => summaryOf({ ...firing, scheduledTime: new Date(time) }, zone);
  expect(at(DUE, 'UTC')).toBe(`${scheduleId} · 2026-03-01 01:00 UTC`);
  expect(at('2026-03-01T03:00:30Z')).toBe(`${scheduleId} · 2026-03-01 03:00:30 UTC`);
  expect(at('2026-03-01T03:00:30Z', 'Asia/Tokyo')).toBe(`${scheduleId} · 2026-03-01 12:00:30 Asia/Tokyo`);
});
