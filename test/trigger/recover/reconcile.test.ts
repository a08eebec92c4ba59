import { describe, expect, it } from 'vitest';
import type { ScheduleOptions } from '../../../index';
import { TemporalCallError } from '../../../temporal/port';
import { announceAll, leaveUncalled } from '../../support/announced';
import { triggerAnswering } from '../../support/answering';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** A trigger that has claimed a firing of each schedule, and whose `silent` namespaces do not answer. */
async function claimed(schedules: Partial<ScheduleOptions>[], { silent = [] as string[], batchSize = 500 } = {}) {
  const { client, clock } = ledger();
  const options = schedules.map(someSchedule);
  for (const one of options) await client.create(one);
  const namespaces = [...new Set(options.map(({ namespace = 'default' }) => namespace))];
  const one = await triggerAnswering(
    ledger(),
    {
      describeChain: async (namespace, ...chain) => {
        if (silent.includes(namespace)) throw new TemporalCallError('no answer', 'away', { ofNamespace: true });
        return one.double.describeChain(namespace, ...chain);
      },
    },
    { namespaces, limits: { batchSize } },
  );
  const { trigger, passes, context, double } = one;
  clock.set('2026-03-01T01:00:00Z');
  await passes.heartbeat();
  while ((await passes.claim()).more) {}
  /** Let half a minute pass after an announcement: its check is due. */
  const announced = async () => {
    await announceAll(ledger(), trigger);
    clock.advance(31_000);
  };
  /** Find out that a namespace is away, a second before it may be asked again. */
  const away = (namespace: string) => expect(context.temporal.of(namespace).describeChain('any')).rejects.toThrow();
  return { trigger, passes, double, context, announced, away, ids: options.map(({ scheduleId }) => scheduleId) };
}

const rows = () =>
  ledger().query<Record<string, unknown>>('select * from escapement.firings order by schedule_id, scheduled_time');
const said = (message: string) => ledger().log.lines.filter((line) => line.message === message);

it('while a failover is not adopted, nothing is taken over, and whatever waits may still be there', async () => {
  const { passes, announced, context } = await claimed([{}]);
  await announced();
  context.adoption.held = 'all';
  expect(await passes.reconcile()).toEqual({
    ...{ deadTriggers: [], taken: 0, more: false, restarted: 0, waiting: 0, abandoned: 0 },
    ...{ complete: false, nextStaleAt: undefined, anythingOpen: true },
    ...{ anythingToInterrupt: false, anythingToRedrive: false },
  });
  const schedules = new Map([['another', new Set(['locked'])]]);
  context.adoption.held = { namespaces: new Set(['default']), schedules };
  expect(await passes.reconcile()).toMatchObject({ taken: 0, complete: false });
  context.adoption.held = { namespaces: new Set(), schedules: new Map() };
  expect(await passes.reconcile()).toMatchObject({ taken: 1, complete: true, anythingOpen: false });
});

describe('a takeover', () => {
  it('starts what was called again, counts it, and is followed by another one while batches are full', async () => {
    const { trigger, passes, announced } = await claimed([{}, {}, {}], { batchSize: 2 });
    await announced();
    expect(await passes.reconcile()).toMatchObject({ taken: 2, restarted: 2, more: true, complete: false });
    expect(await passes.reconcile()).toMatchObject({ taken: 1, restarted: 1, more: false, complete: true });
    expect((await rows()).map(({ state }) => state)).toEqual(['linked', 'linked', 'linked']);
    const metrics = await trigger.metrics.metrics();
    expect(metrics).toContain('escapement_firings_lost_total{namespace="default"} 3');
    expect(metrics).toMatch(/^escapement_triggers_lost_total 0$/m);
  });

  it('of a dead trigger is logged and counted', async () => {
    const { trigger, passes } = await claimed([]);
    const dead = await triggerAnswering(ledger());
    await dead.passes.heartbeat();
    expect(await passes.reconcile()).toMatchObject({ nextStaleAt: new Date('2026-03-01T01:00:10Z') });
    ledger().clock.advance(11_000);
    expect(await passes.reconcile()).toMatchObject({ deadTriggers: [dead.trigger.id], nextStaleAt: undefined });
    expect(said('trigger lost: taking over its claims')).toMatchObject([
      { level: 'warn', meta: { triggerId: dead.trigger.id } },
    ]);
    expect(await trigger.metrics.metrics()).toMatch(/^escapement_triggers_lost_total 1$/m);
  });

  it('lets the next pass begin once it has taken its rows', async () => {
    const { passes, announced } = await claimed([{}]);
    await announced();
    let goneOn = 0;
    await passes.reconcile(() => {
      goneOn += 1;
    });
    expect(goneOn).toBe(1);
  });

  it('leaves a namespace out that is away, until it answers again', async () => {
    const silent = ['bb'];
    const { passes, announced, away, context } = await claimed([{ namespace: 'aa' }, { namespace: 'bb' }], { silent });
    await announced();
    await away('bb');
    expect(await passes.reconcile()).toMatchObject({ taken: 1, more: false, complete: false });
    silent.pop();
    // It was asked just now, so it is left alone for a second.
    await passes.askAway();
    expect(await passes.reconcile()).toMatchObject({ taken: 0, more: false, complete: false });
    ledger().clock.advance(1_000);
    let back = 0;
    context.onBack = () => {
      back += 1;
    };
    await passes.askAway();
    expect(back).toBe(1);
    expect(await passes.reconcile()).toMatchObject({ taken: 1, restarted: 1, complete: true });
  });

  it('is not followed at once by another one after a full batch of a namespace that turns out to be away', async () => {
    const silent: string[] = [];
    const { passes, announced, double } = await claimed([{}, {}], { silent, batchSize: 1 });
    await announced();
    silent.push('default');
    double.isAway = true;
    expect(await passes.reconcile()).toMatchObject({ taken: 1, more: false, complete: false });
  });
});

