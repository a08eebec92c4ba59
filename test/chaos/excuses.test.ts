import { expect, it } from 'vitest';
import { check } from '../../chaos/check/check';
import type { Facts, FiringFact } from '../../chaos/check/facts';
import type { ChaosSchedule } from '../../chaos/workload/definitions';
import { FROM, firing, goodFacts, ranAt, SECOND, skip } from './good-facts';

const EACH_SECOND = { every: SECOND, offset: 0 };

/** Facts in which the schedule of kind `each` has another policy and grid, and no row yet. */
function emptied(policies: ChaosSchedule['policies'], grid: ChaosSchedule['grid'] = EACH_SECOND) {
  const facts = goodFacts();
  const schedule = facts.schedules[0]!;
  Object.assign(schedule, { policies, grid });
  const isOther = ({ scheduleId }: { scheduleId: string }) => scheduleId !== schedule.scheduleId;
  facts.firings = facts.firings.filter(isOther);
  facts.chains = facts.chains.filter(isOther);
  return { facts, schedule };
}

/** Adds the row of an occurrence that ran, and its chain. */
function ran(facts: Facts, schedule: ChaosSchedule, at: number, takes: number) {
  const one = ranAt(schedule, FROM + at * SECOND, { takes });
  facts.firings.push(one.firing);
  facts.chains.push(one.chain);
  return one;
}

function skipped(facts: Facts, schedule: ChaosSchedule, at: number, reason: string): FiringFact {
  const row = ran(facts, schedule, at, 0).firing;
  skip(row, reason, facts);
  return row;
}

/** What the checker finds, besides occurrences without an answer. */
const found = (facts: Facts) =>
  check(facts)
    .violations.filter(({ kind }) => kind !== 'missed')
    .map(({ kind, text }) => `${kind}: ${text}`);

it.each(['SKIP', 'BUFFER_ONE'] as const)('under %s, what began a second later excuses no skip', (overlap) => {
  const { facts, schedule } = emptied({ overlap });
  skipped(facts, schedule, 4, 'overlap');
  ran(facts, schedule, 5, 8 * SECOND);
  expect(found(facts)).toEqual([expect.stringMatching(/^wrongly skipped: each-1 .* is skipped \(overlap\)/)]);
});

it('of occurrences that are decided at once, a later one excuses no skip of an earlier one', () => {
  const { facts, schedule } = emptied({ overlap: 'SKIP' });
  const decidedAt = FROM + 5 * SECOND;
  skipped(facts, schedule, 4, 'overlap').claimedAt = decidedAt;
  ran(facts, schedule, 5, 8 * SECOND).firing.claimedAt = decidedAt;
  expect(found(facts)).toHaveLength(1);
});

it('of occurrences that are decided at once, an earlier one excuses skips of later ones', () => {
  const { facts, schedule } = emptied({ overlap: 'SKIP' });
  const decidedAt = FROM + 5 * SECOND;
  ran(facts, schedule, 4, 8 * SECOND).firing.claimedAt = decidedAt;
  skipped(facts, schedule, 5, 'overlap').claimedAt = decidedAt;
  expect(found(facts)).toEqual([]);
});

it('takes a skip of what a failover lost, if a later occurrence was started before', () => {
  const { facts, schedule } = emptied({ overlap: 'SKIP' });
  skipped(facts, schedule, 4, 'overlap').claimedAt = FROM + 9 * SECOND;
  ran(facts, schedule, 5, 8 * SECOND);
  expect(found(facts)).toEqual([]);
});

it('only what was due by then supersedes a firing', () => {
  const { facts, schedule } = emptied({ overlap: 'CANCEL_OTHER' });
  const row = skipped(facts, schedule, 4, 'superseded');
  const later = ran(facts, schedule, 8, SECOND).firing;
  expect(found(facts)).toEqual([expect.stringMatching(/^wrongly skipped: each-1 .* is skipped \(superseded\)/)]);
  // A firing that waits is claimed again once it no longer waits.
  Object.assign(row, { claimedAt: later.time + 10 });
  Object.assign(later, { claimedAt: later.time + 9 * SECOND });
  expect(found(facts)).toEqual([]);
});

