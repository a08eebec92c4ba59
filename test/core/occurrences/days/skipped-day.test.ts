import { describe, expect, it } from 'vitest';
import { skippedDayOf, withoutDays } from '../../../../core/occurrences/days/skipped-day';
import type { ScheduleSpec } from '../../../../core/schedule/spec';

const of = (spec: ScheduleSpec, time: string) => skippedDayOf(spec, Date.parse(time));

const calendarDays = {
  xmas: '2026-12-25  2026-12-26',
  germany: '2026-12-26 2026-05-01 2026-12-25',
  trading: '2026-12-28',
};

describe('the rule that leaves out an instant', () => {
  it('is skipDays with each entry that has its day, in the order of the list', () => {
    const spec = { skipDays: ['germany', '2026-12-31', '2026-12-26', 'trading', 'xmas'], calendarDays };
    expect(of(spec, '2026-12-26T12:00:00Z')).toEqual({
      part: 'skipDays',
      entries: ['germany', '2026-12-26', 'xmas'],
    });
    expect(of(spec, '2026-12-31T12:00:00Z')).toEqual({ part: 'skipDays', entries: ['2026-12-31'] });
    expect(of(spec, '2026-05-01T12:00:00Z')).toEqual({ part: 'skipDays', entries: ['germany'] });
  });

  it('is onlyDays with all its entries, none of which has the day', () => {
    const spec = { onlyDays: ['trading', '2026-12-24'], calendarDays };
    expect(of(spec, '2026-12-25T12:00:00Z')).toEqual({ part: 'onlyDays', entries: ['trading', '2026-12-24'] });
  });

  it.each(['2026-12-24T12:00:00Z', '2026-12-28T12:00:00Z'])(
    'is none where one entry of onlyDays has the day: %s',
    (time) => {
      expect(of({ onlyDays: ['trading', '2026-12-24'], calendarDays }, time)).toBeUndefined();
    },
  );

  it('is skipDays where both rules leave it out', () => {
    const spec = { onlyDays: ['trading'], skipDays: ['xmas'], calendarDays };
    expect(of(spec, '2026-12-25T12:00:00Z')).toEqual({ part: 'skipDays', entries: ['xmas'] });
    expect(of(spec, '2026-12-27T12:00:00Z')).toEqual({ part: 'onlyDays', entries: ['trading'] });
    expect(of(spec, '2026-12-28T12:00:00Z')).toBeUndefined();
  });

  it('is skipDays also on a day of onlyDays', () => {
    const spec = { onlyDays: ['2026-12-25'], skipDays: ['2026-12-25'] };
    expect(of(spec, '2026-12-25T12:00:00Z')).toEqual({ part: 'skipDays', entries: ['2026-12-25'] });
  });

  it.each<[string, ScheduleSpec]>([
    ['has no days', { cron: '0 2 * * *' }],
    ['has an empty list', { skipDays: [] }],
    ['skips another day', { skipDays: ['2026-12-24', 'trading'], calendarDays }],
    ['has calendars that no rule names', { calendarDays }],
  ])('is none where the spec %s', (_, spec) => {
    expect(of(spec, '2026-12-25T12:00:00Z')).toBeUndefined();
  });

  it('may be one entry without a list', () => {
    const spec = { skipDays: '2026-12-25' } as unknown as ScheduleSpec;
    expect(of(spec, '2026-12-25T12:00:00Z')).toEqual({ part: 'skipDays', entries: ['2026-12-25'] });
  });

  it('takes a calendar whose days are not known as one without days', () => {
    expect(of({ skipDays: ['gone'] }, '2026-12-25T12:00:00Z')).toBeUndefined();
    expect(of({ skipDays: ['gone'], calendarDays }, '2026-12-25T12:00:00Z')).toBeUndefined();
    expect(of({ onlyDays: ['gone'] }, '2026-12-25T12:00:00Z')).toEqual({ part: 'onlyDays', entries: ['gone'] });
  });

  it.each<[zone: string | undefined, last: string, first: string, end: string, next: string]>([
    [undefined, '2026-12-24T23:59:59.999Z', '2026-12-25T00:00Z', '2026-12-25T23:59:59.999Z', '2026-12-26T00:00Z'],
    ['Asia/Tokyo', '2026-12-24T14:59:59.999Z', '2026-12-24T15:00Z', '2026-12-25T14:59:59.999Z', '2026-12-25T15:00Z'],
    [
      'America/New_York',
      '2026-12-25T04:59:59.999Z',
      '2026-12-25T05:00Z',
      '2026-12-26T04:59:59.999Z',
      '2026-12-26T05:00Z',
    ],
  ])(
    'goes by the day in the zone of the spec, from its first instant to its last: %s',
    (timezone, before, first, last, after) => {
      const spec = { skipDays: ['2026-12-25'], ...(timezone && { timezone }) };
      const skipped = { part: 'skipDays', entries: ['2026-12-25'] };
      expect([before, first, last, after].map((time) => of(spec, time))).toEqual([
        undefined,
        skipped,
        skipped,
        undefined,
      ]);
    },
  );

  it('goes by the zone that a cron expression of Temporal names', () => {
    const spec = { cronExpressions: ['CRON_TZ=Asia/Tokyo 0 8 * * *'], skipDays: ['2026-12-25'] };
    expect(of(spec, '2026-12-24T23:00:00Z')).toEqual({ part: 'skipDays', entries: ['2026-12-25'] });
    expect(of(spec, '2026-12-25T23:00:00Z')).toBeUndefined();
  });

  it('has both parts of a day that the clock goes back into', () => {
    // In Havana, 1 November 2026 begins at 04:00 UTC; one hour later its first hour begins again.
    const spec = { timezone: 'America/Havana', skipDays: ['2026-11-01'] };
    const skipped = { part: 'skipDays', entries: ['2026-11-01'] };
    expect(of(spec, '2026-11-01T03:59:59Z')).toBeUndefined();
    expect(of(spec, '2026-11-01T04:00:00Z')).toEqual(skipped);
    expect(of(spec, '2026-11-01T05:30:00Z')).toEqual(skipped);
    expect(of(spec, '2026-11-02T04:59:59Z')).toEqual(skipped);
    expect(of(spec, '2026-11-02T05:00:00Z')).toBeUndefined();
  });
});

describe('a spec without its days', () => {
  it('keeps everything else, and the spec itself stays as it was', () => {
    const spec = { cron: '0 2 * * *', timezone: 'Asia/Tokyo', skipDays: ['a'], onlyDays: ['b'], calendarDays };
    expect(withoutDays(spec)).toEqual({ cron: '0 2 * * *', timezone: 'Asia/Tokyo' });
    expect(spec).toHaveProperty('skipDays', ['a']);
  });
});
