import { describe, expect, it } from 'vitest';
import { isManual, TIMES } from '../../../../core/occurrences/manual';
import type { ScheduleSpec } from '../../../../core/schedule/spec';

describe('a spec is one without times', () => {
  it.each<[ScheduleSpec]>([
    [{}],
    [{ timezone: 'Europe/Berlin', jitter: '1 minute' }],
    [{ skip: [{ hour: 9 }], startAt: new Date(0) }],
    [{ cron: [] }],
    [{ at: [] }],
    [{ cronExpressions: [] }],
    [{ calendars: [] }],
    [{ intervals: [] }],
    [{ cron: [], at: [], cronExpressions: [], calendars: [], intervals: [] }],
  ])('if all its lists are missing or empty: %j', (spec) => {
    expect(isManual(spec)).toBe(true);
  });
});

describe('a spec is one with times', () => {
  it.each<[ScheduleSpec]>([
    [{ cron: '0 2 * * *' }],
    [{ cron: ['0 2 * * *'] }],
    [{ cron: '' }],
    [{ at: new Date(0) }],
    [{ at: [new Date(0)] }],
    [{ cronExpressions: ['0 2 * * *'] }],
    [{ calendars: [{}] }],
    [{ intervals: [{ every: '1h' }] }],
    [{ cron: [], intervals: [{ every: '1h' }] }],
  ])('if one of them is given: %j', (spec) => {
    expect(isManual(spec)).toBe(false);
  });
  it.each(TIMES)('if %s is present without a value, as from an unset variable', (part) => {
    expect(isManual({ [part]: undefined })).toBe(false);
    expect(isManual({ [part]: null } as unknown as ScheduleSpec)).toBe(false);
  });
});
