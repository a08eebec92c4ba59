import { inject } from 'vitest';
import { TestScheduleEnvironment, type TestScheduleEnvironmentOptions } from '../../testing';
import { quietSdk } from './quiet-sdk';

/** An environment whose workflows run on its own time-skipping server. Only errors of the SDK are logged. */
export function realEnvironment(options: TestScheduleEnvironmentOptions): Promise<TestScheduleEnvironment> {
  quietSdk();
  return TestScheduleEnvironment.create({
    database: inject('databaseUrl'),
    testServerPath: inject('testServerPath'),
    ...options,
  });
}
