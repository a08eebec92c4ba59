import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decideOverlap } from '../../../core/decisions/overlap';
import { OVERLAP_POLICIES } from '../../../core/schedule/policies';
import type { Candidate } from '../../../trigger/claim/candidates';
import { withinQuota } from '../../../trigger/claim/quota';

const UNTIL = new Date('2026-03-01T02:00:00Z');

const circumstances = fc.record({
  policies: fc.array(fc.constantFrom(...OVERLAP_POLICIES), { maxLength: 8 }),
  waiting: fc.nat(3),
  held: fc.nat(2),
  maxConcurrent: fc.option(fc.integer({ min: 1, max: 3 })),
  left: fc.nat(4),
});

it('whatever overlap decides, no more is claimed than the quota has left, and nothing is lost or decided out of turn', () => {
  fc.assert(
    fc.property(circumstances, ({ policies, waiting, held, maxConcurrent, left }) => {
      const candidates = policies.map(
        (overlap, index): Candidate => ({
          scheduleId: 'any',
          scheduledTime: new Date(index * 1_000),
          kind: 'schedule',
          overlap,
          waitingSince: index < waiting ? index * 1_000 : undefined,
        }),
      );
      const overlap = (some: Candidate[]) =>
        decideOverlap(
          held,
          some.map(({ overlap: policy, waitingSince }) => ({ policy: policy!, waitingSince })),
          maxConcurrent,
        );
      const outcome = overlap(candidates);
      const within = withinQuota({ kept: candidates, dropped: [], outcome }, overlap, {
        left,
        until: UNTIL,
        isUsedUp: true,
      });
      const claimed = within.outcome.decisions.filter((decision) => decision === 'claim').length;
      expect(claimed).toBeLessThanOrEqual(left);
      expect([...within.kept, ...within.delayed]).toEqual(candidates);
      expect(within.outcome).toEqual(overlap(within.kept));
      const wanted = outcome.decisions.filter((decision) => decision === 'claim').length;
      if (wanted < left) expect(within.delayed).toEqual([]);
      if (left === 0) expect(within.outcome.interrupt).toBeUndefined();
      expect(withinQuota({ kept: candidates, dropped: [], outcome }, overlap, undefined).delayed).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});
