/**
 * Compares Escapement's occurrences with those of cron-parser and croner in one run:
 * `npx tsx bench/occurrences.ts [--count 10000] [--repeats 3]`. Each library parses an expression once, and then lists
 * its occurrences. The libraries take turns, so that load on the machine affects all of them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { compileSpec } from '../core/occurrences';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    repeats: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
});
const COUNT = Number(values.count);
const REPEATS = Number(values.repeats);
const FROM = Date.UTC(2026, 0, 1);
/**
 * When a rare expression reaches this instant, each library starts again at the beginning. So each library lists
 * `--count` occurrences of each expression.
 */
const UNTIL = Date.UTC(2090, 0, 1);

const SCHEDULES = [
  '*/10 * * * * *',
  '* * * * *',
  '*/15 9-17 * * 1-5',
  '0 2 * * *',
  '30 8 * * 1-5',
  '0 0 1 * *',
  '0 12 L * *',
];
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York'];

type Iterate = (times: Float64Array) => void;

const libraries: Record<string, (cron: string, timezone: string) => Iterate> = {
  escapement(cron, timezone) {
    const compiled = compileSpec({ cron, timezone });
    return (times) => {
      let at = FROM;
      for (let i = 0; i < times.length; i++) {
        at = compiled.next(at)!;
        if (at > UNTIL) at = compiled.next(FROM)!;
        times[i] = at;
      }
    };
  },
  'cron-parser'(cron, timezone) {
    const parsed = CronExpressionParser.parse(cron, { currentDate: new Date(FROM), tz: timezone });
    return (times) => {
      parsed.reset(new Date(FROM));
      for (let i = 0; i < times.length; i++) {
        let at = parsed.next().getTime();
        if (at > UNTIL) {
          parsed.reset(new Date(FROM));
          at = parsed.next().getTime();
        }
        times[i] = at;
      }
    };
  },
  croner(cron, timezone) {
    const parsed = new Cron(cron, { timezone, paused: true });
    return (times) => {
      let at: Date | null = new Date(FROM);
      for (let i = 0; i < times.length; i++) {
        at = parsed.nextRun(at);
        if (at === null || at.getTime() > UNTIL) at = parsed.nextRun(new Date(FROM));
        times[i] = at!.getTime();
      }
    };
  },
};

function milliseconds(work: () => void): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

const print = (line = '') => process.stdout.write(`${line}\n`);

function iterate() {
  const names = Object.keys(libraries);
  const totals: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, Array(REPEATS).fill(0)]));
  print(
    `${COUNT} occurrences of ${SCHEDULES.length} schedules in ${ZONES.length} zones, ${REPEATS} repeats, ms (median):\n`,
  );
  print(`| schedule | zone | ${names.join(' | ')} | cron-parser / ours | differ from cron-parser |`);
  print(`| --- | --- | ${names.map(() => '---:').join(' | ')} | ---: | ---: |`);
  for (const cron of SCHEDULES) {
    for (const zone of ZONES) {
      const ready = names.map((name) => ({ name, run: libraries[name]!(cron, zone), times: new Float64Array(COUNT) }));
      const taken: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
      for (let repeat = 0; repeat < REPEATS; repeat++) {
        for (const { name, run, times } of ready) {
          const ms = milliseconds(() => run(times));
          taken[name]!.push(ms);
          totals[name]![repeat]! += ms;
        }
      }
      const [ours, parser] = ready.map(({ times }) => times);
      const differ = ours!.filter((time) => !parser!.includes(time)).length;
      const cells = names.map((name) => median(taken[name]!).toFixed(2));
      const ratio = median(taken['cron-parser']!) / median(taken.escapement!);
      print(`| \`${cron}\` | ${zone} | ${cells.join(' | ')} | ${ratio.toFixed(0)} | ${differ} |`);
    }
  }
  const total = (name: string) => median(totals[name]!);
  print();
  for (const name of names) {
    const spread = `${Math.min(...totals[name]!).toFixed(1)} – ${Math.max(...totals[name]!).toFixed(1)}`;
    print(`- total ${name}: ${total(name).toFixed(1)} ms (${spread})`);
  }
  const ratio = total('cron-parser') / total('escapement');
  print(
    `- cron-parser takes ${ratio.toFixed(0)} times as long, croner ${(total('croner') / total('escapement')).toFixed(0)} times`,
  );
  return { totals, ratio };
}

