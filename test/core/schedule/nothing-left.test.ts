import { expect, it } from 'vitest';
import { hasNothingLeft } from '../../../core/decisions/nothing-left';

const answeredTo = new Date('2026-03-01T01:00:00Z');
const left = (spec: unknown, remainingActions: number | null = null, at = answeredTo) =>
  !hasNothingLeft({ scheduleId: 's', spec, answeredTo: at, remainingActions });
const hourly = { cron: '0 * * * *' };

it.each<[string, unknown]>([
  ['its one time is answered', { at: '2026-03-01T01:00:00Z' }],
  ['its end has come', { ...hourly, endAt: '2026-03-01T01:59:59Z' }],
  ['it has no times', {}],
])('has nothing left if %s', (_, spec) => {
  expect(left(spec)).toBe(false);
});

it('has nothing left without an action, whatever its times', () => {
  expect(left(hourly, 0)).toBe(false);
  expect(left(hourly, 1)).toBe(true);
  expect(left('damaged', 0)).toBe(false);
});

it.each<[string, unknown, Date]>([
  ['its next time is later', hourly, answeredTo],
  ['its one time has no answer yet', { at: '2026-03-01T01:00:00Z' }, new Date('2026-03-01T00:59:59.999Z')],
  ['its spec is not an object', 'damaged', answeredTo],
  ['its spec is missing', null, answeredTo],
  ['its spec cannot be read', { cron: 'never' }, answeredTo],
  ['its zone is unknown', { ...hourly, timezone: 'Mars/Olympus' }, answeredTo],
])('may have something left if %s', (_, spec, at) => {
  expect(left(spec, null, at)).toBe(true);
});
