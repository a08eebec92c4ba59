import { expect, it } from 'vitest';
import { check } from '../../chaos/check/check';
import { MEMBERS } from '../../chaos/members';
import { planOf } from '../../chaos/plan';
import { resultOf } from '../../chaos/summary';
import { goodFacts, SECOND } from './good-facts';

it('the redrives that a run makes itself are no changes that people made', () => {
  const facts = goodFacts();
  const plan = planOf({ seed: 1, milliseconds: 10 * SECOND, share: 0.1, members: MEMBERS, faults: [] });
  const asked = () => resultOf({ plan, checked: check(facts), facts, faults: [], settled: 0 }).asked;
  const before = asked();
  facts.asked.push({ ask: 'redrive', scheduleId: 'each-1', asked: 1, answered: 2, tries: 1 });
  expect(before).toBe(5);
  expect(asked()).toBe(before);
});
