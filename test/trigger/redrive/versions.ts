import type { WorkerDeploymentVersion } from '@temporalio/common';
import { expect, vi } from 'vitest';
import { Steps, useParking } from '../../support/failures/parking';
import { uniqueName, useLedger } from '../../support/ledger';

/** Orders on workers of several builds. */
export function useVersions() {
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

  return { ledger, parking, versions, onlyLetter };
}
