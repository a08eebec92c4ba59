import { afterEach, beforeEach, inject } from 'vitest';
import { TestScheduleEnvironment } from '../../testing';

/** One {@link TestScheduleEnvironment} of doubles per test of the file. */
export function useEnvironment(startTime = '2026-03-01T00:30:00Z'): () => TestScheduleEnvironment {
  let env: TestScheduleEnvironment;
  beforeEach(async () => {
    env = await TestScheduleEnvironment.create({ database: inject('databaseUrl'), startTime });
  });
  afterEach(() => env.teardown());
  return () => env;
}
