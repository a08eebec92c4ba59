import { inject } from 'vitest';
import { TestScheduleEnvironment, type TestScheduleEnvironmentOptions } from '../../testing';
import { quietSdk } from './quiet-sdk';

/** An environment whose workflows run on a time-skipping server of its own. Of the SDK only errors are logged. */
export function realEnvironment(options: TestScheduleEnvironmentOptions): Promise<TestScheduleEnvironment> {
  quietSdk();
  return TestScheduleEnvironment.create({
    database: inject('databaseUrl'),
    testServerPath: inject('testServerPath'),
    ...options,
  });
}
