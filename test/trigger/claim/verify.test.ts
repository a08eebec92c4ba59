import { expect, inject, it } from 'vitest';
import { connectTemporal } from '../../../temporal/connection';
import { oneServer } from '../../../temporal/temporal';
import { Trigger } from '../../../trigger';
import { triggerAnswering } from '../../support/answering';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

const action = () => ({
  type: 'startWorkflow' as const,
  workflowType: 'untilFinished',
  taskQueue: worker().taskQueue,
});

/** A trigger that does something with each answer of Temporal about a chain. */
async function asking(whileAsked: () => unknown): Promise<Trigger> {
  const { clock, log, databaseUrl } = ledger();
  const trigger = await Trigger.createOn({ connectionString: databaseUrl, clock, logger: log }, async (settings) => {
    const port = await connectTemporal({ address: inject('temporalAddress') }, settings);
    const describe = port.describeChain.bind(port);
    port.describeChain = async (...args) => {
      const chain = await describe(...args);
      await whileAsked();
      return chain;
    };
    return oneServer(port);
  });
  ledger().beforeClose(() => trigger.close());
  return trigger;
}

it('what comes due while Temporal is asked is not skipped by that answer', async () => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule({ action: action() }));
  // An answer that takes an hour, so that its chain may have ended meanwhile.
  const trigger = await asking(() => clock.set('2026-03-01T03:00:00Z'));
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  clock.set('2026-03-01T02:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.verify();
  expect(await ledger().answers(scheduleId)).toEqual([
    '03-01T01:00:00 schedule linked',
    expect.stringMatching(/^03-01T02:00:00 schedule skipped overlap$/),
  ]);
});

it('Temporal is asked about as many firings as fill the schedule, and others may end meanwhile', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule({ action: action(), policies: { overlap: 'ALLOW_ALL' } }));
  let asked = 0;
  const trigger = await asking(() => {
    asked += 1;
    return ledger().query(`update escapement.firings set state = 'closed', outcome = 'completed', closed_at = now()
      where scheduled_time = '2026-03-01T03:00:00Z'`);
  });
  for (const hour of ['01', '02', '03']) {
    clock.set(`2026-03-01T${hour}:00:00Z`);
    await trigger.passes.claim();
    await trigger.passes.dispatch();
  }
  clock.set('2026-03-01T03:30:00Z');
  await handle.trigger({ overlap: 'SKIP' });
  await trigger.passes.claim();
  await trigger.passes.verify();
  expect(await ledger().answers(handle.scheduleId)).toContainEqual(expect.stringContaining('manual skipped overlap'));
  expect(asked).toBe(1);
});

it('a schedule that a newer program updates meanwhile is left to triggers that know its form', async () => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule({ action: action() }));
  const trigger = await asking(() => ledger().query('update escapement.timers set spec_format = 1000'));
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  clock.set('2026-03-01T02:00:00Z');
  await trigger.passes.claim();
  expect(await trigger.passes.verify()).toMatchObject({ skipped: [], gaps: [] });
  expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
});

it('while Temporal is away, a late decision is tried every five seconds, and one that is on time each second', async () => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  const { passes, double } = await triggerAnswering(ledger());
  const triedAgainAfter = async (time: string) => {
    clock.set(`2026-03-01T${time}Z`);
    expect(await passes.claim()).toMatchObject({ postponed: [scheduleId] });
    expect(await passes.verify()).toMatchObject({ postponed: [scheduleId] });
    const [timer] = await ledger().query<{ wake_at: Date }>('select wake_at from escapement.timers');
    return timer!.wake_at.getTime() - clock.now();
  };
  clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  await passes.dispatch();
  double.isAway = true;
  expect(await triedAgainAfter('02:00:00')).toBe(1_000);
  expect(await triedAgainAfter('02:00:10')).toBe(1_000);
  expect(await triedAgainAfter('02:00:11')).toBe(5_000);
  // The next occurrence is on time again.
  expect(await triedAgainAfter('03:00:00')).toBe(1_000);
  expect(await triedAgainAfter('03:00:11')).toBe(5_000);

  double.isAway = false;
  clock.set('2026-03-01T03:00:16Z');
  await passes.claim();
  expect(await passes.verify()).toMatchObject({ skipped: [{ scheduleId }, { scheduleId }], postponed: [] });
});
