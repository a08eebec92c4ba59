import { expect, it, onTestFinished, vi } from 'vitest';
import { now, setServerTime } from '../../../server/dashboard/time/clock';

it('the page’s clock advances while the server is down, although the last answer is shown again and again', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T00:00:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  setServerTime('2026-03-01T01:00:00Z');
  expect(now()).toBe(Date.parse('2026-03-01T01:00:00Z'));
  vi.setSystemTime('2026-03-01T00:05:00Z');
  setServerTime('2026-03-01T01:00:00Z');
  expect(now()).toBe(Date.parse('2026-03-01T01:05:00Z'));
  // The browser's clock was set right meanwhile.
  vi.setSystemTime('2026-03-01T01:06:00Z');
  setServerTime('2026-03-01T01:06:00Z');
  expect(now()).toBe(Date.parse('2026-03-01T01:06:00Z'));
});
