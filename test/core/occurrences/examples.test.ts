import { describe, expect, it } from 'vitest';
import { compileSpec, nextOccurrences } from '../../../core/occurrences';
import type { ScheduleSpec } from '../../../core/schedule/spec';
import { documentedHash } from './cron/documented-hash';

function next(spec: ScheduleSpec, after: string, count = 3, scheduleId?: string): string[] {
  return nextOccurrences(spec, { after: new Date(after), count, scheduleId }).map((date) =>
    date.toISOString().replace(/:00\.000Z$|\.000Z$/, 'Z'),
  );
}

describe('spec.cron', () => {
  it('takes 5 fields, 6 with leading seconds, 7 with trailing year', () => {
    expect(next({ cron: '5 4 * * *' }, '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T04:05Z']);
    expect(next({ cron: '30 5 4 * * *' }, '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T04:05:30Z']);
    expect(next({ cron: '0 5 4 1 1 * 2030-2040/5' }, '2026-01-01T00:00:00Z', 4)).toEqual([
      '2030-01-01T04:05Z',
      '2035-01-01T04:05Z',
      '2040-01-01T04:05Z',
    ]);
  });
  it('is exclusive of after, to the millisecond', () => {
    expect(next({ cron: '0 0 * * *' }, '2026-01-01T00:00:00.000Z', 1)).toEqual(['2026-01-02T00:00Z']);
    expect(next({ cron: '0 0 * * *' }, '2025-12-31T23:59:59.999Z', 1)).toEqual(['2026-01-01T00:00Z']);
  });
  it('knows last days, last weekdays and weekdays by number, also in lists', () => {
    expect(next({ cron: '0 0 L * *' }, '2028-01-31T00:00:00Z', 2)).toEqual(['2028-02-29T00:00Z', '2028-03-31T00:00Z']);
    expect(next({ cron: '0 0 * * FRIL' }, '2026-01-01T00:00:00Z', 2)).toEqual([
      '2026-01-30T00:00Z',
      '2026-02-27T00:00Z',
    ]);
    expect(next({ cron: '0 0 * * MON#1,5#3' }, '2026-01-01T00:00:00Z', 3)).toEqual([
      '2026-01-05T00:00Z',
      '2026-01-16T00:00Z',
      '2026-02-02T00:00Z',
    ]);
  });
  it('wraps ranges around and takes whole names', () => {
    expect(next({ cron: '0 22-1 * * *' }, '2026-01-01T12:00:00Z', 4)).toEqual([
      '2026-01-01T22:00Z',
      '2026-01-01T23:00Z',
      '2026-01-02T00:00Z',
      '2026-01-02T01:00Z',
    ]);
    expect(next({ cron: '0 0 * november-Feb Friday-mon' }, '2026-02-27T12:00:00Z', 3)).toEqual([
      '2026-02-28T00:00Z',
      '2026-11-01T00:00Z',
      '2026-11-02T00:00Z',
    ]);
  });
  it('takes an open end of a step in day-of-week to Saturday', () => {
    expect(next({ cron: '0 0 * * Mon/2' }, '2026-01-04T00:00:00Z', 4)).toEqual([
      '2026-01-05T00:00Z',
      '2026-01-07T00:00Z',
      '2026-01-09T00:00Z',
      '2026-01-12T00:00Z',
    ]);
  });
  it('joins several expressions, each instant once', () => {
    expect(next({ cron: ['0 * * * *', '*/30 1 * * *'] }, '2026-01-01T00:00:00Z', 4)).toEqual([
      '2026-01-01T01:00Z',
      '2026-01-01T01:30Z',
      '2026-01-01T02:00Z',
      '2026-01-01T03:00Z',
    ]);
  });
  it('gives H the documented value by schedule ID, which never changes', () => {
    expect(next({ cron: 'H H * * *' }, '2026-01-01T00:00:00Z', 1, 'nightly')).toEqual(['2026-01-01T18:34Z']);
    expect([documentedHash('nightly\nhour') % 24, documentedHash('nightly\nminute') % 60]).toEqual([18, 34]);
    const first = documentedHash('größe\nminute') % 20;
    const hour = 9 + (documentedHash('größe\nhour') % 9);
    const day = 1 + (documentedHash('größe\ndayOfMonth') % 28);
    expect(next({ cron: 'H/20 H(9-17) H * *' }, '2026-01-01T00:00:00Z', 3, 'größe')).toEqual(
      [first, first + 20, first + 40].map((minute) =>
        new Date(Date.UTC(2026, 0, day, hour, minute)).toISOString().replace(':00.000', ''),
      ),
    );
  });
  it('spreads a thousand schedules with H over all minutes', () => {
    const minutes = new Set(
      Array.from({ length: 1000 }, (_, i) => next({ cron: 'H * * * *' }, '2026-01-01T00:00:00Z', 1, `job-${i}`)[0]),
    );
    expect(minutes.size).toBe(60);
  });
});

