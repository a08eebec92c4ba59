import { expect, it } from 'vitest';
import { heldBackFor } from '../../../trigger/dispatch/held-back';

it.each([
  ['until a cap allows a start, but at most two seconds', { ofCap: 5_000 }, 2_000],
  ['for 100 ms if lanes are left, however long a cap allows none', { ofCap: 5_000, lanesLeft: true }, 100],
  ['until a cap allows a start if that is sooner', { ofCap: 50, lanesLeft: true }, 50],
  ['for at least 25 ms', { ofCap: 0, lanesLeft: true }, 25],
  ['as long as a busy server asks for, whatever is left', { ofGate: 800, ofCap: 0, lanesLeft: true }, 800],
])('a loop whose take was held back pauses %s', (_, { ofGate = 0, ofCap, lanesLeft = false }: Held, pause) => {
  const context = {
    gates: { of: () => ({ pause: ofGate }) },
    caps: { pauseOf: () => ofCap },
    limits: { reconcileIntervalMilliseconds: 2_000 },
  };
  expect(heldBackFor(context as never, 'default', { lanesLeft })).toBe(pause);
});

interface Held {
  ofGate?: number;
  ofCap: number;
  lanesLeft?: boolean;
}
