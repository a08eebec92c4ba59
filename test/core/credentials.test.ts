import { describe, expect, it } from 'vitest';
import { isCredentials } from '../../core/credentials';

describe('a namespace that is away', () => {
  it.each([
    ['UNAUTHENTICATED', true],
    ['PERMISSION_DENIED', true],
    ['UNAVAILABLE', false],
    [undefined, false],
  ])('with the status %s refuses the credentials: %s', (status, isRefused) => {
    expect(isCredentials({ status })).toBe(isRefused);
  });
});
