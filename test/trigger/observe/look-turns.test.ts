import { expect, it } from 'vitest';
import type { ObservedFiring } from '../../../store/firings/observe';
import { namespacesThatLag, type OwnLook, takeTurns } from '../../../trigger/observe/look-turns';

const NOW = Date.UTC(2026, 2, 1);

/** Chains that were due at this time, and are to be looked at again so many milliseconds later. */
function due(count: number, at: number = NOW, { namespace = 'default', apart = 30_000 } = {}): ObservedFiring[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{
      scheduleId: `s${index}`,
      scheduledTime: new Date(NOW),
      workflowId: `s${index}-workflow`,
      namespace,
      runId: null,
    },
    ...{
      epoch: 0,
      version: 1,
      startAttempts: 1,
      linkedAt: new Date(NOW),
      stalled: null,
      isAwaited: false,
      isInterrupted: false,
    },
    ...{ dueAt: new Date(at), nextDueAt: new Date(at + apart) },
  }));
}

it.each([0, 1, 10, 11, 40, 500])(
  'of %i chains each is either asked for or left, and at least ten are asked for',
  (count) => {
    const firings = due(count);
    const { asked, others } = takeTurns(firings, false);
    expect([...asked, ...others].sort(byNumber)).toEqual(firings);
    expect(asked.length).toBeGreaterThanOrEqual(Math.min(count, 10));
  },
);

it('of thousands each has one turn in four minutes, about as many at each look', () => {
  const asked = Array.from({ length: 8 }, (_, look) => takeTurns(due(2_000, NOW + look * 30_000), true).asked);
  expect(
    asked
      .flat()
      .map(({ workflowId }) => workflowId)
      .sort(),
  ).toEqual(
    due(2_000)
      .map(({ workflowId }) => workflowId)
      .sort(),
  );
  for (const { length } of asked) {
    expect(length).toBeGreaterThan(200);
    expect(length).toBeLessThan(300);
  }
});

it.each([
  { apart: 60_000, looks: 8 },
  { apart: 90_000, looks: 11 },
  { apart: 3_600_000, looks: 9 },
])(
  'of those whose looks have fallen behind, $apart ms apart, at most every sixth is asked for, each within $looks',
  ({ apart, looks }) => {
    const asked = Array.from(
      { length: looks },
      (_, look) => takeTurns(due(2_000, NOW + look * apart, { apart }), true).asked,
    );
    expect(new Set(asked.flat().map(({ workflowId }) => workflowId)).size).toBe(2_000);
    for (const { length } of asked) {
      expect(length).toBeGreaterThan(2_000 / 16);
      expect(length).toBeLessThan(2_000 / 6);
    }
  },
);

it('a single look that comes late costs nobody its turn', () => {
  const asked = new Set<string>();
  const take = (at: number, apart: number) => {
    for (const { workflowId } of takeTurns(due(2_000, at, { apart }), false).asked) asked.add(workflowId);
  };
  take(NOW, 90_000);
  for (let at = NOW + 90_000; at < NOW + 240_000; at += 30_000) take(at, 30_000);
  expect(asked.size).toBe(2_000);
});

it('each has its turn while looks fall further behind and catch up', () => {
  const asked = new Set<string>();
  let at = NOW;
  for (let look = 0; at < NOW + 960_000; look++) {
    const apart = [30_000, 80_000, 40_000][look % 3]!;
    for (const { workflowId } of takeTurns(due(2_000, at, { apart }), apart > 30_000).asked) asked.add(workflowId);
    at += apart;
  }
  expect(asked.size).toBe(2_000);
});

it('each namespace has its ten', () => {
  const { asked } = takeTurns([...due(9, NOW, { namespace: 'small' }), ...due(400, NOW, { namespace: 'large' })], true);
  expect(asked.filter(({ namespace }) => namespace === 'small')).toHaveLength(9);
});

it('those that are not known to get nowhere come before the others', () => {
  const firings = due(30).map((firing, index) => ({
    ...firing,
    nextDueAt: firing.dueAt,
    stalled: index < 25 ? 'no_worker' : null,
  }));
  const { asked } = takeTurns(firings, false);
  expect(asked.filter(({ stalled }) => stalled === null)).toHaveLength(5);
  expect(asked).toHaveLength(10);
});

it('a list lags when more than a quarter of what it shows as running has ended, by the answers of its namespace', () => {
  const looks = (namespace: string, closed: number, running: number, unanswered = 0): OwnLook[] =>
    [...Array(closed).fill('closed'), ...Array(running).fill('running'), ...Array(unanswered).fill('unanswered')].map(
      (state) => ({ state, firing: { namespace } }),
    );
  const asked = [
    ...looks('lags', 3, 8),
    ...looks('busy', 3, 8, 20),
    ...looks('keeps up', 3, 9),
    ...looks('away', 0, 0, 9),
  ];
  expect([...namespacesThatLag(asked)]).toEqual(['lags', 'busy']);
  expect(namespacesThatLag([])).toEqual(new Set());
});

function byNumber(one: ObservedFiring, other: ObservedFiring): number {
  return Number(one.scheduleId.slice(1)) - Number(other.scheduleId.slice(1));
}
