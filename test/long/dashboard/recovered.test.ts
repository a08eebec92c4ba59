import { expect, inject, it, vi } from 'vitest';
import { proxyOf } from '../../support/connections/proxy';
import { useDashboard } from '../../support/dashboard/dashboard';
import { someSchedule } from '../../support/ledger';
import { runCli } from '../../support/processes/child';
import { useWorker } from '../../support/temporal';
import { finish } from '../../support/workers/workflows';

const dashboard = useDashboard(async () => {});
const worker = useWorker({ taskQueue: 'payouts-emea' });

const PATIENTLY = { timeout: 60_000, interval: 50 };

it('a firing whose trigger was killed between its start and the record of it is recovered once, and its page says each step', async () => {
  const now = () => new Date();
  const { ledger, open, picture } = await dashboard({ now });
  const client = ledger.newClient({ now });
  const firing = async (scheduleId: string) => {
    for await (const one of client.getHandle(scheduleId).firings()) return one;
    return undefined;
  };
  const isIn = (state: string, scheduleId: string) =>
    vi.waitFor(async () => expect((await firing(scheduleId))?.state).toBe(state), PATIENTLY);
  const trigger = (temporalAddress: string) =>
    runCli(['run'], { DATABASE_URL: ledger.databaseUrl, TEMPORAL_ADDRESS: temporalAddress });

  const way = await proxyOf(inject('temporalAddress'));
  const killed = trigger(way.address);
  const action = { type: 'startWorkflow' as const, workflowType: 'untilFinished', taskQueue: worker().taskQueue };
  // What a trigger asks a namespace before its first start is answered.
  await client.create(someSchedule({ scheduleId: 'first', spec: {}, action, state: { triggerImmediately: true } }));
  await isIn('linked', 'first');

  // The start reaches Temporal, and its answer never comes back.
  way.holdAnswers();
  const due = new Date((Math.floor(Date.now() / 1_000) + 3) * 1_000);
  await client.create(someSchedule({ scheduleId: 'payouts', spec: { at: due, timezone: 'Europe/Berlin' }, action }));
  const workflowId = `payouts-workflow-${due.toISOString().replace('.000', '')}`;
  const { runId } = await vi.waitFor(() => worker().client.workflow.getHandle(workflowId).describe(), PATIENTLY);
  killed.kill('SIGKILL');
  expect(await killed.ended()).toMatchObject({ signal: 'SIGKILL' });
  expect(await firing('payouts')).toMatchObject({ state: 'claimed', runId: null });

  trigger(inject('temporalAddress'));
  await isIn('linked', 'payouts');
  await worker().client.workflow.getHandle(workflowId).signal(finish);
  await isIn('closed', 'payouts');
  expect(await firing('payouts')).toMatchObject({ outcome: 'completed', runId, recovery: { reason: 'trigger_lost' } });

  const size = { width: 1280, height: 700 };
  const address = `#/schedules/payouts/at/${encodeURIComponent(due.toISOString())}`;
  const page = await open(address, { timezoneId: 'Europe/Berlin', viewport: size });
  await page.getByText('Closed: completed').waitFor();
  expect(await page.locator('.steps').innerText()).toMatch(
    /Due[\s\S]*Claimed[\s\S]*Dispatched[\s\S]*Recovered by another trigger[\s\S]*Its trigger had died\.[\s\S]*Start called again[\s\S]*Linked[\s\S]*Closed: completed/,
  );
  await picture(page, 'firing-recovered');
});
