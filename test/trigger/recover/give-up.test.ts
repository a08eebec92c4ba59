import { expect, it } from 'vitest';
import type { StartableFiring } from '../../../store/firings/start';
import { type GivenUp, giveUpEach } from '../../../trigger/recover/give-up';
import { announceAll } from '../../support/announced';
import { triggerAnswering } from '../../support/answering';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** Announced firings of one schedule, which are to be abandoned. */
async function announced(count: number, before: (text: string) => unknown = () => {}) {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(
    someSchedule({ spec: { intervals: [{ every: '1 minute' }] }, policies: { overlap: 'ALLOW_ALL' } }),
  );
  const { trigger, passes, context } = await triggerAnswering(
    ledger(),
    {},
    { pool: watchedPool(ledger(), { before }) },
  );
  const times = Array.from({ length: count }, (_, index) => new Date(Date.UTC(2026, 2, 1, 0, 31 + index)));
  clock.set(times.at(-1)!.toISOString());
  await passes.claim();
  await announceAll(ledger(), trigger);
  const now = new Date(clock.now());
  clock.advance(7_000);
  const lost = times.map((scheduledTime): GivenUp<StartableFiring> => {
    const firing: StartableFiring = {
      ...{ scheduleId, scheduledTime, version: 1, kind: 'schedule', actor: null, namespace: 'default', epoch: 0 },
      ...{ workflowId: 'w', startAttempts: 0, recovery: null, again: null, claimedAt: now, startsAt: null },
      ...{ readyAt: now, late: false, calledBefore: true },
    };
    const end = { state: 'abandoned', reason: 'start_uncertain' } as const;
    return { firing, end, decidedOn: { owner: trigger.id, startAttemptedAt: now } };
  });
  return { trigger, context, lost, scheduleId };
}

const states = async () =>
  (await ledger().query('select state from escapement.firings order by scheduled_time')).map(({ state }) => state);
const said = (message: string) => ledger().log.lines.filter((line) => line.message === message);

it('firings of one schedule are given up one after the other, and each is logged and counted', async () => {
  const { context, lost, trigger, scheduleId } = await announced(2);
  const done = await giveUpEach(context, lost);
  expect([...done]).toEqual(lost.map(({ firing }) => firing));
  expect(await states()).toEqual(['abandoned', 'abandoned']);
  const meta = { scheduleId, reason: 'start_uncertain', milliseconds: 7_000, namespace: 'default' };
  expect(said('abandoned')).toMatchObject([
    { level: 'error', meta },
    { level: 'error', meta },
  ]);
  expect(said('dead letter')).toHaveLength(2);
  expect(await trigger.metrics.metrics()).toContain(
    'escapement_firings_abandoned_total{namespace="default",reason="start_uncertain"} 2',
  );
});

it('one that another trigger has begun to start meanwhile is left alone: nothing is said or counted', async () => {
  const { context, lost, trigger } = await announced(2);
  await ledger().query(`update escapement.firings set start_attempted_at = now()
    where scheduled_time = (select min(scheduled_time) from escapement.firings)`);
  const done = await giveUpEach(context, lost);
  expect([...done]).toEqual([lost[1]!.firing]);
  expect(await states()).toEqual(['claimed', 'abandoned']);
  expect(said('abandoned')).toHaveLength(1);
  expect(await trigger.metrics.metrics()).toContain(
    'escapement_firings_abandoned_total{namespace="default",reason="start_uncertain"} 1',
  );
});

it('a trigger that stops gives up no other firing of the schedule', async () => {
  let stop = () => {};
  const { context, lost, trigger } = await announced(2, (text) => text.includes("'abandoned'") && stop());
  stop = () => trigger.shutdown();
  expect([...(await giveUpEach(context, lost))]).toEqual([lost[0]!.firing]);
  expect(await states()).toEqual(['abandoned', 'claimed']);
});
