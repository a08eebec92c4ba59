import type { TestWorkflowEnvironment, TimeSkippingTestWorkflowEnvironmentOptions } from '@temporalio/testing';
import { loadTesting } from './peers';

/**
 * How often the start is tried at most: the SDK gives a server five seconds, which a Java program on a busy machine may
 * exceed.
 */
const STARTS_AT_MOST = 12;

/**
 * Starts a time-skipping server. If the start fails it is tried again, since a busy machine may exceed the SDK's limit.
 */
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
