import { describe, expect, it } from 'vitest';
import { compileSpec } from '../../../core/occurrences';
import type { StartedTime } from '../../../moving/audit/classes';
import { type AuditedState, Classifier } from '../../../moving/audit/classify';
import { dueTimes, pair } from '../../../moving/audit/due-times';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NOW = 100 * MINUTE;
const RUNS = Number.POSITIVE_INFINITY;
const QUIET: AuditedState = {
  ...{ overlap: 'SKIP', stopped: undefined, lastStarted: undefined, changedAt: undefined, buffered: 0 },
};

const minute = (number: number) => ({ nominal: number * MINUTE, due: number * MINUTE });
const run = (number: number, seconds: number, length = 10 * SECOND): StartedTime => ({
  nominal: number * MINUTE,
  workflowId: `run-${number}`,
  start: number * MINUTE + seconds * SECOND,
  end: number * MINUTE + seconds * SECOND + length,
});

interface Played extends Partial<AuditedState> {
  started?: StartedTime[];
  held?: StartedTime[];
  rememberedFrom?: number;
}

/** Minutes of the clock, and what became of each. */
function classes(minutes: number[], { started = [], held = [], rememberedFrom = 0, ...state }: Played) {
  const clock = { now: NOW, lateAfter: 10 * SECOND, rememberedFrom };
  const classifier = new Classifier({ ...QUIET, ...state }, clock);
  classifier.holdFrom(held);
  return [...classifier.classify(minutes.map(minute), started)].map((time) => time.class);
}

describe('what became of a due time', () => {
  it('is on time within ten seconds, late after them, and missed without a workflow', () => {
    expect(classes([1, 2, 3], { started: [run(1, 10), run(2, 11)] })).toEqual(['on_time', 'late', 'missed']);
  });

  it('is late with its delay to the second', () => {
    const clock = { now: NOW, lateAfter: 10 * SECOND, rememberedFrom: 0 };
    const [late] = new Classifier(QUIET, clock).classify([minute(1)], [run(1, 90)]);
    expect(late).toMatchObject({ class: 'late', reason: 'started 1 minute 30 seconds late' });
  });

  it('is skipped by overlap where another one ran at that time, and by none where all may overlap', () => {
    const started = [run(1, 0, 2.5 * MINUTE)];
    expect(classes([1, 2, 3, 4], { started })).toEqual(['on_time', 'skipped', 'skipped', 'missed']);
    expect(classes([1, 2, 3], { started, overlap: 'ALLOW_ALL' })).toEqual(['on_time', 'missed', 'missed']);
  });

  it('is skipped by what was started before the first time that was asked for', () => {
    expect(classes([10, 11], { held: [run(1, 0, 9.5 * MINUTE)] })).toEqual(['skipped', 'missed']);
  });

  it('is skipped by what started late for an earlier time: the server decided on both at once', () => {
    expect(classes([1, 2, 3], { started: [run(1, 150, MINUTE)] })).toEqual(['late', 'skipped', 'skipped']);
  });

  it('names an earlier time that was due and had not started, and not a run that still ran', () => {
    const clock = { now: NOW, lateAfter: 10 * SECOND, rememberedFrom: 0 };
    const times = [...new Classifier(QUIET, clock).classify([1, 2, 3, 4].map(minute), [run(1, 150, 2 * MINUTE)])];
    const { workflowId } = run(1, 150);
    expect(times.slice(1).map(({ reason }) => reason)).toEqual([
      `${workflowId} was due and had not started`,
      `${workflowId} was due and had not started`,
      `${workflowId} still ran`,
    ]);
  });

  it('is skipped where the other one ended a moment before, which the server had not noticed', () => {
    expect(classes([1, 2], { started: [run(1, 0, MINUTE - SECOND / 2)] })).toEqual(['on_time', 'skipped']);
    expect(classes([1, 2], { started: [run(1, 0, MINUTE - 2 * SECOND)] })).toEqual(['on_time', 'missed']);
  });

  it('is delayed by overlap where it waited for another one', () => {
    const started = [run(1, 0, 90 * SECOND), run(2, 30, MINUTE), run(3, 31)];
    expect(classes([1, 2, 3], { started, overlap: 'BUFFER_ALL' })).toEqual(['on_time', 'delayed', 'delayed']);
  });

  it('is pending while it waits in the server, and what the server does not hold any more is missed', () => {
    const started = [run(1, 0, RUNS)];
    const waiting = (overlap: 'BUFFER_ALL' | 'BUFFER_ONE', buffered: number) =>
      classes([1, 2, 3, 4], { started, overlap, buffered });
    expect(waiting('BUFFER_ALL', 2)).toEqual(['on_time', 'pending', 'pending', 'missed']);
    expect(waiting('BUFFER_ONE', 1)).toEqual(['on_time', 'pending', 'skipped', 'skipped']);
  });

  it('is pending until it would be late', () => {
    expect(classes([99, 100, 101], {})).toEqual(['missed', 'pending', 'pending']);
  });

  it('cannot be told beyond retention, unless its workflow is still there', () => {
    const state = { rememberedFrom: 3 * MINUTE, started: [run(2, 0)] };
    expect(classes([1, 2, 3], state)).toEqual(['unknown', 'on_time', 'missed']);
  });

  it('cannot be told of a late run whose first run may be removed: it started before what retention keeps', () => {
    const started = [run(1, 150), run(2, 60), run(3, 61)];
    const overlap = 'ALLOW_ALL';
    expect(classes([1, 2, 3], { started, overlap, rememberedFrom: 4 * MINUTE })).toEqual([
      'unknown',
      'unknown',
      'late',
    ]);
  });

  it('cannot be told of a schedule that is paused now, or has no actions left, but before its last start', () => {
    for (const stopped of ['paused', 'completed'] as const) {
      const state = { stopped, lastStarted: 2 * MINUTE, started: [run(2, 0)] };
      expect(classes([1, 2, 3, 4], state)).toEqual(['missed', 'on_time', 'unknown', 'unknown']);
    }
    expect(classes([1, 2], { stopped: 'paused' })).toEqual(['unknown', 'unknown']);
  });

  it('cannot be told before a change, until something shows that the times were the same before', () => {
    const state = { changedAt: 4 * MINUTE, started: [run(2, 0)] };
    expect(classes([1, 2, 3, 4, 5], state)).toEqual(['unknown', 'on_time', 'missed', 'missed', 'missed']);
  });

  it('is the same over several chunks', () => {
    const classifier = new Classifier(QUIET, { now: NOW, lateAfter: 10 * SECOND, rememberedFrom: 0 });
    const first = [...classifier.classify([minute(1)], [run(1, 0, 2.5 * MINUTE)])];
    const second = [...classifier.classify([minute(2), minute(3)], []), ...classifier.classify([minute(4)], [])];
    expect([...first, ...second].map((time) => time.class)).toEqual(['on_time', 'skipped', 'skipped', 'missed']);
  });
});

