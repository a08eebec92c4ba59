import { percentile } from '../bench/lib/report/statistics';
import type { Checked } from './check/check';
import { type Facts, VIOLATIONS, type Violation } from './check/facts';
import type { FaultFact } from './journal';
import type { Plan } from './plan';

/** The lag of firings that were due while faults of one kind lasted. */
export interface FaultCount {
  name: string;
  times: number;
  /** Number of firings that were due during these faults, or within five seconds after them. */
  firings: number;
  p50Milliseconds: number;
  p99Milliseconds: number;
}

/** The counts of a run. */
export interface Result {
  seed: number;
  minutes: number;
  schedules: number;
  expected: number;
  started: number;
  /** Firings whose start a trigger recovered. */
  recovered: number;
  asked: number;
  violations: Record<Violation['kind'], number>;
  /** The first few violations. */
  examples: string[];
  /** How many seconds after the last fault all work was finished; null if it was not finished in time. */
  settledSeconds: number | null;
  faults: FaultCount[];
}

const EXAMPLES = 20;
const AFTER_A_FAULT_MILLISECONDS = 5_000;

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
    recovered: facts.firings.filter(({ recovered }) => recovered).length,
    asked: facts.asked.filter(({ answered }) => answered !== undefined).length,
    violations: Object.fromEntries(VIOLATIONS.map((kind) => [kind, count(kind)])) as Result['violations'],
    examples: checked.violations.slice(0, EXAMPLES).map(({ kind, text }) => `${kind}: ${text}`),
    settledSeconds: settled === undefined ? null : Math.round(settled / 1_000),
    faults: names.map((name) =>
      countOf(
        name,
        faults.filter((fault) => fault.name === name),
        facts,
      ),
    ),
  };
}

function countOf(name: string, faults: FaultFact[], { chains, schedules }: Facts): FaultCount {
  // Schedules whose firings wait for no other firing, and that no request changes.
  const free = new Set(
    schedules.flatMap(({ scheduleId, policies, asked }) =>
      policies.overlap === 'ALLOW_ALL' && !policies.maxConcurrent && !asked ? [scheduleId] : [],
    ),
  );
  const lags = chains
    .filter(({ scheduleId, epoch, time }) => {
      const isMeanwhile = faults.some(
        ({ began, ended }) => time >= began && time <= ended + AFTER_A_FAULT_MILLISECONDS,
      );
      return free.has(scheduleId) && epoch === 0 && isMeanwhile;
    })
    .flatMap(({ firstTaskAt, time }) => (firstTaskAt === undefined ? [] : [Math.max(0, firstTaskAt - time)]));
  const p = (share: number) => (lags.length === 0 ? 0 : Math.round(percentile(lags, share)));
  return { name, times: faults.length, firings: lags.length, p50Milliseconds: p(0.5), p99Milliseconds: p(0.99) };
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