describe('a firing whose start nobody has called', () => {
  it('waits for its turn again: by the time from which it was ready, and the trigger knows that it waits', async () => {
    const { trigger, passes, context } = await claimed([{}]);
    await leaveUncalled(ledger(), trigger);
    context.waiting.of('default').firings = 0;
    await ledger().query(`update escapement.firings set ready_at = '2026-03-01T00:59Z', late = true`);
    expect(await passes.reconcile()).toMatchObject({ taken: 1, waiting: 1, restarted: 0, abandoned: 0 });
    const [row] = await rows();
    expect(row).toMatchObject({ state: 'claimed', owner: null, ready_at: new Date('2026-03-01T00:59Z'), late: true });
    expect(context.waiting.namespaces()).toEqual(['default']);
    expect(await passes.dispatch()).toMatchObject({ linked: 1 });
  });

  it('and has no such time, since an older program claimed it, is ready from its own time', async () => {
    const { trigger, passes } = await claimed([{}]);
    await leaveUncalled(ledger(), trigger);
    await ledger().query('update escapement.firings set ready_at = null');
    expect(await passes.reconcile()).toMatchObject({ waiting: 1 });
    expect(await rows()).toMatchObject([{ ready_at: new Date('2026-03-01T01:00:00Z'), late: false }]);
  });

  it('is skipped if its schedule was paused, and abandoned if Temporal rejects its start', async () => {
    const { trigger, passes, ids } = await claimed([{}, {}]);
    await leaveUncalled(ledger(), trigger);
    const [paused, rejected] = ids as [string, string];
    await ledger().query('update escapement.schedules set paused = true where schedule_id = $1', [paused]);
    await ledger()
      .query('update escapement.timers set paused = true where schedule_id = $1', [paused])
      .catch(() => {});
    await ledger().query('update escapement.firings set start_attempts = 3 where schedule_id = $1', [rejected]);
    ledger().clock.advance(5_000);
    expect(await passes.reconcile()).toMatchObject({ taken: 2, abandoned: 1, waiting: 0, restarted: 0 });
    expect(await ledger().answers(paused)).toEqual(['03-01T01:00:00 schedule skipped paused']);
    expect(await ledger().answers(rejected)).toEqual(['03-01T01:00:00 schedule abandoned start_rejected']);
    const fields = { namespace: 'default', taskQueue: 'nobody-polls', milliseconds: 5_000 };
    expect(said('skipped')).toMatchObject([
      { level: 'info', meta: { ...fields, scheduleId: paused, reason: 'paused' } },
    ]);
    expect(said('abandoned')).toMatchObject([
      { level: 'error', meta: { ...fields, scheduleId: rejected, reason: 'start_rejected' } },
    ]);
    const metrics = await trigger.metrics.metrics();
    expect(metrics).toContain('escapement_firings_skipped_total{namespace="default",reason="paused"} 1');
    expect(metrics).toContain('escapement_firings_abandoned_total{namespace="default",reason="start_rejected"} 1');
    expect(metrics).toMatch(/escapement_dead_letters_opened_total\{kind="start"\} 1/);
  });
});
