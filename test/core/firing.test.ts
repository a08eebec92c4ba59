import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  FIRING_KINDS,
  FIRING_OUTCOMES,
  FIRING_STATES,
  type FiringOutcome,
  type FiringState,
  isFailure,
  nameOf,
  TRANSITIONS,
  transition,
} from '../../core/firing';

type Place = FiringState | 'absent';

const MIGRATION = readFileSync(resolve(__dirname, '../../migrations/0001-0029/0001-ledger.ts'), 'utf8');

/** The words that Postgres allows in a column of the table of firings. */
function wordsOf(column: string): string[] {
  const [, table] = /create table \S+firings\b([\s\S]*?)partition by/.exec(MIGRATION)!;
  const [, words] = new RegExp(`\\b${column} text [^\\n]*check \\(${column} in \\(([^)]*)\\)`).exec(table!)!;
  return [...words!.matchAll(/'(\w+)'/g)].map(([, word]) => word!);
}

describe('a firing', () => {
  it.each([
    ['state', FIRING_STATES],
    ['kind', FIRING_KINDS],
    ['outcome', FIRING_OUTCOMES],
  ])('has as its %s each word that its column allows, and no other', (column, words) => {
    expect([...words].sort()).toEqual(wordsOf(column).sort());
  });

  it.each<[FiringOutcome, boolean]>([
    ['completed', false],
    ['failed', true],
    ['timed_out', true],
    ['canceled', false],
    ['terminated', false],
    ['unknown', false],
  ])('that ended as %s: whether that is a failure is %s', (outcome, isOne) => {
    expect(isFailure(outcome)).toBe(isOne);
  });

  it('has one name for one key, and another for another schedule or time', () => {
    const scheduledTime = new Date('2026-11-20T01:00:00Z');
    const name = nameOf({ scheduleId: 'nightly', scheduledTime });
    expect(nameOf({ scheduleId: 'nightly', scheduledTime: new Date(scheduledTime) })).toBe(name);
    const others = [
      { scheduleId: 'nightly', scheduledTime: new Date('2026-11-20T01:00:00.001Z') },
      { scheduleId: 'hourly', scheduledTime },
      // An ID may have spaces and digits.
      { scheduleId: '1 nightly', scheduledTime },
      { scheduleId: `${scheduledTime.getTime()} nightly`, scheduledTime },
    ];
    expect(new Set([name, ...others.map(nameOf)]).size).toBe(1 + others.length);
  });
});

describe('transitions of a firing', () => {
  const places: Place[] = ['absent', ...FIRING_STATES];
  const isAllowed = (from: Place, to: Place) => (TRANSITIONS[from] as readonly Place[]).includes(to);
  const pairs = places.flatMap((from) => places.map((to): [Place, Place] => [from, to]));

  it('lead out of every state and into every other', () => {
    const states = Object.keys(TRANSITIONS).filter((state) => state !== 'absent');
    const reached = new Set(
      Object.values(TRANSITIONS)
        .flat()
        .filter((state) => state !== 'absent'),
    );
    expect([...reached].sort()).toEqual(states.sort());
    expect([...FIRING_STATES].sort()).toEqual(states);
  });

  it('let a firing be claimed, linked and closed, and do not let it skip a step or stay where it is', () => {
    for (const [from, to] of [
      ['absent', 'claimed'],
      ['claimed', 'linked'],
      ['linked', 'closed'],
    ] as const)
      expect(transition(from, to)).toBe(to);
    for (const place of places) expect(isAllowed(place, place), place).toBe(false);
    expect(isAllowed('absent', 'linked')).toBe(false);
  });

  it.each(pairs.filter(([from, to]) => isAllowed(from, to)))('allow %s → %s, and return the new state', (from, to) => {
    expect(transition(from, to)).toBe(to);
  });

  it.each(pairs.filter(([from, to]) => !isAllowed(from, to)))('refuse %s → %s, and name both', (from, to) => {
    expect(() => transition(from, to)).toThrow(
      expect.objectContaining({
        name: 'ImpossibleTransitionError',
        message: `a firing cannot go from ${from} to ${to}`,
      }),
    );
  });
});
