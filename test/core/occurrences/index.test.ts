import { describe, expect, it } from 'vitest';
import { hashedMinute, nextOccurrences } from '../../../core/occurrences';
import { foundOne, STEPS_AT_MOST, spend, withinSteps } from '../../../core/occurrences/steps';
import type { ScheduleSpec } from '../../../core/schedule/spec';

const after = new Date('2026-03-01T00:00:00Z');
const times = (spec: ScheduleSpec, count: number, scheduleId?: string) =>
  nextOccurrences(spec, { after, count, scheduleId }).map((at) => at.toISOString().slice(0, 16));

describe('the next occurrences', () => {
  it.each([
    [0, []],
    [1, ['2026-03-01T02:00']],
    [3, ['2026-03-01T02:00', '2026-03-02T02:00', '2026-03-03T02:00']],
  ])('are as many as asked for: %d', (count, expected) => {
    expect(times({ cron: '0 2 * * *' }, count)).toEqual(expected);
  });
  it('are fewer if the spec ends, or has ended', () => {
    const at = ['2026-02-28T00:00:00Z', '2026-03-01T00:00:00Z', '2026-03-01T00:00:01Z', '2027-01-01T00:00:00Z'];
    expect(times({ at: at.map((iso) => new Date(iso)) }, 9)).toEqual(['2026-03-01T00:00', '2027-01-01T00:00']);
    expect(times({ at: new Date('2026-02-28T00:00:00Z') }, 9)).toEqual([]);
    expect(times({}, 9)).toEqual([]);
  });
  it('of H are those of the schedule’s ID, and are refused without one', () => {
    expect(times({ cron: 'H 2 * * *' }, 1, 'a')).not.toEqual(times({ cron: 'H 2 * * *' }, 1, 'b'));
    expect(() => times({ cron: 'H 2 * * *' }, 1)).toThrow('spec.cron: ');
  });
  it('may be a long list, since each that is found gives steps back', () => {
    // Each takes more than 300 steps, and all of them more than the budget.
    const intervals = Array.from({ length: 300 }, (_, n) => ({ every: 3_600_000, offset: n * 10_000 }));
    expect(times({ intervals }, 3_000)).toHaveLength(3_000);
  });
  it.each([
    [{ count: 1 }, 'after'],
    [{ after: new Date(Number.NaN), count: 1 }, 'after'],
    [{ after: '2026-03-01T00:00:00Z', count: 1 }, 'after'],
    [{ after }, 'count'],
    [{ after, count: -1 }, 'count'],
    [{ after, count: 1.5 }, 'count'],
    [{ after, count: 1, scheduleId: '' }, 'scheduleId'],
    [{ after, count: 1, scheduleID: 'a' }, 'scheduleID'],
    [{ after, count: 1, before: after }, 'before'],
    [undefined, 'options'],
  ])('are refused for the options %j, by their path', (options, path) => {
    expect(() => nextOccurrences({ cron: '0 2 * * *' }, options as never)).toThrow(
      expect.objectContaining({ name: 'InvalidOptionError', path }),
    );
  });
  it('are refused for a bad spec, by the path of its field', () => {
    const refused = expect.objectContaining({ name: 'InvalidScheduleError', path: 'spec.cron[1]' });
    expect(() => times({ cron: ['0 2 * * *', '0 25 * * *'] }, 1)).toThrow(refused);
  });
  it('take their steps from the evaluation that they are part of', () => {
    const list = () => {
      spend(STEPS_AT_MOST - 5);
      foundOne();
      return times({ cron: '0 2 29 2 *' }, 1);
    };
    expect(() => withinSteps('outer', list)).not.toThrow();
    const outer = () => {
      spend(STEPS_AT_MOST - 5);
      return times({ cron: '0 2 29 2 *' }, 1);
    };
    expect(() => withinSteps('outer', outer)).toThrow('takes too long');
  });
});

describe('the minute of H', () => {
  it.each(['nightly', 'hourly', 'größe', 'a'])('is the one at which the schedule %s fires', (scheduleId) => {
    const minute = Number(times({ cron: 'H * * * *' }, 1, scheduleId)[0]!.slice(-2));
    expect(hashedMinute(scheduleId)).toBe(minute);
  });
  it('is 34 for the ID nightly, by the documented hash', () => expect(hashedMinute('nightly')).toBe(34));
});
