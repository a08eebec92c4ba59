import { expect, it } from 'vitest';
import { Floor } from '../../trigger/floors';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const SECOND = 1_000;
/** What is visible late is still above the floor. */
const LATE = 12 * SECOND;

function raisedAt(now: number): Floor {
  const floor = new Floor();
  floor.raise(now, floor.at(now));
  return floor;
}

it('a queue is read from its beginning until a read has left nothing, and then from what may have become visible since', () => {
  const floor = new Floor();
  expect(floor.at(NOW)).toBeUndefined();
  floor.raise(NOW, undefined);
  expect(floor.at(NOW + SECOND)).toEqual(new Date(NOW - LATE));
});

it('what is found below the floor is read next, until a read has left nothing again', () => {
  const floor = raisedAt(NOW);
  floor.lower(new Date(NOW - 3_600 * SECOND));
  expect(floor.at(NOW)).toEqual(new Date(NOW - 3_600 * SECOND));
  floor.raise(NOW, floor.at(NOW));
  expect(floor.at(NOW)).toEqual(new Date(NOW - LATE));
});

it('what is found below it while a read is under way is not forgotten when that ends', () => {
  const floor = raisedAt(NOW);
  const from = floor.at(NOW + SECOND);
  floor.lower(new Date(NOW - 60 * SECOND));
  floor.raise(NOW + SECOND, from);
  expect(floor.at(NOW + SECOND)).toEqual(new Date(NOW - 60 * SECOND));
});

it('a clock that is set back an hour leaves out nothing that comes due by it', () => {
  const floor = raisedAt(NOW);
  const back = NOW - 3_600 * SECOND;
  expect(floor.at(back)).toEqual(new Date(back - LATE));
});
