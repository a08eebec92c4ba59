import { describe, expect, inject, it } from 'vitest';
import type { SchedulePolicies } from '../../../index';
import type { Trigger } from '../../../trigger';
import { proxyOf } from '../../support/connections/proxy';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';
import { finish } from '../../support/workers/workflows';

const ledger = useLedger('2026-03-01T00:30:00Z');

const worker = useWorker();

function runsUntilFinished(policies: SchedulePolicies, workflowType = 'untilFinished') {
  const { taskQueue } = worker();
  return someSchedule({ action: { type: 'startWorkflow', workflowType, taskQueue }, policies });
}

/** Each pass once, at this instant. */
async function passesAt(trigger: Trigger, instant: string) {
  ledger().clock.set(instant);
  await trigger.passes.claim();
  await trigger.passes.verify();
  await trigger.passes.dispatch();
  await trigger.passes.interrupt();
}

/** Let the workflow of an hour finish, and the ledger see it. */
async function finishHour(trigger: Trigger, scheduleId: string, hour: string) {
  const execution = worker().client.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T${hour}:00:00Z`);
  await execution.signal(finish);
  await execution.result();
  ledger().clock.advance(60_000);
  await trigger.passes.observe();
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
      await trigger.passes.dispatch();
    }
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule skipped overlap',
    ]);
  });

  it('SKIP does not say that one overlaps what has not begun: the oldest runs, and those behind it say that it waited', async () => {
    const handle = await ledger().client.create(runsUntilFinished({ overlap: 'SKIP' }));
    const proxy = await proxyOf(inject('temporalAddress'));
    const away = await ledger().trigger({ connection: { address: proxy.address } });
    proxy.cut();
    for (const hour of ['01', '02', '03']) {
      ledger().clock.set(`2026-03-01T${hour}:00:00Z`);
      await away.passes.claim();
      await away.passes.verify();
    }
    expect((await handle.explain('2026-03-01T02:00:00Z')).sentence).toMatch(/was skipped at .*had not started yet/);
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-01T03:30:00Z');
    await trigger.passes.reconcile();
    await trigger.passes.dispatch();
    await passesAt(trigger, '2026-03-01T04:00:00Z');
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule skipped overlap_waiting',
      '03-01T03:00:00 schedule skipped overlap_waiting',
      '03-01T04:00:00 schedule skipped overlap',
    ]);
    expect((await handle.describe()).info.numActionsSkippedOverlap).toBe(3);
  });

  it('SKIP asks Temporal first: a firing that has ended unobserved holds nothing up', async () => {
    const { client, clock } = ledger();
    const { client: temporal } = worker();
    const handle = await client.create(runsUntilFinished({ overlap: 'SKIP' }));
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    await trigger.passes.dispatch();
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
      '03-01T00:30:04 schedule skipped overlap_waiting',
      '03-01T00:30:06 schedule skipped overlap_waiting',
    ]);
  });

  it('ALLOW_ALL fires each occurrence, whatever runs', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(runsUntilFinished({ overlap: 'ALLOW_ALL' }));
    const trigger = await ledger().trigger();
    for (const hour of ['01', '02', '03']) {
      clock.set(`2026-03-01T${hour}:00:00Z`);
      await trigger.passes.claim();
      await trigger.passes.dispatch();
    }
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule linked',
      '03-01T03:00:00 schedule linked',
    ]);
  });

  it('a manual firing may overlap unless another policy is asked for', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(runsUntilFinished({ overlap: 'SKIP' }));
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    clock.set('2026-03-01T01:10:00Z');
    await handle.trigger('SKIP');
    await handle.trigger();
    await trigger.passes.claim();
    await trigger.passes.verify();
    await trigger.passes.dispatch();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T01:10:00.001 manual skipped overlap',
      '03-01T01:10:00.002 manual linked',
    ]);
  });

  it('BUFFER_ONE runs one more behind the running one, and skips what comes while it waits', async () => {
    const { scheduleId } = await ledger().client.create(runsUntilFinished({ overlap: 'BUFFER_ONE' }));
    const trigger = await ledger().trigger();
    for (const hour of ['01', '02', '03']) await passesAt(trigger, `2026-03-01T${hour}:00:00Z`);
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule buffered',
      '03-01T03:00:00 schedule skipped overlap',
    ]);
    await finishHour(trigger, scheduleId, '01');
    await passesAt(trigger, '2026-03-01T03:10:00Z');
    expect((await ledger().answers(scheduleId)).slice(0, 2)).toEqual([
      '03-01T01:00:00 schedule closed completed',
      '03-01T02:00:00 schedule linked',
    ]);
  });

  it('BUFFER_ALL keeps what is due and runs it one after the other, in order', async () => {
    const { scheduleId } = await ledger().client.create(runsUntilFinished({ overlap: 'BUFFER_ALL' }));
    const trigger = await ledger().trigger();
    for (const hour of ['01', '02', '03']) await passesAt(trigger, `2026-03-01T${hour}:00:00Z`);
    await finishHour(trigger, scheduleId, '01');
    await passesAt(trigger, '2026-03-01T03:10:00Z');
    await finishHour(trigger, scheduleId, '02');
    await passesAt(trigger, '2026-03-01T03:20:00Z');
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule closed completed',
      '03-01T02:00:00 schedule closed completed',
      '03-01T03:00:00 schedule linked',
    ]);
  });

  it('maxConcurrent lets so many run, and ALLOW_ALL waits beyond it', async () => {
    const { scheduleId } = await ledger().client.create(runsUntilFinished({ overlap: 'ALLOW_ALL', maxConcurrent: 2 }));
    const trigger = await ledger().trigger();
    for (const hour of ['01', '02', '03']) await passesAt(trigger, `2026-03-01T${hour}:00:00Z`);
    expect((await ledger().answers(scheduleId))[2]).toBe('03-01T03:00:00 schedule buffered');
    await finishHour(trigger, scheduleId, '02');
    await passesAt(trigger, '2026-03-01T03:10:00Z');
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule closed completed',
      '03-01T03:00:00 schedule linked',
    ]);
  });

  it('a pause stops what waits, but not what a person asked for', async () => {
    const { scheduleId } = await ledger().client.create(runsUntilFinished({ overlap: 'BUFFER_ALL' }));
    const schedule = ledger().client.getHandle(scheduleId);
    const trigger = await ledger().trigger();
    for (const hour of ['01', '02']) await passesAt(trigger, `2026-03-01T${hour}:00:00Z`);
    await schedule.trigger('BUFFER_ALL');
    await schedule.pause();
    await finishHour(trigger, scheduleId, '01');
    await passesAt(trigger, '2026-03-01T02:30:00Z');
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule closed completed',
      '03-01T02:00:00 schedule skipped paused',
      '03-01T02:00:00.001 manual linked',
    ]);
  });

  it('is exact though triggers claim and close side by side', async () => {
    const { scheduleId } = await ledger().client.create({
      ...runsUntilFinished({ overlap: 'BUFFER_ALL' }, 'echoFiring'),
      spec: { cron: '* * * * * *' },
    });
    const triggers = [await ledger().trigger(), await ledger().trigger(), await ledger().trigger()];
    const mostOpen = async () => {
      const [row] = await ledger().query<{ open: number }>(
        `select count(*)::int as open from escapement.firings where state in ('claimed', 'linked')`,
      );
      return row!.open;
    };
    for (let second = 0; second < 20; second++) {
      ledger().clock.advance(1_000);
      await Promise.all(
        triggers.map(async ({ passes }) => {
          await passes.claim();
          await passes.dispatch();
          expect(await mostOpen()).toBeLessThanOrEqual(1);
          await passes.observe();
        }),
      );
    }
    await expect
      .poll(async () => {
        ledger().clock.advance(60_000);
        await ledger().client.getHandle(scheduleId).pause();
        for (const { passes } of triggers) {
          await passes.claim();
          await passes.dispatch();
          await passes.observe();
        }
        return ledger().query(`select 1 from escapement.firings where state not in ('closed', 'skipped')`);
      })
      .toEqual([]);
    const answers = await ledger().answers(scheduleId);
    expect(new Set(answers.map((answer) => answer.slice(0, 14))).size).toBe(answers.length);
  });
});
