import { describe, expect, it } from 'vitest';
import { compileSpec } from '../../core/occurrences/compile';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { zoneOf } from '../../core/spec-zone';

describe('a spec', () => {
  it.each([
    ['endAt', 8.64e15],
    ['startAt', -8.64e15],
    ['startAt', Date.UTC(-1, 0)],
  ])('whose %s is the instant %d is evaluated from JSON as well', (field, time) => {
    const spec = JSON.parse(JSON.stringify({ cron: '0 2 * * *', [field]: new Date(time) }));
    const after = Date.UTC(2026, 0);
    expect(compileSpec(spec).next(after)).toBe(compileSpec({ cron: '0 2 * * *' }).next(after));
  });

  it.each(['2026-02-30T09:00:00Z', '2027-02-29T09:00:00+01:00', '2026-13-01T09:00:00Z', '2026-04-31T09:00Z'])(
    'is refused for %s, which is not a date',
    (text) => {
      for (const [field, path] of [
        ['at', 'spec.at'],
        ['startAt', 'spec.startAt'],
        ['endAt', 'spec.endAt'],
      ]) {
        const spec = { cron: '0 2 * * *', [field!]: text } as unknown as ScheduleSpec;
        expect(() => compileSpec(spec)).toThrow(expect.objectContaining({ name: 'InvalidScheduleError', path }));
      }
    },
  );

  it.each([
    ['UTC', { cron: '0 2 * * *' }],
    ['Asia/Tokyo', { cronExpressions: ['CRON_TZ=Asia/Tokyo 0 12 * * *'] }],
    ['Asia/Tokyo', { cronExpressions: 'CRON_TZ=Asia/Tokyo 0 12 * * *' }],
    ['UTC', { cronExpressions: ['no expression'] }],
    ['Europe/Berlin', { cron: '0 2 * * *', timezone: 'Europe/Berlin' }],
  ])('is read in %s: %j', (zone, spec) => {
    expect(zoneOf(spec as ScheduleSpec)).toBe(zone);
  });
});
