/**
 * Measures the cost of hostile specs, in steps of the budget and in CPU time: `npx tsx bench/spec-cost.ts`. The budget
 * counts steps instead of time, so that every machine refuses the same specs. One step should cost about the same in
 * all parts of the code. The first call of each spec includes compiling the code and reading the time zones.
 */
import { planOccurrences } from '../core/decisions/catchup';
import { InvalidScheduleError } from '../core/errors';
import { compileSpec, nextOccurrences } from '../core/occurrences';
import { STEPS_AT_MOST, stepsOf } from '../core/occurrences/steps';
import type { ScheduleSpec } from '../core/schedule/spec';

const NOW = Date.UTC(2026, 10, 23);
const YEAR = 365 * 86_400_000;
const CALLS = 5;
const SECOND = { second: '*', minute: '*', hour: '*' } as const;
const PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31];
const every = (seconds: number[]) => seconds.map((n) => ({ every: n * 1000 }));
const list = <Item>(length: number, item: (i: number) => Item) => Array.from({ length }, (_, i) => item(i));

const SPECS: Record<string, ScheduleSpec> = {
  'eleven intervals, a century skipped': {
    intervals: every(PRIMES),
    skip: [{ ...SECOND, year: { start: 2000, end: 2098 } }],
    timezone: 'Africa/Casablanca',
  },
  'intervals of about a day, days skipped': {
    intervals: every([86_399, 86_398, 86_397, 43_201, 3_601, 3_607, 7_207]),
    skip: list(20, (i) => ({ ...SECOND, dayOfMonth: [i + 1, i + 5] })),
    timezone: 'Asia/Gaza',
  },
  'forty of the server, of seconds': {
    cronExpressions: list(40, (i) => `*/${i + 1} * * * * * *`),
    skip: [{ ...SECOND, second: { start: 0, end: 58 } }],
    timezone: 'Antarctica/Troll',
  },
  'days that no month has': {
    cron: list(300, (i) => `0 0 31W ${[4, 6, 9, 11][i % 4]} *`),
    timezone: 'Europe/Berlin',
  },
  'every day skipped': {
    cron: '* * * * * *',
    skip: list(31, (i) => ({ ...SECOND, dayOfMonth: i + 1 })),
    timezone: 'Africa/Casablanca',
  },
  'long lists': {
    cron: list(60, () => `${list(60, (i) => i).join(',')} ${list(60, (i) => `${i}-59`).join(',')} * * * *`),
  },
  'ten thousand instants': { at: list(10_000, (i) => new Date(NOW + i * 7_919_000).toISOString() as never) },
  '900 intervals': { intervals: every(list(900, (i) => i + 1_009)), skip: [{ ...SECOND, year: 2027 }] },
};

function questions(spec: ScheduleSpec, at: number): Record<string, () => unknown> {
  const compiled = () => compileSpec(spec, { scheduleId: 'bench' });
  const plan = { answeredTo: at - 3 * YEAR, now: at, catchupWindowMilliseconds: YEAR };
  return {
    next: () => nextOccurrences(spec, { after: new Date(at), count: 1, scheduleId: 'bench' }),
    count: () => compiled().count(at - 20 * YEAR, at),
    plan: () => planOccurrences(compiled(), { ...plan, catchupLimit: 100, firingsAtMost: 50 }),
  };
}

function milliseconds(work: () => unknown): number {
  const before = process.cpuUsage();
  try {
    work();
  } catch (error) {
    if (!(error instanceof InvalidScheduleError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const print = (line: string) => process.stdout.write(`${line}\n`);
print('| spec | question | share of the budget | first, ms | then, ms | ns a step |');
print('| --- | --- | ---: | ---: | ---: | ---: |');
for (const [name, spec] of Object.entries(SPECS)) {
  for (const [question, ask] of Object.entries(questions(spec, NOW))) {
    const [first, ...rest] = list(CALLS, () => milliseconds(ask)) as [number, ...number[]];
    const steps = stepsOf(ask);
    const then = Math.min(...rest);
    const share = `${((100 * steps) / STEPS_AT_MOST).toFixed(0)} %${steps === STEPS_AT_MOST ? ', refused' : ''}`;
    print(
      `| ${name} | ${question} | ${share} | ${first.toFixed(1)} | ${then.toFixed(1)} | ${((then * 1e6) / steps).toFixed(0)} |`,
    );
  }
}
