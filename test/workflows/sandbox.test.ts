import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { expect, it } from 'vitest';

it.each(['../../workflows/index.ts', '../../core/define.ts'])('%s bundles for the workflow sandbox', async (entry) => {
  const logger = new DefaultLogger('ERROR');
  const { code } = await bundleWorkflowCode({ workflowsPath: require.resolve(entry), logger });
  expect(code).toContain(entry.includes('define') ? 'defineSchedule' : 'currentFiring');
});
