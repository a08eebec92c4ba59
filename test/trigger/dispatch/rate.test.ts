import { beforeEach, expect, it } from 'vitest';
import { StartRate } from '../../../trigger/dispatch/rate';

const ASSUMED = 100;
/** The clock counts from some earlier moment, such as the start of the process. */
const LATER = 3_600_000;

let now: number;
let rate: StartRate;

beforeEach(() => {
  now = LATER;
  rate = new StartRate(ASSUMED, () => now);
});

function start(count: number, isLoaded = true): void {
  for (let made = 0; made < count; made++) rate.started(isLoaded);
}

/** Fifty starts under load in one second. */
function fiftyInASecond(): void {
  start(1);
  now += 1_000;
  start(49);
}

it('the rate is the assumed one until fifty starts under load have measured it, and then halfway to what they say', () => {
  expect(rate.perSecond).toBe(ASSUMED);
  start(1);
  now += 1_000;
  start(48);
  expect(rate.perSecond).toBe(ASSUMED);
  start(1);
  expect(rate.perSecond).toBe((ASSUMED + 50) / 2);
});

it('each measurement begins anew, after the starts of the one before', () => {
  fiftyInASecond();
  expect(rate.perSecond).toBe(75);
  now += 500;
  start(1);
  now += 500;
  start(48);
  expect(rate.perSecond).toBe(75);
  now += 500;
  start(1);
  expect(rate.perSecond).toBe((75 + 50) / 2);
});

it('a measurement may last long, as long as no second of it passes without a start', () => {
  start(1);
  for (let made = 1; made < 50; made++) {
    now += 1_000;
    start(1);
  }
  expect(rate.perSecond).toBe((ASSUMED + 50 / 49) / 2);
});

it('what was started before a pause of more than a second does not count', () => {
  start(49);
  now += 1_001;
  fiftyInASecond();
  expect(rate.perSecond).toBe((ASSUMED + 50) / 2);
});

it('what was started before the server was idle does not count, nor does a start while it is', () => {
  start(49);
  start(1, false);
  start(49);
  expect(rate.perSecond).toBe(ASSUMED);
  start(50, false);
  expect(rate.perSecond).toBe(ASSUMED);
});

it('starts that are answered in the same instant measure a high rate, but a finite one', () => {
  start(50);
  expect(rate.perSecond).toBeGreaterThan(10 * ASSUMED);
  expect(rate.perSecond).toBeLessThan(Number.POSITIVE_INFINITY);
});
