import { expect, inject } from 'vitest';
import { runScript } from '../../support/processes/child';
import type { useFailedFirings } from '../recover/failed-firings';

/** A trigger is killed after it has reset a chain, which then fails again or still runs. */
export async function killAfterReset(
  { ledger, deployments, steps, failed, onlyLetter, redrive, answer, runsOf }: ReturnType<typeof useFailedFirings>,
  { failsAgain }: { failsAgain: boolean },
): Promise<void> {
  const { broken } = steps();
  await deployments().deploy(broken);
  const trigger = await ledger().trigger();
  const { scheduleId, workflowId, letter } = await failed(trigger);
  if (!failsAgain) await deployments().deploy({ pack: broken.pack });
  await redrive(letter);

  // The row cannot change while another session holds the schedule, so the child dies between the reset and the
  // row.
  await ledger().query('begin');
  await ledger().query('select 1 from escapement.timers for update');
  const instant = new Date(ledger().clock.now()).toISOString();
  const child = runScript('test/support/processes/crash-child.ts', [
    ledger().databaseUrl,
    inject('temporalAddress'),
    instant,
  ]);
  await child.line(/^ready/);
  child.write('redrive');
  await runsOf(workflowId, 2);
  child.kill('SIGKILL');
  expect(await child.ended()).toMatchObject({ signal: 'SIGKILL' });
  await ledger().query('rollback');
  expect(await answer(scheduleId)).toBe('03-01T01:00:00 schedule closed failed');
  if (failsAgain) await expect(deployments().client.workflow.getHandle(workflowId).result()).rejects.toThrow();

  expect(await trigger.passes.redrive()).toMatchObject({ taken: 0 });
  ledger().clock.advance(31_000);
  expect(await trigger.passes.reconcile()).toMatchObject({ anythingToRedrive: true });
  expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
  expect(await answer(scheduleId)).toBe('03-01T01:00:00 schedule linked');
  await trigger.passes.observe();
  expect(await onlyLetter()).toMatchObject({ state: failsAgain ? 'open' : 'redriving' });
  expect(await runsOf(workflowId, 2)).toHaveLength(2);
  await deployments().deploy({});
}
