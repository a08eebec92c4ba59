import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideOverlap, type OverlapCandidate, overlapReason } from '../../core/decisions/overlap';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../core/schedule/policies';

const decide = (held: number, policies: OverlapPolicy[], maxConcurrent: number | null = null) =>
  decideOverlap(
    held,
    policies.map((policy) => ({ policy })),
    maxConcurrent,
  );

describe('overlap', () => {
  it.each<[string, number, OverlapPolicy[], string[]]>([
    ['SKIP lets one hold the schedule', 0, ['SKIP', 'SKIP'], ['claim', 'skip']],
    ['ALLOW_ALL never waits', 3, ['ALLOW_ALL', 'ALLOW_ALL'], ['claim', 'claim']],
    ['each candidate goes by its own policy', 1, ['SKIP', 'ALLOW_ALL', 'SKIP'], ['skip', 'claim', 'skip']],
    [
      'BUFFER_ONE keeps the first and skips the rest',
      1,
      ['BUFFER_ONE', 'BUFFER_ONE', 'BUFFER_ONE'],
      ['wait', 'skip', 'skip'],
    ],
    ['BUFFER_ALL keeps all', 1, ['BUFFER_ALL', 'BUFFER_ALL'], ['wait', 'wait']],
    ['BUFFER_ALL runs one at a time, oldest first', 0, ['BUFFER_ALL', 'BUFFER_ALL'], ['claim', 'wait']],
    ['CANCEL_OTHER replaces what has not begun', 0, ['CANCEL_OTHER', 'CANCEL_OTHER'], ['supersede', 'claim']],
    ['CANCEL_OTHER replaces what waits', 1, ['CANCEL_OTHER', 'CANCEL_OTHER'], ['supersede', 'wait']],
    ['TERMINATE_OTHER replaces what has not begun', 0, ['SKIP', 'TERMINATE_OTHER'], ['supersede', 'claim']],
    [
      'each CANCEL_OTHER replaces the one before it',
      0,
      ['CANCEL_OTHER', 'CANCEL_OTHER', 'CANCEL_OTHER'],
      ['supersede', 'supersede', 'claim'],
    ],
  ])('%s', (_, held, policies, decisions) => {
    expect(decide(held, policies).decisions).toEqual(decisions);
  });

  it('CANCEL_OTHER and TERMINATE_OTHER end what holds the schedule, and the harder one wins', () => {
    expect(decide(2, ['CANCEL_OTHER']).interrupt).toEqual({ kind: 'cancel', count: 2 });
    expect(decide(1, ['CANCEL_OTHER', 'TERMINATE_OTHER', 'CANCEL_OTHER']).interrupt).toEqual({
      kind: 'terminate',
      count: 1,
    });
    expect(decide(0, ['CANCEL_OTHER', 'CANCEL_OTHER']).interrupt).toBeUndefined();
    expect(decide(1, ['BUFFER_ALL', 'SKIP', 'ALLOW_ALL']).interrupt).toBeUndefined();
  });

  it('CANCEL_OTHER gives up on a chain that does not end, and asks no other to end', () => {
    const outcome = decideOverlap(1, [{ policy: 'CANCEL_OTHER', waitedEnough: true }]);
    expect(outcome).toEqual({ decisions: ['skip'], interrupt: undefined });
  });

  it('CANCEL_OTHER still ends the chain for a firing behind the one that was given up', () => {
    const outcome = decideOverlap(1, [{ policy: 'CANCEL_OTHER', waitedEnough: true }, { policy: 'CANCEL_OTHER' }]);
    expect(outcome).toEqual({ decisions: ['skip', 'wait'], interrupt: { kind: 'cancel', count: 1 } });
  });

  it('replaces nothing for a firing that could not start even then', () => {
    expect(decide(0, ['SKIP', 'ALLOW_ALL', 'CANCEL_OTHER'])).toEqual({
      decisions: ['claim', 'claim', 'wait'],
      interrupt: { kind: 'cancel', count: 2 },
    });
  });

  it('BUFFER_ONE keeps what waits already, though what a backfill puts in front of it waits as well', () => {
    const outcome = decideOverlap(1, [
      { policy: 'BUFFER_ALL', waitingSince: 200 },
      { policy: 'BUFFER_ONE', waitingSince: 100 },
      { policy: 'BUFFER_ONE', waitingSince: 200 },
      { policy: 'BUFFER_ONE' },
    ]);
    expect(outcome.decisions).toEqual(['wait', 'wait', 'skip', 'skip']);
    const one = (waitingSince: number) => ({ policy: 'BUFFER_ONE' as const, waitingSince });
    expect(decideOverlap(1, [one(200), one(100)]).decisions).toEqual(['skip', 'wait']);
  });

  it.each<[string, OverlapCandidate[], string[]]>([
    [
      'behind one that has waited longer, though a shorter wait lies between them',
      [
        { policy: 'BUFFER_ALL', waitingSince: 100 },
        { policy: 'BUFFER_ALL', waitingSince: 200 },
        { policy: 'BUFFER_ONE', waitingSince: 150 },
      ],
      ['wait', 'wait', 'skip'],
    ],
    [
      'behind one that has waited longer, though one in front of that has not',
      [
        { policy: 'BUFFER_ALL', waitingSince: 200 },
        { policy: 'BUFFER_ALL', waitingSince: 100 },
        { policy: 'BUFFER_ONE', waitingSince: 150 },
      ],
      ['wait', 'wait', 'skip'],
    ],
    [
      'behind one that waits for a chain to be cancelled',
      [
        { policy: 'CANCEL_OTHER', waitingSince: 100 },
        { policy: 'BUFFER_ONE', waitingSince: 150 },
      ],
      ['wait', 'skip'],
    ],
    [
      'behind one that has waited longer, though a later one waits for a chain to be cancelled',
      [
        { policy: 'BUFFER_ALL', waitingSince: 100 },
        { policy: 'CANCEL_OTHER', waitingSince: 200 },
        { policy: 'BUFFER_ONE', waitingSince: 150 },
      ],
      ['wait', 'wait', 'skip'],
    ],
    [
      'behind one that has waited just as long',
      [
        { policy: 'BUFFER_ALL', waitingSince: 100 },
        { policy: 'BUFFER_ONE', waitingSince: 100 },
      ],
      ['wait', 'skip'],
    ],
  ])('BUFFER_ONE is skipped %s', (_, candidates, decisions) => {
    expect(decideOverlap(1, candidates).decisions).toEqual(decisions);
  });

  it('BUFFER_ONE starts in a free schedule, though one behind it has waited longer', () => {
    const outcome = decideOverlap(0, [{ policy: 'BUFFER_ONE' }, { policy: 'BUFFER_ALL', waitingSince: 100 }]);
    expect(outcome.decisions).toEqual(['claim', 'wait']);
  });

  it.each<[OverlapPolicy, number | null, string]>([
    ['SKIP', null, 'skip'],
    ['BUFFER_ONE', null, 'skip'],
    ['BUFFER_ALL', 3, 'wait'],
    ['CANCEL_OTHER', null, 'wait'],
    ['TERMINATE_OTHER', null, 'wait'],
    ['ALLOW_ALL', null, 'claim'],
    ['ALLOW_ALL', 3, 'wait'],
  ])(
    'behind what a freeze holds back nothing starts that must take turns: %s, at most %s',
    (policy, most, decision) => {
      for (const held of [0, 1]) {
        const outcome = decideOverlap(held, [{ policy, isBehindFrozen: true }, { policy: 'SKIP' }], most);
        const manual = held === 0 || most !== null ? 'claim' : 'skip';
        expect(outcome).toEqual({
          decisions: [decision, decision === 'claim' ? 'skip' : manual],
          interrupt: undefined,
        });
      }
    },
  );

  it('maxConcurrent raises the bound of one, and gives ALLOW_ALL a bound', () => {
    expect(decide(1, ['SKIP', 'SKIP', 'SKIP'], 3).decisions).toEqual(['claim', 'claim', 'skip']);
    expect(decide(2, ['ALLOW_ALL', 'ALLOW_ALL'], 3).decisions).toEqual(['claim', 'wait']);
    expect(decide(4, ['CANCEL_OTHER'], 3).interrupt).toEqual({ kind: 'cancel', count: 2 });
    expect(decide(2, ['CANCEL_OTHER'], 3)).toEqual({ decisions: ['claim'], interrupt: undefined });
    expect(decide(0, ['CANCEL_OTHER', 'CANCEL_OTHER', 'CANCEL_OTHER', 'CANCEL_OTHER'], 2)).toEqual({
      decisions: ['supersede', 'supersede', 'claim', 'claim'],
      interrupt: undefined,
    });
  });

  it('what ends others replaces what has not begun under ALLOW_ALL, too, where that has a bound', () => {
    const policies = ['ALLOW_ALL', 'ALLOW_ALL', 'TERMINATE_OTHER'] as const;
    expect(decide(0, [...policies], 1)).toEqual({ decisions: ['supersede', 'wait', 'claim'], interrupt: undefined });
    expect(decide(0, [...policies], 2)).toEqual({ decisions: ['supersede', 'claim', 'claim'], interrupt: undefined });
    expect(decide(0, [...policies])).toEqual({
      decisions: ['claim', 'claim', 'wait'],
      interrupt: { kind: 'terminate', count: 2 },
    });
    expect(decide(0, ['ALLOW_ALL', 'TERMINATE_OTHER'])).toEqual({
      decisions: ['claim', 'wait'],
      interrupt: { kind: 'terminate', count: 1 },
    });
  });

  it('never lets more run than the bound, whatever is mixed, and loses no candidate', () => {
    const policies = fc.array(fc.constantFrom(...OVERLAP_POLICIES), { maxLength: 12 });
    const bound = fc.option(fc.integer({ min: 1, max: 4 }), { nil: null });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 }), policies, bound, (held, given, maxConcurrent) => {
        const { decisions } = decide(held, given, maxConcurrent);
        expect(decisions).toHaveLength(given.length);
        const claimed = given.filter((_, index) => decisions[index] === 'claim');
        const exclusive = claimed.filter((policy) => policy !== 'ALLOW_ALL').length;
        if (maxConcurrent === null) expect(exclusive).toBeLessThanOrEqual(held === 0 ? 1 : 0);
        else expect(claimed.length).toBeLessThanOrEqual(Math.max(0, maxConcurrent - held));
        expect(
          decisions.filter((decision, index) => decision === 'wait' && given[index] === 'BUFFER_ONE').length,
        ).toBeLessThanOrEqual(1);
        given.forEach((policy, index) => {
          if (policy === 'SKIP') expect(decisions[index]).not.toBe('wait');
          if (policy === 'BUFFER_ALL') expect(decisions[index]).not.toBe('skip');
          if (decisions[index] === 'supersede')
            expect(given.slice(index + 1).some((later) => /OTHER/.test(later))).toBe(true);
        });
      }),
    );
  });
});

describe('the reason of a firing that the overlap policy leaves out', () => {
  it.each<[string, 'skip' | 'supersede', boolean, number, number | null, string]>([
    ['a later one took its place', 'supersede', false, 1, null, 'superseded'],
    ['a later one took its place, though it had waited long enough', 'supersede', true, 0, null, 'superseded'],
    ['the chain did not heed its cancellation', 'skip', true, 1, null, 'cancel_ignored'],
    ['it gave up on a chain that has not begun', 'skip', true, 0, null, 'cancel_ignored'],
    ['another runs', 'skip', false, 1, null, 'overlap'],
    ['the one in front has not begun', 'skip', false, 0, null, 'overlap_waiting'],
    ['as many run as may', 'skip', false, 3, 3, 'overlap'],
    ['more run than may by now', 'skip', false, 4, 3, 'overlap'],
    ['one of those in front has not begun', 'skip', false, 2, 3, 'overlap_waiting'],
  ])('%s', (_, decision, waitedEnough, begun, maxConcurrent, reason) => {
    expect(overlapReason(decision, { policy: 'SKIP', waitedEnough }, { begun, maxConcurrent })).toBe(reason);
  });
});
