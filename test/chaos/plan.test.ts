import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Journal, planIn } from '../../chaos/journal';
import { MEMBERS } from '../../chaos/members';
import { NEMESES } from '../../chaos/nemesis';
import { planOf } from '../../chaos/plan';
import { shrink } from '../../chaos/shrink';

const FAULTS = NEMESES.map(({ name }) => name);
const plan = (seed: number, minutes = 10) =>
  planOf({ seed, milliseconds: minutes * 60_000, share: 1, members: MEMBERS, faults: FAULTS });

it('a seed says all of a run, and another seed another one', () => {
  expect(plan(7)).toEqual(plan(7));
  expect(plan(7).faults).not.toEqual(plan(8).faults);
});

it('about a hundred schedules, and every kind of fault is drawn over some runs', () => {
  expect(plan(1).schedules.length).toBeGreaterThan(100);
  const drawn = new Set([1, 2, 3].flatMap((seed) => plan(seed).faults.map(({ name }) => name)));
  expect([...drawn].sort()).toEqual([...FAULTS].sort());
});

it('nothing is done to what another fault is being done to, and all is over at the end', () => {
  const { faults, milliseconds } = plan(3);
  for (const [index, { at, milliseconds: lasts, targets }] of faults.entries()) {
    expect(at + lasts).toBeLessThanOrEqual(milliseconds);
    const during = faults.slice(index + 1).filter((other) => other.at < at + lasts);
    expect(during.flatMap((other) => other.targets).filter((target) => targets.includes(target))).toEqual([]);
  }
});

it('the log of a run holds its plan', () => {
  const folder = mkdtempSync(join(tmpdir(), 'escapement-chaos-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log.jsonl');
  new Journal(file, plan(5)).note('it went on');
  expect(planIn(file)).toEqual(plan(5));
});

it('shrinks to the faults without which a run does not fail', async () => {
  const whole = plan(4);
  const [, second, , fourth] = whole.faults;
  const needed = [second!, fourth!];
  const least = await shrink(whole, async ({ faults }) => needed.every((one) => faults.includes(one)));
  expect(least.faults).toEqual(needed);
});
