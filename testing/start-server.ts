import type { TestWorkflowEnvironment, TimeSkippingTestWorkflowEnvironmentOptions } from '@temporalio/testing';
import { loadTesting } from './peers';

/** The SDK gives a server five seconds for its start, which a Java program on a busy machine may exceed. */
const STARTS_AT_MOST = 12;

/** Start a time-skipping server. Try again, since a busy machine may exceed the SDK's limit. */
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
