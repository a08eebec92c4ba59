import { expect, inject, it } from 'vitest';
import type { Trigger } from '../../../trigger';
import { proxyOf } from '../../support/connections/proxy';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-06T17:00:00Z');
const worker = useWorker();
const HOUR = 3_600_000;

async function hourOfPasses({ passes }: Trigger) {
  // As its loops do, until nothing is left that may start.
  const startAll = async () => {
    while ((await passes.dispatch()).taken > 0);
  };
  await passes.heartbeat();
  await passes.claim();
  await startAll();
  await passes.askAway();
  await passes.reconcile();
  await startAll();
}

it('Temporal away for a weekend: intents pile up, and drain oldest first, behind what is due now, each by its own window', async () => {
  const { client, clock, log } = ledger();
  const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue };
  const policies = { overlap: 'ALLOW_ALL' as const };
  const patient = await client.create(someSchedule({ action, policies }));
  const hasty = await client.create(someSchedule({ action, policies: { ...policies, catchupWindow: '2 hours' } }));
  const proxy = await proxyOf(inject('temporalAddress'));
  const trigger = await ledger().trigger({ connection: { address: proxy.address }, limits: { batchSize: 10 } });
  proxy.cut();
  for (let hour = 0; hour < 60; hour++) {
    clock.advance(HOUR);
    await hourOfPasses(trigger);
  }
  const waiting = await ledger().query(`select 1 from escapement.firings where state = 'claimed'`);
  expect(waiting.length).toBeGreaterThanOrEqual(60);

  // It answers again: connections come back with a pause of grpc's own, while the ledger's clock goes on.
  proxy.restore();
  log.lines.length = 0;
  const linked = () => log.lines.filter(({ message }) => message === 'linked').map(({ meta }) => meta);
  const afterPasses = async <Answer>(ask: () => Answer) => {
    clock.advance(31_000);
    await hourOfPasses(trigger);
    return ask();
  };
  await expect
    .poll(
      async () => {
        clock.advance(31_000);
        await trigger.passes.askAway();
        await trigger.passes.dispatch();
        return linked().length;
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(0);

  // With most of the backlog still to come, what is due now starts first.
  const probes = linked().length;
  expect(probes).toBeLessThan(61);
  clock.set('2026-03-09T06:00:00Z');
  await trigger.passes.reconcile();
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  const dueNow = linked().slice(probes, probes + 2);
  expect(dueNow.map((meta) => meta.scheduledTime)).toEqual(Array(2).fill('2026-03-09T06:00:00.000Z'));

  const waits = () => ledger().query(`select 1 from escapement.firings where state = 'claimed'`);
  await expect.poll(() => afterPasses(waits), { timeout: 60_000 }).toEqual([]);
  const answers = await ledger().answers(patient.scheduleId);
  expect(answers).toHaveLength(61);
  expect(answers.filter((answer) => !answer.endsWith('schedule linked'))).toEqual([]);
  const late = await ledger().answers(hasty.scheduleId);
  expect(late.slice(0, 57).filter((answer) => !answer.endsWith('abandoned outside_catchup_window'))).toEqual([]);
  expect(late.at(-1)).toMatch(/schedule linked$/);
  const order = linked().slice(probes + 2);
  expect(order.map((meta) => meta.scheduledTime)).toEqual(order.map((meta) => meta.scheduledTime as string).sort());
});

it('while it is away, what waits is not written again and again: a call of its own tells whether it answers', async () => {
  const { client, clock } = ledger();
  for (let index = 0; index < 40; index++) await client.create(someSchedule());
  const proxy = await proxyOf(inject('temporalAddress'));
  const trigger = await ledger().trigger({ connection: { address: proxy.address }, limits: { batchSize: 10 } });
  proxy.cut();
  clock.advance(HOUR);
  for (let page = 0; page < 5; page++) await trigger.passes.claim();
  const startAll = async () => {
    while ((await trigger.passes.dispatch()).taken > 0);
  };
  await startAll();
  const versions = () => ledger().query<{ xmin: string }>('select xmin from escapement.firings order by schedule_id');
  for (let period = 0; period < 3; period++) {
    const before = await versions();
    expect(before).toHaveLength(40);
    clock.advance(31_000);
    for (let pass = 0; pass < 5; pass++) {
      await trigger.passes.reconcile();
      await startAll();
    }
    const after = await versions();
    const written = after.filter(({ xmin }, index) => xmin !== before[index]!.xmin).length;
    expect(written).toBe(0);
  }

  proxy.restore();
  const waiting = async () => {
    clock.advance(31_000);
    await trigger.passes.reconcile();
    await startAll();
    return ledger().query(`select from escapement.firings where state = 'claimed'`);
  };
  await expect.poll(waiting, { timeout: 60_000 }).toEqual([]);
});
