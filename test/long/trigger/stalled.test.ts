import { expect, it } from 'vitest';
import { useStarted } from '../../trigger/observe/started';

const { started } = useStarted();

it('a running chain is shown as stalled when its task fails again and again', async () => {
  const { observe, execution } = await started('noSuchWorkflow');
  await expect.poll(async () => (await observe()).stalled, { timeout: 60_000 }).toBe('task_failing');
  await execution.terminate();
});
