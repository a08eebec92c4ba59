import { expect } from 'vitest';
import { InvalidScheduleError } from '../../core/errors';

/** The error by which a schedule is refused. The test fails if it is not refused, or by another error. */
export function refusalBy(work: () => unknown): InvalidScheduleError {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidScheduleError);
    return error as InvalidScheduleError;
  }
  return expect.unreachable('was not refused');
}