describe('spec.dst', () => {
  const berlin = (cron: string, dst: 'ONCE' | 'LITERAL') => ({ cron, dst, timezone: 'Europe/Berlin' });
  it('ONCE fires in the missing hour right after it, and once in the repeated one', () => {
    expect(next(berlin('30 2 * * *', 'ONCE'), '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ]);
    expect(next(berlin('0,30 2 * * *', 'ONCE'), '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:00Z',
    ]);
    expect(next(berlin('30 2 * * *', 'ONCE'), '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
  });
  it('LITERAL skips in the missing hour and fires twice in the repeated one', () => {
    expect(next(berlin('30 2 * * *', 'LITERAL'), '2026-03-28T12:00:00Z', 1)).toEqual(['2026-03-30T00:30Z']);
    expect(next(berlin('30 2 * * *', 'LITERAL'), '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-25T01:30Z',
    ]);
  });
  it('ONCE keeps a cadence in real time', () => {
    expect(next(berlin('*/30 * * * *', 'ONCE'), '2026-03-29T00:00:00Z', 3)).toEqual([
      '2026-03-29T00:30Z',
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
    ]);
    const repeated = next(berlin('0 * * * *', 'ONCE'), '2026-10-24T23:00:00Z', 4);
    expect(repeated).toEqual(['2026-10-25T00:00Z', '2026-10-25T01:00Z', '2026-10-25T02:00Z', '2026-10-25T03:00Z']);
  });
  it("handles Lord Howe's half hour and Apia's missing day", () => {
    const howe = { cron: '15 2 * * *', timezone: 'Australia/Lord_Howe' };
    expect(next(howe, '2026-10-03T10:00:00Z', 2)).toEqual(['2026-10-03T15:30Z', '2026-10-04T15:15Z']);
    const apia = { cron: '0 9 * * *', timezone: 'Pacific/Apia' };
    expect(next(apia, '2011-12-29T12:00:00Z', 3)).toEqual([
      '2011-12-29T19:00Z',
      '2011-12-30T10:00Z',
      '2011-12-30T19:00Z',
    ]);
  });
});

describe('jitter', () => {
  const spec: ScheduleSpec = { cron: '0 0 * * *', jitter: '10 minutes' };
  it('delays a start, always by the same, within its bound; the nominal time stays', () => {
    const compiled = compileSpec(spec, { scheduleId: 'a' });
    const delays = Array.from({ length: 200 }, (_, day) => {
      const nominal = Date.UTC(2026, 0, 1 + day);
      return compiled.startTime(nominal) - nominal;
    });
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(600_000);
    expect(new Set(delays).size).toBeGreaterThan(190);
    expect(compiled.startTime(Date.UTC(2026, 0, 1))).toBe(
      compileSpec(spec, { scheduleId: 'a' }).startTime(Date.UTC(2026, 0, 1)),
    );
    expect(compiled.startTime(Date.UTC(2026, 0, 1))).not.toBe(
      compileSpec(spec, { scheduleId: 'b' }).startTime(Date.UTC(2026, 0, 1)),
    );
    expect(next(spec, '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-02T00:00Z']);
  });
  it('never reaches the nominal time that follows, skipped or not', () => {
    const dense = compileSpec({ intervals: [{ every: '1m' }], jitter: '1h' });
    for (let minute = 0; minute < 200; minute++) {
      expect(dense.startTime(Date.UTC(2026, 0, 1, 0, minute)) - Date.UTC(2026, 0, 1, 0, minute)).toBeLessThan(60_000);
    }
    const skipping = compileSpec({
      intervals: [{ every: '1m' }],
      jitter: '1h',
      skip: [{ minute: { start: 1, end: 59, step: 1 }, hour: '*' }],
    });
    expect(skipping.startTime(Date.UTC(2026, 0, 1)) - Date.UTC(2026, 0, 1)).toBeLessThan(60_000);
  });
  it('is the documented hash', () => {
    const nominal = Date.UTC(2026, 0, 1);
    const delay = Math.floor((documentedHash(`${nominal / 1000}\nnightly`) * 3_600_000) / 2 ** 32);
    expect(delay).toBe(470_111);
    expect(compileSpec({ cron: '0 0 * * *', jitter: '1h' }, { scheduleId: 'nightly' }).startTime(nominal)).toBe(
      nominal + delay,
    );
  });
});
