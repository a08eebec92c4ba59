import { expect, it } from 'vitest';
import { AwayFloor } from '../../trigger/away-floor';

const NOW = Date.UTC(2026, 2, 1);

it('while a namespace is away, its overdue checks are read past twice a minute, not by each look', () => {
  const floor = new AwayFloor();
  let full = 0;
  for (let second = 0; second < 120; second += 2) {
    const now = NOW + second * 1_000;
    const from = floor.from(['a'], now);
    if (!from) full += 1;
    // What became due since the last look is seen, and what was committed late.
    else expect(from.getTime()).toBe(now - 7_000);
    floor.looked(['a'], now, { from, isAll: true });
  }
  expect(full).toBe(4);
});

it('all is looked at when another namespace is away, none is, or a look could not take all', () => {
  const floor = new AwayFloor();
  const look = (away: string[], isAll = true) => {
    const from = floor.from(away, NOW);
    floor.looked(away, NOW, { from, isAll });
    return from;
  };
  expect(look(['a', 'b'])).toBeUndefined();
  expect(look(['b', 'a'])).toBeDefined();
  expect(look(['a'])).toBeUndefined();
  expect(look(['a'], false)).toBeDefined();
  expect(look(['a'])).toBeUndefined();
  expect(look([])).toBeUndefined();
  expect(look([])).toBeUndefined();
});
