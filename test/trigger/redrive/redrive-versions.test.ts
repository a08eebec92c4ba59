import type { WorkerDeploymentVersion } from '@temporalio/common';
import { expect, inject, it, vi } from 'vitest';
import { Steps, useParking } from '../../support/failures/parking';
import { uniqueName, useLedger } from '../../support/ledger';
import { runCommand } from '../../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');
const parking = useParking(ledger);

/** A task queue with workers of several versions. Each run stays on the version with which it began. */
function versions() {
  const taskQueue = uniqueName('queue');
  const deploymentName = uniqueName('deployment');
  /** A worker of a build that becomes the current version for new runs. */
  const deploy = async (buildId: string, broken: string[]): Promise<WorkerDeploymentVersion> => {
    const steps = new Steps();
    for (const name of broken) steps.broken.add(name);
    const version = { deploymentName, buildId };
    await parking.work({
      ...{ taskQueue, activities: steps.activities, plugins: [parking.plugin()] },
      workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' },
    });
    // Not before the server has heard of it.
    await vi.waitFor(
      () => parking.client().workflowService.setWorkerDeploymentCurrentVersion({ namespace: 'default', ...version }),
      { timeout: 60_000 },
    );
    return version;
  };
  return { taskQueue, deploy };
}

async function onlyLetter(kind: 'parked' | 'workflow') {
  const [letter] = await parking.letters(1);
  expect(letter!.kind).toBe(kind);
  return letter!.letter_id as string;
}

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

it('a parked step of a pinned run is moved to the current build before it goes on, by the command too', async () => {
  const { taskQueue, deploy } = versions();
  await deploy('1', ['chargeCard']);
  const execution = await parking.fire('order', taskQueue);
  const letterId = await onlyLetter('parked');
  await deploy('2', []);
  const trigger = await ledger().trigger();
  const override = ['--versioning-override-behavior', 'auto_upgrade'];
  const environment = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: inject('temporalAddress') };
  expect(await runCommand(['dead-letter', 'redrive', letterId, ...override], environment)).toMatchObject({ code: 0 });
  // The command goes by the database's clock.
  ledger().clock.set(new Date(Date.now() + 60_000).toISOString());
  expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
  expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
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
