import { expect, it } from 'vitest';
import { check } from '../../chaos/check/check';
import { FROM, firing, goodFacts, SECOND, skip } from './good-facts';

it('takes the word of the version before for what a later firing replaced, while that version ran', () => {
  const facts = goodFacts();
  facts.schedules.find(({ scheduleId }) => scheduleId === 'each-1')!.policies = { overlap: 'CANCEL_OTHER' };
  skip(firing(facts, 'each-1', 4), 'overlap', facts);
  // It had waited until the next one was due.
  firing(facts, 'each-1', 4).claimedAt = FROM + 6.1 * SECOND;
  const kinds = () => check(facts).violations.map(({ kind }) => kind);
  facts.versionBefore = [{ from: FROM + 5 * SECOND, to: FROM + 6 * SECOND }];
  expect(kinds()).toEqual([]);
  facts.versionBefore = [{ from: FROM + 7 * SECOND, to: FROM + 9 * SECOND }];
  expect(kinds()).toEqual(['wrongly skipped']);
});