describe('due times', () => {
  it('take the server’s jitter where its list fits, and the most there may be where it does not', () => {
    const times = (listed: number[] | undefined, jitter: number) => {
      const { server, times } = pair([10, 20, 30], jitter, listed);
      return [server, ...times.map(({ due }) => due)];
    };
    expect(times([12, 25, 33], 5)).toEqual(['same', 12, 25, 33]);
    // Jitter never passes the time that follows.
    expect(times([9, 21, 31], 15)).toEqual(['other', 20, 30, 45]);
    expect(times(undefined, 5)).toEqual(['silent', 15, 25, 35]);
  });

  it('are the server’s own where there is no jitter, whatever the spec means here', () => {
    expect(pair([10, 20], 0, [10, 21])).toMatchObject({ server: 'other', times: [{ due: 10 }, { due: 21 }] });
  });

  it('that the server lists none of are told by a chunk without times, and a range without times by none', async () => {
    const hourly = compileSpec({ intervals: [{ every: '1h' }] });
    const chunksOf = async (from: number, to: number) => {
      const chunks: unknown[] = [];
      for await (const chunk of dueTimes(hourly, 0, { from, to }, async () => [])) chunks.push(chunk);
      return chunks;
    };
    const [from, to] = [30 * MINUTE, 90 * MINUTE];
    expect(await chunksOf(from, to)).toEqual([{ times: [], server: 'other', span: { from, to } }]);
    expect(await chunksOf(61 * MINUTE, to)).toEqual([]);
  });

  it('come in chunks that leave nothing out and nothing between them', async () => {
    const compiled = compileSpec({ intervals: [{ every: '1s' }] });
    const times: number[] = [];
    const spans: number[] = [];
    const ask = async (from: number, to: number) =>
      Array.from({ length: 1_000 }, (_, index) => (Math.floor(from / 1_000) + 1 + index) * 1_000).filter(
        (at) => at <= to,
      );
    for await (const chunk of dueTimes(compiled, 0, { from: 5_000, to: 2_504_500 }, ask)) {
      expect(chunk.server).toBe('same');
      times.push(...chunk.times.map(({ nominal }) => nominal));
      spans.push(chunk.span.from, chunk.span.to);
    }
    expect(times).toEqual(Array.from({ length: 2_500 }, (_, index) => 5_000 + index * 1_000));
    expect(spans).toEqual([5_000, 1_004_000, 1_004_001, 2_004_000, 2_004_001, 2_504_500]);
  });
});
