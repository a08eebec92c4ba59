import { expect, it } from 'vitest';
import type { Facts } from '../../chaos/check/facts';
import type { FaultFact } from '../../chaos/journal';
import { recoveredMilliseconds } from '../../chaos/recovered';
import { FROM, goodFacts, SECOND } from './good-facts';

const fault = (began: number, ended: number): FaultFact => ({
  ...{ name: 'kill', targets: ['trigger-1'], detail: {} },
  ...{ began: FROM + began * SECOND, ended: FROM + ended * SECOND },
});

/** Facts in which the firing of second four was taken over, and its workflow began then or at another second. */
function takenOver(scheduleId: string, at: { second: number; startedAt?: number }): Facts {
  const facts = goodFacts();
  const time = FROM + 4 * SECOND;
  const isIt = (one: { scheduleId: string; time: number }) => one.scheduleId === scheduleId && one.time === time;
  const started = FROM + at.second * SECOND;
  Object.assign(facts.firings.find(isIt)!, { recoveredAt: started - 100 });
  const startedAt = at.startedAt === undefined ? started : FROM + at.startedAt * SECOND;
  Object.assign(facts.chains.find(isIt)!, { startedAt, firstTaskAt: started });
  return facts;
}

it('a recovered start is timed from its first fault, or from when it was due if that is later', () => {
  const facts = takenOver('each-1', { second: 9 });
  expect(recoveredMilliseconds([fault(6, 8)], facts)).toEqual([3_000]);
  expect(recoveredMilliseconds([fault(1, 5)], facts)).toEqual([5_000]);
  expect(recoveredMilliseconds([fault(1, 2), fault(6, 8)], facts)).toEqual([5_000]);
  expect(recoveredMilliseconds([fault(5, 6), fault(6, 8)], facts)).toEqual([4_000]);
});

it('a fault counts only for what was due near it and started after it', () => {
  const facts = takenOver('each-1', { second: 9 });
  expect(recoveredMilliseconds([fault(-4, -2)], facts)).toEqual([]);
  expect(recoveredMilliseconds([fault(9, 9.5)], facts)).toEqual([]);
  expect(recoveredMilliseconds([fault(8.5, 9)], takenOver('each-1', { second: 8 }))).toEqual([]);
});

it('a workflow that was started before the takeover, what waits for another and what requests change are left out', () => {
  expect(recoveredMilliseconds([fault(3, 5)], takenOver('each-1', { second: 9, startedAt: 4 }))).toEqual([]);
  const buffered = takenOver('each-1', { second: 9 });
  buffered.schedules[0]!.policies = { overlap: 'BUFFER_ALL' };
  expect(recoveredMilliseconds([fault(3, 5)], buffered)).toEqual([]);
  const changed = takenOver('each-1', { second: 9 });
  changed.schedules[0]!.asked = 'pause';
  expect(recoveredMilliseconds([fault(3, 5)], changed)).toEqual([]);
  expect(recoveredMilliseconds([fault(3, 5)], goodFacts())).toEqual([]);
});
