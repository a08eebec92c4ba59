import type { Checked } from './check/check';
import type { CheckedCounts } from './check/counts';
import { type Facts, VIOLATIONS, type Violation } from './check/facts';
import type { FaultFact } from './journal';
import type { Plan } from './plan';
import { recoveredMilliseconds } from './recovered';

/** The faults of one kind in a run. */
export interface FaultCount {
  name: string;
  times: number;
  /** How long recovered starts took, in ascending order. Older results do not have this. */
  recoveredMilliseconds?: number[];
}

/** The counts of a run. */
export interface Result {
  seed: number;
  minutes: number;
  schedules: number;
  expected: number;
  started: number;
  /** Firings whose announced start another trigger took over. */
  recovered: number;
  /** Requests of people that were answered. Older results also count the redrives that the run itself makes. */
  asked: number;
  violations: Record<Violation['kind'], number>;
  /** How many things were checked for each kind of violation. Older results do not have this. */
  checked?: CheckedCounts;
  /** What happened besides plain starts. Older results do not have this. */
  events?: Record<string, number>;
  /** The first few violations. */
  examples: string[];
  /**
   * How many seconds after the last fault, request and due time all work was finished; null if it was not finished in
   * time, or Temporal did not list all ends in time.
   */
  settledSeconds: number | null;
  faults: FaultCount[];
}

const EXAMPLES = 20;

export function resultOf(of: {
  plan: Plan;
  checked: Checked;
  facts: Facts;
  faults: FaultFact[];
  settled: number | undefined;
}): Result {
  const { plan, checked, facts, faults, settled } = of;
  const count = (kind: Violation['kind']) => checked.violations.filter((one) => one.kind === kind).length;
  const names = [...new Set(faults.map(({ name }) => name))].sort();
  return {
    seed: plan.seed,
    minutes: plan.milliseconds / 60_000,
    schedules: plan.schedules.length,
    expected: checked.expected,
    started: checked.started,
    recovered: facts.firings.filter(({ recoveredAt }) => recoveredAt !== null).length,
    asked: facts.asked.filter(({ ask, answered }) => ask !== 'redrive' && answered !== undefined).length,
    violations: Object.fromEntries(VIOLATIONS.map((kind) => [kind, count(kind)])) as Result['violations'],
    checked: checked.checked,
    events: checked.events,
    examples: checked.violations.slice(0, EXAMPLES).map(({ kind, text }) => `${kind}: ${text}`),
    settledSeconds: settled === undefined ? null : Math.round(settled / 1_000),
    faults: names.map((name) => {
      const ofKind = faults.filter((fault) => fault.name === name);
      return { name, times: ofKind.length, recoveredMilliseconds: recoveredMilliseconds(ofKind, facts) };
    }),
  };
}

export function isClean({ violations }: Result): boolean {
  return Object.values(violations).every((count) => count === 0);
}

/** The counts of a run in one line. */
export function summed({ seed, expected, started, violations, settledSeconds }: Result): string {
  const number = (count: number) => count.toLocaleString('en-US');
  const always = (['missed', 'doubled', 'unexplained', 'early', 'wrongly skipped'] as const).map(
    (kind) => `${number(violations[kind])} ${kind}`,
  );
  const others = Object.entries(violations).filter(
    ([kind, count]) => count > 0 && !always.some((one) => one.endsWith(kind)),
  );
  const settled = settledSeconds === null ? 'not settled' : `settled in ${settledSeconds} s`;
  return `seed ${seed}: ${number(expected)} expected, ${number(started)} started, ${[...always, ...others.map(([kind, count]) => `${number(count)} ${kind}`)].join(', ')}; ${settled}`;
}
