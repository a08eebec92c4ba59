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
  let charge = () => {};
  const charging = new Promise<void>((resolve) => {
    charge = resolve;
  });
  if (!failsAgain) await deployments().deploy({ ...broken, chargeCard: () => charging });
  await redrive(letter);

  // Postgres refuses the record of the reset, so the child dies between the reset and its record.
  await ledger().query(`create function escapement.no_record() returns trigger language plpgsql as
    $$ begin if new.redrive ? 'carriedOutAt' then raise 'not yet'; end if; return new; end $$`);
  await ledger().query(`create trigger no_record before update on escapement.letters
    for each row execute function escapement.no_record()`);
  const instant = new Date(ledger().clock.now()).toISOString();
  const child = runScript('test/support/processes/crash-child.ts', [
    ledger().databaseUrl,
    inject('temporalAddress'),
    instant,
  ]);
  await child.line(/^ready/);
  child.write('redrive');
  await child.line(/^done redrive/);
  child.kill('SIGKILL');
  expect(await child.ended()).toMatchObject({ signal: 'SIGKILL' });
  await ledger().query('drop function escapement.no_record() cascade');
  await runsOf(workflowId, 2);
  expect(await answer(scheduleId)).toBe('03-01T01:00:00 schedule linked');
  if (failsAgain) await expect(deployments().client.workflow.getHandle(workflowId).result()).rejects.toThrow();

  expect(await trigger.passes.redrive()).toMatchObject({ taken: 0 });
  ledger().clock.advance(31_000);
  expect(await trigger.passes.reconcile()).toMatchObject({ anythingToRedrive: true });
  expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
  expect(await answer(scheduleId)).toBe('03-01T01:00:00 schedule linked');
  await trigger.passes.observe();
  expect(await onlyLetter()).toMatchObject({ state: failsAgain ? 'open' : 'redriving' });
  expect(await runsOf(workflowId, 2)).toHaveLength(2);
  charge();
  await deployments().deploy({});
}
