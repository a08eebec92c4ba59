import { expect, it } from 'vitest';
import { useVersions } from '../../trigger/redrive/versions';

const { ledger, parking, versions, onlyLetter } = useVersions();

it('a pinned run stays on its build when its letter is redriven, and is moved to the mend by an override', async () => {
  const { taskQueue, deploy } = versions();
  const old = await deploy('1', ['sendMail']);
  const execution = await parking.fire('order', taskQueue);
  const trigger = await ledger().trigger();
  const observed = async () => {
    await execution.result().catch(() => {});
    ledger().clock.advance(60_000);
    await trigger.passes.observe();
  };
  await observed();
  const mended = await deploy('2', []);
  const letterId = await onlyLetter('workflow');

  await ledger().client.deadLetters.redrive(letterId);
  expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
  await observed();
  expect(await ledger().client.deadLetters.get(letterId)).toMatchObject({ state: 'open' });

  await ledger().client.deadLetters.redrive(letterId, { versioningOverride: { pinnedTo: mended } });
  expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
  await observed();
  expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  expect(await ledger().client.deadLetters.get(letterId)).toMatchObject({
    state: 'resolved',
    redrive: { versioningOverride: { pinnedTo: mended } },
  });
  expect(old).not.toEqual(mended);
});

it('a restart begins on the build that it is pinned to, though another one is current', async () => {
  const { taskQueue, deploy } = versions();
  const old = await deploy('1', []);
  await deploy('2', ['sendMail']);
  const failed = await parking.fire('order', taskQueue);
  await failed.result().catch(() => {});
  const trigger = await ledger().trigger();
  ledger().clock.advance(60_000);
  await trigger.passes.observe();
  const letterId = await onlyLetter('workflow');
  await ledger().client.deadLetters.redrive(letterId, { mode: 'restart', versioningOverride: { pinnedTo: old } });
  expect(await trigger.passes.redrive()).toMatchObject({ restarted: 1 });
  await trigger.passes.dispatch();
  const { workflowId } = await ledger().client.deadLetters.get(letterId);
  expect(await parking.client().workflow.getHandle(workflowId!).result()).toEqual(['chargeCard A1', 'sendMail A1']);
});
