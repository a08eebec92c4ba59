import { expect, it } from 'vitest';
import { formOf, nextOccurrences } from '../../../core/occurrences';
import type { ScheduleSpec } from '../../../core/schedule/spec';

const after = new Date('2026-03-01T00:00:00Z');
const timesOf = (spec: ScheduleSpec, scheduleId: string) =>
  nextOccurrences(spec, { after, count: 20, scheduleId }).map((at) => at.toISOString());

it('schedules of one form fire at the same times, also where H spreads them by their IDs', () => {
  const spec: ScheduleSpec = { cron: ['H H(0-1) * * *', '0 12 * * 1'], timezone: 'Europe/Berlin' };
  const byForm = new Map<string, string[]>();
  let shared = 0;
  for (let n = 0; n < 300; n++) {
    const form = formOf(spec, `job-${n}`);
    const times = timesOf(spec, `job-${n}`);
    if (byForm.has(form)) shared++;
    expect(byForm.get(form) ?? times).toEqual(times);
    byForm.set(form, times);
  }
  // 300 schedules use at most 120 different minutes. Different times are different forms.
  expect(shared).toBeGreaterThan(180);
  expect(new Set([...byForm.values()].map((times) => times.join())).size).toBe(byForm.size);
});

it('jitter makes no other form, since it moves no nominal time; a zone, a bound and a skip do', () => {
  const spec: ScheduleSpec = { cron: '0 2 * * *' };
  const form = formOf(spec, 'a');
  expect(formOf({ ...spec, jitter: '1 minute' }, 'b')).toBe(form);
  const others: ScheduleSpec[] = [
    { ...spec, timezone: 'Asia/Tokyo' },
    { ...spec, startAt: after },
    { ...spec, skip: [{ hour: 2 }] },
    { cron: 'H 2 * * *' },
  ];
  expect(new Set([form, ...others.map((other) => formOf(other, 'a'))]).size).toBe(5);
});

it('parts that differ make another form, also with H', () => {
  const spec: ScheduleSpec = { cron: 'H 2 * * *', timezone: 'Europe/Berlin' };
  const others: ScheduleSpec[] = [
    { ...spec, cron: 'H 3 * * *' },
    { ...spec, cron: ['H 2 * * *', '0 5 * * *'] },
    { ...spec, timezone: 'Asia/Tokyo' },
    { ...spec, endAt: after },
    { ...spec, skip: [{ hour: 2 }] },
  ];
  expect(new Set([spec, ...others].map((one) => formOf(one, 'a'))).size).toBe(6);
  expect(formOf({ ...spec, jitter: '1 minute' }, 'a')).toBe(formOf(spec, 'a'));
});

it.each<ScheduleSpec>([
  { cron: '0 2 * * *', startAt: after },
  { cron: 'H 2 * * *', startAt: after },
])('a spec has the same form from code and from JSON: %j', (spec) => {
  expect(formOf(JSON.parse(JSON.stringify(spec)), 'a')).toBe(formOf(spec, 'a'));
});

it('only a spec with H is read, and refused with its path if it cannot be', () => {
  expect(formOf({ cron: 'x 2 * * *' }, 'a')).toBe(formOf({ cron: 'x 2 * * *' }, 'b'));
  expect(() => formOf({ cron: ['H 2 * * *', 'x 2 * * *'] }, 'a')).toThrow('spec.cron[1]: minute "x"');
});
