import { describe, expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';
import { useWorker } from '../support/temporal';
import { finish } from '../support/workflows';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

function runsUntilFinished(policies: { overlap: 'SKIP' | 'ALLOW_ALL' }) {
  const { taskQueue } = worker();
  return someSchedule({ action: { type: 'startWorkflow', workflowType: 'untilFinished', taskQueue }, policies });
}

describe('overlap', () => {
  it('SKIP leaves a skipped row while the firing before is still running', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(runsUntilFinished({ overlap: 'SKIP' }));
    const trigger = await ledger().trigger();
    for (const hour of ['01', '02']) {
      clock.set(`2026-03-01T${hour}:00:00Z`);
      await trigger.passes.claim();
      await trigger.passes.verify();
      await trigger.passes.start();
    }
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule skipped overlap',
    ]);
  });

  it('SKIP asks Temporal first: a firing that has ended unobserved holds nothing up', async () => {
    const { client, clock } = ledger();
    const { client: temporal } = worker();
    const handle = await client.create(runsUntilFinished({ overlap: 'SKIP' }));
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    await trigger.passes.start();
    const execution = temporal.workflow.getHandle(`${handle.scheduleId}-workflow-2026-03-01T01:00:00Z`);
    await execution.signal(finish);
    await execution.result();

    clock.set('2026-03-01T02:00:00Z');
    expect(await trigger.passes.claim()).toMatchObject({ claimed: [], postponed: [handle.scheduleId] });
    expect((await trigger.passes.verify()).claimed).toHaveLength(1);
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 schedule closed completed',
      '03-01T02:00:00 schedule claimed',
    ]);
  });

  it('SKIP fires the oldest of what is due together and skips those behind it', async () => {
    const { client, clock } = ledger();
    const handle = await client.create({ ...runsUntilFinished({ overlap: 'SKIP' }), spec: { cron: '*/2 * * * * *' } });
    const trigger = await ledger().trigger();
    clock.advance(6_000);
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T00:30:02 schedule claimed',
      '03-01T00:30:04 schedule skipped overlap',
      '03-01T00:30:06 schedule skipped overlap',
    ]);
  });

  it('ALLOW_ALL fires each occurrence, whatever runs', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(runsUntilFinished({ overlap: 'ALLOW_ALL' }));
    const trigger = await ledger().trigger();
    for (const hour of ['01', '02', '03']) {
      clock.set(`2026-03-01T${hour}:00:00Z`);
      await trigger.passes.claim();
      await trigger.passes.start();
    }
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule linked',
      '03-01T03:00:00 schedule linked',
    ]);
  });

  it('a manual firing may overlap by its own policy, and is skipped by the schedule’s', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(runsUntilFinished({ overlap: 'SKIP' }));
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    await trigger.passes.start();
    clock.set('2026-03-01T01:10:00Z');
    await handle.trigger();
    await handle.trigger('ALLOW_ALL');
    await trigger.passes.claim();
    await trigger.passes.verify();
    await trigger.passes.start();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T01:10:00.001 manual skipped overlap',
      '03-01T01:10:00.002 manual linked',
    ]);
  });
});
