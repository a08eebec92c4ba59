import { expect, it } from 'vitest';
import { KNOWN_LANES_AT_MOST, KnownLanes } from '../../../trigger/dispatch/known-lanes';

const lane = (tenant: string, second = 0) => ({
  ...{ tenant, taskQueue: 'queue', late: false },
  from: new Date(second * 1_000),
});

it('a lane is known from the first firing on that may wait in it', () => {
  const known = new KnownLanes();
  known.add(lane('acme', 5));
  known.add(lane('acme', 3));
  known.add(lane('acme', 9));
  expect(known.taking().lanes).toEqual([lane('acme', 3)]);
});

it('what a take has emptied is forgotten, except what became known while it was under way', () => {
  const known = new KnownLanes();
  known.add(lane('acme', 1));
  known.add(lane('wide', 1));
  const { take } = known.taking();
  known.add(lane('acme', 2));
  known.emptied(take);
  expect(known.taking().lanes).toEqual([lane('acme', 2)]);
});

it('what a take has left stays known with what came since', () => {
  const known = new KnownLanes();
  known.add(lane('acme', 2));
  const first = known.taking();
  known.add(lane('wide', 4));
  known.add(lane('acme', 3));
  known.left(first.take);
  const { take, lanes } = known.taking();
  expect(lanes).toEqual([lane('wide', 4), lane('acme', 2)]);
  known.emptied(take);
  expect(known.taking().lanes).toEqual([]);
});

it.each(['first', 'last'])(
  'what a take has left stays known though another, which passed its rows over, ends %s and found none',
  (other) => {
    const known = new KnownLanes();
    known.add(lane('acme'));
    const one = known.taking();
    const another = known.taking();
    if (other === 'first') known.emptied(another.take);
    known.left(one.take);
    if (other === 'last') known.emptied(another.take);
    expect(known.taking().lanes).toEqual([lane('acme')]);
  },
);

it('of two takes at once the first to end forgets nothing that only the second has seen', () => {
  const known = new KnownLanes();
  known.add(lane('acme'));
  const first = known.taking();
  known.add(lane('wide'));
  const second = known.taking();
  known.emptied(first.take);
  expect(known.taking().lanes).toEqual([lane('wide')]);
  known.emptied(second.take);
  expect(known.taking().lanes).toEqual([]);
});

it('as many lanes as a take reads are all known', () => {
  const known = new KnownLanes();
  for (let index = 0; index < KNOWN_LANES_AT_MOST; index++) known.add(lane(`tenant-${index}`));
  expect(known.taking().lanes).toHaveLength(KNOWN_LANES_AT_MOST);
});

it('no lane is known at first, nor once a take has emptied those that were', () => {
  const known = new KnownLanes();
  expect(known.isEmpty).toBe(true);
  expect(known.taking().lanes).toEqual([]);
  known.add(lane('acme'));
  expect(known.isEmpty).toBe(false);
  known.emptied(known.taking().take);
  expect(known.isEmpty).toBe(true);
});

it('more lanes than a take reads are left to it to find, until one has emptied them', () => {
  const known = new KnownLanes();
  for (let index = 0; index <= KNOWN_LANES_AT_MOST; index++) known.add(lane(`tenant-${index}`));
  known.add(lane('acme'));
  const { take, lanes } = known.taking();
  expect(lanes).toBeUndefined();
  known.left(take);
  known.add(lane('acme'));
  const next = known.taking();
  expect(next.lanes).toBeUndefined();
  known.emptied(next.take);
  known.add(lane('acme'));
  expect(known.taking().lanes).toEqual([lane('acme')]);
});