/** Specs of several kinds in turn, in many time zones. */
function definition(i: number): string {
  const zones = Intl.supportedValuesOf('timeZone');
  const timezone = zones[i % zones.length];
  const minute = i % 60;
  const hour = Math.floor(i / 60) % 24;
  const day = (Math.floor(i / 1440) % 28) + 1;
  const spec = [
    { cron: `${minute} ${hour} ${day} * *`, timezone },
    { cron: `${minute} ${hour} * * 1-5 ${2026 + (i % 70)}`.replace(/^/, '0 '), timezone },
    { cron: ['H H * * *', `H ${hour} * * 0`], timezone },
    { cronExpressions: [`${minute} ${hour} * * ${i % 7} # ${i}`], timezone },
    { calendars: [{ minute, hour, dayOfMonth: day }], skip: [{ hour: '*', month: 'AUGUST' }], timezone },
    { intervals: [{ every: `${i + 60}s`, offset: minute * 1000 }] },
    { at: new Date(FROM + i * 60_000) },
  ][i % 7];
  return JSON.stringify(spec);
}

function compile() {
  const count = 100_000;
  const texts = Array.from({ length: count }, (_, i) => definition(i));
  const kept: unknown[] = Array(count);
  const collect = () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = collect();
  const ms = milliseconds(() => {
    for (let i = 0; i < count; i++) kept[i] = compileSpec(JSON.parse(texts[i]!), { scheduleId: `schedule-${i}` });
  });
  const bytes = (collect() - before) / count;
  print(`- compiling ${count} different schedules from JSON: ${ms.toFixed(0)} ms`);
  print(
    `- memory: ${bytes.toFixed(0)} bytes a compiled schedule${globalThis.gc ? '' : ' (run node with --expose-gc for an exact figure)'}`,
  );
  const asked = milliseconds(() => {
    for (const schedule of kept as ReturnType<typeof compileSpec>[]) schedule.next(FROM);
  });
  print(`- the first next() of each of them, zone tables included: ${asked.toFixed(0)} ms`);
  return { ms, bytes, asked };
}

function never() {
  const specs: Record<string, Parameters<typeof compileSpec>[0]> = {
    'February 30': { cron: '0 0 30 2 *', timezone: 'America/Chicago' },
    'a year gone by': { cron: '0 0 0 1 1 * 2025', timezone: 'America/Denver' },
    'every second, all skipped': {
      calendars: [{ second: '*', minute: '*', hour: '*' }],
      skip: [{ second: '*', minute: '*', hour: '*' }],
      timezone: 'Europe/Paris',
    },
    'each 7 s and each minute, even and odd days skipped': {
      intervals: [{ every: '7s' }],
      cron: '* * * * *',
      skip: [1, 2].map((start) => ({ second: '*', minute: '*', hour: '*', dayOfMonth: { start, end: 31, step: 2 } })),
      timezone: 'America/Los_Angeles',
    },
    'nine to five, those hours skipped': {
      cronExpressions: ['*/5 9-17 * * *'],
      skip: [{ second: '*', minute: '*', hour: { start: 9, end: 17 } }],
      timezone: 'Europe/Madrid',
    },
    ended: { intervals: [{ every: '1s' }], endAt: new Date(FROM - 1) },
  };
  const result: Record<string, number> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const compiled = compileSpec(spec);
    let next: number | undefined;
    result[name] = milliseconds(() => {
      next = compiled.next(FROM);
    });
    print(
      `- never again (${name}): ${next === undefined ? '' : 'WRONG, '}${result[name].toFixed(3)} ms, zone table included`,
    );
  }
  return result;
}

function count() {
  const second = { second: '*', minute: '*', hour: '*' } as const;
  const specs: Record<string, Parameters<typeof compileSpec>[0]> = {
    'spec.cron * * * * * * in Berlin': { cron: '* * * * * *', timezone: 'Europe/Berlin' },
    'interval of 1 s': { intervals: [{ every: '1s' }] },
    'Temporal, every second in New York': { calendars: [second], timezone: 'America/New_York' },
    'Temporal, every second in Berlin': { calendars: [second], timezone: 'Europe/Berlin' },
  };
  const result: Record<string, number> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const compiled = compileSpec(spec);
    const first = milliseconds(() => compiled.count(FROM, FROM + 365 * 86_400_000));
    let total = 0;
    const many = milliseconds(() => {
      for (let i = 0; i < 100; i++) total = compiled.count(FROM + i * 1000, FROM + 365 * 86_400_000 + i * 1000);
    });
    result[name] = many * 10;
    print(
      `- a year of seconds (${name}): ${(many * 10).toFixed(1)} µs to count ${total}, the first time ${(first * 1000).toFixed(0)} µs`,
    );
  }
  return result;
}

const nevers = never();
const counted = count();
const compiled = compile();
const iterated = iterate();
if (values.write) {
  const folder = join(__dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'occurrences.json'),
    `${JSON.stringify({ iterated, compiled, nevers, counted }, null, 2)}\n`,
  );
}
