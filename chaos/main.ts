import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { Cleanup } from '../bench/lib/cleanup';
import { MeasuredCommit } from '../bench/lib/commit';
import { measuredOn } from '../bench/lib/report/report';
import { linesOf, planIn } from './journal';
import { MEMBERS } from './members';
import { huntEach } from './mutants/hunt-each';
import { MUTANTS } from './mutants/mutants';
import { NEMESES } from './nemesis';
import { jsonOf, RESULTS, writeCounts } from './page';
import { type Plan, planOf } from './plan';
import { run } from './run';
import { shrink } from './shrink';
import { isClean, type Result, summed } from './summary';
import type { AtEnd } from './world/at-end';
import { ROOT, SHIPPED } from './world/program';

const LOGS = join(ROOT, '.cache', 'chaos');

interface Options {
  minutes: number;
  seed: number;
  share: number;
  startsRefused: number;
  settle: number;
  fault?: string[];
  replay?: string;
  shrink?: string;
  mutant?: string;
  record: boolean;
  json: boolean;
}

async function main(): Promise<void> {
  const names = NEMESES.map(({ name }) => name);
  const options = new Command('npm run chaos --')
    .description(
      'Break servers, processes and networks under some 150 schedules, and count what became of each occurrence.',
    )
    .option('--minutes <minutes>', 'how long the schedules are due and faults happen, without set-up', positive, 2)
    .option('--seed <seed>', 'seed of everything that is drawn', Number, 1)
    .option('--share <share>', 'of the schedules of each kind: 0.3 is about a third of the load', positive, 1)
    .option('--fault <name...>', `only faults of these kinds: ${names.join(', ')} (default: all)`)
    .option(
      '--starts-refused <minutes>',
      'an additional fault: for this long, no start of any trigger reaches the server',
      positive,
      0,
    )
    .option(
      '--settle <seconds>',
      'how long all may take to settle after the last fault: more than 60 where other work slows the machine',
      positive,
      60,
    )
    .option('--replay <file>', 'do what a log or a scenario file says again, instead of drawing')
    .option(
      '--shrink <file>',
      'run it without each of its faults in turn, and write the faults that are left to a file beside it',
    )
    .option(
      '--mutant <name>',
      `plant a known fault in a copy of the program, and exit with 0 only if a short run reports it (all: each in turn): ${MUTANTS.map(({ name }) => name).join(', ')}`,
    )
    .option('--record', 'write what was counted to chaos/results, as docs/reliability.md shows it', false)
    .option('--json', 'write what was counted as JSON to standard output', false)
    .parse()
    .opts<Options>();
  for (const name of options.fault ?? []) {
    if (!names.includes(name)) throw new Error(`there is no fault '${name}': there are ${names.join(', ')}`);
  }
  mkdirSync(LOGS, { recursive: true });
  if (options.mutant !== undefined) {
    const found = await huntEach(
      options.mutant,
      { settleMilliseconds: options.settle * 1_000, onProgress: say },
      cleaned,
    );
    process.exitCode = found ? 0 : 1;
    return;
  }
  if (options.shrink !== undefined) return shrinkFile(options.shrink, options);
  const plan = options.replay === undefined ? drawn(options, names) : planIn(options.replay);
  const commit = options.record ? await MeasuredCommit.read() : undefined;
  const result = await runOnce(plan, options);
  if (commit) record(result, await commit.describe());
  for (const example of result.examples) console.error(`  ${example}`);
  console.log(options.json ? JSON.stringify(result) : summed(result));
  process.exitCode = isClean(result) ? 0 : 1;
}

function positive(text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  throw new InvalidArgumentError('Give a number above 0.');
}

function drawn({ seed, minutes, share, fault, startsRefused }: Options, names: string[]): Plan {
  const milliseconds = Math.round(minutes * 60) * 1_000;
  return planOf({
    seed,
    milliseconds,
    share,
    members: MEMBERS,
    faults: fault ?? names,
    startsRefusedMilliseconds: startsRefused * 60_000,
  });
}

function runOnce(plan: Plan, { settle }: Options): Promise<Result> {
  const log = join(LOGS, `seed-${plan.seed}-${Date.now()}.jsonl`);
  say(`log: ${log}`);
  const options = { plan, program: SHIPPED, log, settleMilliseconds: settle * 1_000, onProgress: say };
  return cleaned(async (atEnd) => (await run(options, atEnd)).result);
}

/** Does the work, and then stops what the work has started, also at SIGINT or SIGTERM. */
async function cleaned<Of>(work: (atEnd: AtEnd) => Promise<Of>): Promise<Of> {
  const cleanup = new Cleanup(say);
  const stop = () => void cleanup.run().then(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    return await work((undo) => cleanup.add('clean-up', undo));
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
    await cleanup.run();
  }
}

async function shrinkFile(file: string, options: Options): Promise<void> {
  const least = await shrink(planIn(file), async (plan) => {
    const result = await runOnce(plan, options);
    say(`with ${plan.faults.length} faults: ${summed(result)}`);
    return !isClean(result);
  });
  const scenario = `${file.replace(/\.jsonl$/, '')}.scenario.jsonl`;
  writeFileSync(
    scenario,
    linesOf(least)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  console.log(`${least.faults.length} faults are left: ${scenario}`);
}

function record(result: Result, commit: string): void {
  mkdirSync(RESULTS, { recursive: true });
  const recorded = { date: new Date().toISOString(), ...measuredOn(commit), load: loadavg()[2], ...result };
  writeFileSync(join(RESULTS, `seed-${result.seed}.json`), jsonOf(recorded));
  writeCounts();
}

function say(line: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
}

main().then(
  // By now everything was stopped. The process exits explicitly, in case a handle is still open.
  () => process.exit(),
  (error) => {
    console.error(`chaos: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
