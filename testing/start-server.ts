import type { TestWorkflowEnvironment, TimeSkippingTestWorkflowEnvironmentOptions } from '@temporalio/testing';
import { loadTesting } from './peers';

const STARTS_AT_MOST = 12;

/** On a busy machine the server may exceed the SDK's time limit. The start is then tried again. */
export async function startSkippingServer(
  executablePath: string,
  plugins?: TimeSkippingTestWorkflowEnvironmentOptions['plugins'],
): Promise<TestWorkflowEnvironment> {
  const { TestWorkflowEnvironment } = loadTesting();
  for (let start = 1; ; start++) {
    try {
      return await TestWorkflowEnvironment.createTimeSkipping({
        server: { executable: { type: 'existing-path', path: executablePath } },
        ...(plugins ? { plugins } : {}),
      });
    } catch (error) {
      if (start === STARTS_AT_MOST || !/did not start within/.test(String(error))) throw error;
    }
  }
}
