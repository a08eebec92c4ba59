import { describe, expect, it } from 'vitest';
import { parseRetry, type RetryShape } from '../../../core/definition/retry';
import { InvalidScheduleError } from '../../../core/errors';

describe('a retry policy', () => {
  it('is none if none was given', () => {
    expect(parseRetry(undefined)).toBeUndefined();
  });

  it.each<[string, RetryShape, object]>([
    ['an empty one stays empty', {}, {}],
    [
      'durations are in milliseconds',
      { initialInterval: '2s', maximumInterval: '1 minute' },
      { initialInterval: 2_000, maximumInterval: 60_000 },
    ],
    ['a duration may be a number', { initialInterval: 1_500 }, { initialInterval: 1_500 }],
    ['one attempt means no retries', { maximumAttempts: 1 }, { maximumAttempts: 1 }],
    ['several attempts are kept', { maximumAttempts: 7 }, { maximumAttempts: 7 }],
    ['Infinity, Temporal’s default, is left out', { maximumAttempts: Number.POSITIVE_INFINITY }, {}],
    ['0 attempts, as describe returns, are left out', { maximumAttempts: 0 }, {}],
    ['the least coefficient is kept', { backoffCoefficient: 1 }, { backoffCoefficient: 1 }],
    ['a coefficient is kept', { backoffCoefficient: 2.5 }, { backoffCoefficient: 2.5 }],
    ['a coefficient of 0, as describe returns, is left out', { backoffCoefficient: 0 }, {}],
    ['the other fields are kept', { nonRetryableErrorTypes: ['Bad'] }, { nonRetryableErrorTypes: ['Bad'] }],
    [
      'undefined fields are left out',
      {
        initialInterval: undefined,
        maximumInterval: undefined,
        maximumAttempts: undefined,
        backoffCoefficient: undefined,
      } as never,
      {},
    ],
  ])('is plain JSON: %s', (_, given, stored) => {
    expect(parseRetry(given)).toStrictEqual(stored);
  });

  it.each<[string, RetryShape]>([
    ['as long as a given initial one', { initialInterval: '2s', maximumInterval: '2s' }],
    ['above an initial one below the default', { initialInterval: 500, maximumInterval: 700 }],
    ['a second, as long as the default initial one', { maximumInterval: '1s' }],
  ])('may have a maximum interval %s', (_, given) => {
    expect(parseRetry(given)).toHaveProperty('maximumInterval');
  });

  it('may have any initial interval without a maximum one', () => {
    expect(parseRetry({ initialInterval: '30 days' })).toStrictEqual({ initialInterval: 2_592_000_000 });
  });

  it.each<[string, RetryShape]>([
    ['less than a given initial one', { initialInterval: '2s', maximumInterval: 1_999 }],
    ['less than a second, the default initial one', { maximumInterval: 999 }],
  ])('is refused with a maximum interval %s', (_, given) => {
    const attempt = () => parseRetry(given);
    expect(attempt).toThrow(InvalidScheduleError);
    expect(attempt).toThrow('action.retry.maximumInterval: is less than initialInterval (1 second by default)');
  });

  it.each<[keyof RetryShape]>([['initialInterval'], ['maximumInterval']])(
    'is refused by the path of a bad %s',
    (field) => {
      expect(() => parseRetry({ [field]: 'often' })).toThrow(`action.retry.${field}: 'often' is not a duration`);
      expect(() => parseRetry({ [field]: 0 })).toThrow(`action.retry.${field}: '0' is not a duration`);
    },
  );
});
