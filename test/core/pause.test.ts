import { describe, expect, it } from 'vitest';
import { isPausedAt, isPauseOver, pausedThrough, planAfterPause } from '../../core/decisions/pause';
import { compileSpec } from '../../core/occurrences';

const MINUTE = 60_000;
const EPOCH = Date.parse('2026-03-01T00:00:00Z');
const at = (minute: number) => EPOCH + minute * MINUTE;
const everyMinute = compileSpec({ cron: '* * * * *' });
const jittered = compileSpec({ cron: '* * * * *', jitter: '59 seconds' }, { scheduleId: 'jittered' });
/** The start of the jittered occurrence of minute 10, which lies within that minute. */
const START = jittered.startTime(at(10));

describe('a pause', () => {
  it.each<[string, boolean, number | null, { over: boolean; paused: boolean }]>([
    ['without an end lasts', true, null, { over: false, paused: true }],
    ['lasts until just before its end', true, at(5) + 1, { over: false, paused: true }],
    ['is over at its end', true, at(5), { over: true, paused: false }],
    ['is over after its end, though nobody has recorded that', true, at(5) - 1, { over: true, paused: false }],
    ['that is not in force does not end', false, at(5) - 1, { over: false, paused: false }],
    ['that is not in force is none, whatever end is left of it', false, at(5) + 1, { over: false, paused: false }],
    ['that never was is none', false, null, { over: false, paused: false }],
  ])('%s', (_, paused, until, { over, paused: isPaused }) => {
    const schedule = { paused, pausedUntil: until === null ? null : new Date(until) };
    expect(isPauseOver(schedule, at(5))).toBe(over);
    expect(isPausedAt(schedule, at(5))).toBe(isPaused);
  });
});

describe('what a pause covers', () => {
  it('ends before the occurrence at the end of the pause', () => {
    expect(pausedThrough(everyMinute, at(0), new Date(at(10)))).toBe(at(10) - 1);
    expect(pausedThrough(everyMinute, at(0), new Date(at(10) + 1))).toBe(at(10));
  });

  it('counts starts, jitter included: an occurrence that starts at the end of the pause is not covered', () => {
    expect(START).toBeGreaterThan(at(10) + 1);
    expect(pausedThrough(jittered, at(0), new Date(START))).toBe(at(10) - 1);
    expect(pausedThrough(jittered, at(0), new Date(START + 1))).toBe(START);
  });

  it('is nothing where the occurrences were answered further than that', () => {
    expect(pausedThrough(everyMinute, at(12), new Date(at(10)))).toBe(at(12));
  });
});

describe('the plan after a pause', () => {
  const input = { answeredTo: at(0), catchupWindowMilliseconds: 60 * MINUTE, catchupLimit: 100, firingsAtMost: 100 };
  const plan = (minute: number, options: Partial<typeof input> = {}, spec = everyMinute) =>
    planAfterPause(spec, new Date(at(10)), [], { ...input, now: at(minute), ...options });
  const minutesOf = ({ firings }: ReturnType<typeof plan>) =>
    firings.map(({ scheduledTime }) => (scheduledTime - EPOCH) / MINUTE);

  it('records what would have started in the pause by a gap, and fires what starts at its end', () => {
    const woken = plan(10);
    expect(woken.gaps).toEqual([{ from: at(1), to: at(9), count: 9, reason: 'paused' }]);
    expect(woken.firings).toEqual([{ scheduledTime: at(10), kind: 'schedule' }]);
    expect(woken).toMatchObject({ answeredTo: at(10), nextFireAt: at(11), wakeAt: at(11), isCut: false });
  });

  it('catches up what no trigger was alive for after the end of the pause, by the policies of the schedule', () => {
    const late = plan(15, { catchupLimit: 3 });
    expect(late.gaps).toEqual([
      { from: at(1), to: at(9), count: 9, reason: 'paused' },
      { from: at(10), to: at(12), count: 3, reason: 'over_catchup_limit' },
    ]);
    expect(minutesOf(late)).toEqual([13, 14, 15]);
  });

  it('records no gap where nothing would have started in the pause', () => {
    const quiet = plan(11, { answeredTo: at(10) - 1 });
    expect(quiet.gaps).toEqual([]);
    expect(minutesOf(quiet)).toEqual([10, 11]);
  });

  it('answers nothing again that was answered before the pause had ended', () => {
    const ahead = plan(13, { answeredTo: at(12) });
    expect(ahead.gaps).toEqual([]);
    expect(minutesOf(ahead)).toEqual([13]);
  });

  it('fires an occurrence of the pause whose jitter ends after it', () => {
    const start = jittered.startTime(at(9));
    const woken = planAfterPause(jittered, new Date(start), [], { ...input, answeredTo: at(7), now: start });
    expect(woken.gaps).toEqual([{ from: at(8), to: at(8), count: 1, reason: 'paused' }]);
    expect(woken.firings).toEqual([{ scheduledTime: at(9), kind: 'schedule' }]);
  });

  it('keeps to a freeze that goes on when the pause ends', () => {
    const freeze = { freezeId: 'f', from: at(5), to: at(20), catchUp: 'ALL' as const };
    const within = planAfterPause(everyMinute, new Date(at(10)), [freeze], { ...input, now: at(12) });
    expect(within.gaps).toEqual([{ from: at(1), to: at(9), count: 9, reason: 'paused' }]);
    expect(within).toMatchObject({ firings: [], answeredTo: at(10) - 1, frozenUntil: at(20) });
    const after = planAfterPause(everyMinute, new Date(at(10)), [freeze], { ...input, now: at(20) });
    expect(minutesOf(after)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  });
});