it.each([
  ['CANCEL_OTHER', 'CANCELED'],
  ['TERMINATE_OTHER', 'TERMINATED'],
] as const)('under %s, a workflow may end as %s only once another occurrence is due', (overlap, status) => {
  const { facts, schedule } = emptied({ overlap });
  const one = ran(facts, schedule, 4, 2 * SECOND);
  one.chain.status = status;
  one.firing.outcome = status.toLowerCase();
  ran(facts, schedule, 2, SECOND);
  const later = ran(facts, schedule, 8, SECOND);
  expect(found(facts)).toEqual([expect.stringContaining(`ended as ${status}, and nothing was to do that`)]);
  later.firing.time = later.chain.time = FROM + 6 * SECOND;
  expect(found(facts)).toEqual([]);
});

it('a start that was abandoned and then redriven counts, and needs a true reason', () => {
  const { facts, schedule } = emptied({ overlap: 'ALLOW_ALL', catchupWindow: 10 * SECOND });
  ran(facts, schedule, 4, 15 * SECOND);
  const time = FROM + 4 * SECOND;
  const abandoned = { scheduleId: schedule.scheduleId, time, reason: 'outside_catchup_window', at: time + 11 * SECOND };
  const before = check(facts);
  facts.abandoned = [abandoned];
  expect(found(facts)).toEqual([]);
  const { checked, events } = check(facts);
  expect(checked['wrongly skipped']).toBe(before.checked['wrongly skipped'] + 1);
  expect(events['abandoned starts']).toBe(1);
  abandoned.at = time + 2 * SECOND;
  expect(found(facts)).toHaveLength(1);
  Object.assign(abandoned, { at: time + 11 * SECOND, reason: 'start_uncertain' });
  expect(found(facts)).toEqual([expect.stringMatching(/^wrongly skipped: each-1 .* is abandoned \(start_uncertain\)/)]);
  // If it is still abandoned, it counts once.
  skip(firing(facts, 'each-1', 4), 'start_uncertain', facts);
  firing(facts, 'each-1', 4).state = 'abandoned';
  expect(found(facts)).toHaveLength(1);
  expect(check(facts).events['abandoned starts']).toBe(1);
});

it('what was due and claimed while its schedule was surely paused must not fire', () => {
  const facts = goodFacts();
  facts.asked.find(({ ask }) => ask === 'unpause')!.asked = FROM + 9 * SECOND;
  expect(found(facts)).toEqual([]);
  const { firing: row, chain } = ranAt(
    facts.schedules.find(({ scheduleId }) => scheduleId === 'paused-1')!,
    FROM + 6 * SECOND,
  );
  facts.firings.push(row);
  facts.chains.push(chain);
  expect(found(facts)).toEqual([expect.stringMatching(/^unexplained: paused-1 .* was due while .* paused/)]);
  // It was handed over before the pause.
  row.claimedAt = FROM + 2 * SECOND;
  expect(found(facts)).toEqual([]);
  Object.assign(row, { claimedAt: FROM + 6 * SECOND, kind: 'manual' });
  facts.asked.push({ ask: 'trigger', scheduleId: 'paused-1', asked: FROM, answered: FROM + 1, tries: 1 });
  expect(found(facts)).toEqual([]);
});

it('a gap covers as many occurrences as it counts, and at least one', () => {
  const facts = goodFacts();
  const gap = facts.gaps[0]!;
  gap.count = 3;
  expect(found(facts)).toHaveLength(1);
  Object.assign(gap, { from: FROM + 4.5 * SECOND, to: FROM + 5.5 * SECOND, count: 0 });
  expect(found(facts)).toHaveLength(1);
  const updated = goodFacts();
  updated.schedules.find(({ scheduleId }) => scheduleId === 'paused-1')!.asked = 'update';
  updated.gaps[0]!.count = 1;
  expect(found(updated)).toEqual([]);
});
