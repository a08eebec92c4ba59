import { type Command, Option } from 'commander';
import { given } from '../../core/given';
import { REDRIVE_MODES, type RedriveMode } from '../../core/letters/redrive';
import { describeSteps } from '../../core/letters/reset-point';
import type {
  DeadLetter,
  EscapementClient,
  LetterFilter,
  PlannedRedrive,
  PlanRedriveOptions,
  Redrive,
  RedriveCounts,
} from '../../index';
import { type ClientOptions, type Environment, withClient, withTenant } from '../environment';
import { parseCount } from '../options/arguments';
import { type ProfileFlags, temporalClients, temporalOf, withProfiles } from '../options/namespaces';
import { print, printJson, printTime } from '../output/output';
import { showLetterProgress, summaryOf } from './dead-letter-progress';
import { filterOf, type LetterFlags, withLetterFilter } from './letter-filter';
import { type VersioningFlags, versioningOverrideOf, withVersioningOverride } from './versioning-flags';

interface RedriveOptions extends ClientOptions, LetterFlags, VersioningFlags, ProfileFlags {
  all?: boolean;
  first?: boolean;
  rate?: number;
  mode?: RedriveMode;
  force?: boolean;
  dryRun?: boolean;
  note?: string;
  json?: boolean;
}

export function addRedriveCommand(letters: Command, environment: Environment): void {
  withVersioningOverride(withLetterFilter(withProfiles(withTenant(letters.command('redrive')))))
    .description(
      'Redrive a dead letter: try again what failed. A trigger usually starts it within about two seconds. With --all, each waits for its turn and the rate.',
    )
    .argument('[letter-id]', 'one letter; or give --all')
    .usage('[letter-id] [options]')
    .option('--all', 'every open letter, or those that match the filters')
    .option('--first', 'with --all: only the oldest of them, to try one first')
    .option('--rate <count>', 'with --all: how many a second at most (default: 20)', parseCount)
    .addOption(
      new Option(
        '--mode <mode>',
        'continue a parked step; resume at the failed step; restart from the beginning (default: by the kind)',
      ).choices(REDRIVE_MODES),
    )
    .option('--force', 'resume even if other steps run again')
    .option('--dry-run', 'change nothing, and show what would happen to each letter')
    .option('--note <text>', 'note for the letter')
    .option('--json', 'print JSON')
    .action((letterId: string | undefined, options: RedriveOptions, command: Command) => {
      if ((letterId === undefined) === !options.all) command.error('error: give the ID of one letter, or --all');
      const isNarrowed = Object.keys(filterOf(options)).length > 0 || options.first || options.rate !== undefined;
      if (letterId !== undefined && isNarrowed) {
        command.error('error: filters, --first and --rate are only for --all; leave them out for one letter');
      }
      return redrive(environment, letterId, { ...options, ...versioningOverrideOf(options, command) });
    });
}

async function redrive(
  environment: Environment,
  letterId: string | undefined,
  options: RedriveOptions & ReturnType<typeof versioningOverrideOf>,
): Promise<void> {
  const { json, mode, force, dryRun, note, first, rate, versioningOverride } = options;
  const how = { mode, force, dryRun, note, versioningOverride };
  const temporal = temporalClients(temporalOf(environment, options));
  const work = async ({ deadLetters }: EscapementClient) => {
    if (letterId !== undefined) {
      const done = await deadLetters.redrive(letterId, how);
      if (json) printJson(done);
      else print(sentenceOf(done, how));
      return;
    }
    const filter = { ...filterOf(options), state: 'open' as const };
    const atMost = given({ atMost: first ? 1 : undefined });
    if (dryRun) return dryRunAll(deadLetters, filter, { mode, force, ...atMost }, json);
    let last: string | undefined;
    const progress = (now: RedriveCounts, { letterId }: DeadLetter) => {
      last = letterId;
      showLetterProgress(now);
    };
    const counts = await deadLetters.redriveAll(filter, { ...how, ...atMost, progress, perSecond: rate });
    if (json) printJson(first && last ? { ...counts, letterId: last } : counts);
    else {
      print(summaryOf('Redriving', counts, counts.redriven));
      if (isAnyRefused(counts)) print('Run the same with --dry-run to see why for each letter.');
      else if (first && last) print(`'escapement dead-letter show ${last}' shows the result.`);
    }
    failIfRefused(counts);
  };
  try {
    await withClient(environment, options, work, temporal.of);
  } catch (error) {
    throw temporal.named(error);
  } finally {
    await temporal.close();
  }
}

async function dryRunAll(
  deadLetters: EscapementClient['deadLetters'],
  filter: LetterFilter,
  options: PlanRedriveOptions,
  json: boolean | undefined,
): Promise<void> {
  let counts: RedriveCounts = { total: 0, redriven: 0, refused: {} };
  // On a terminal the printed lines show the progress themselves, so there is no progress bar.
  const isShown = !process.stdout.isTTY;
  const progress = (now: RedriveCounts) => {
    counts = now;
    if (isShown) showLetterProgress(now);
  };
  for await (const plan of deadLetters.plan(filter, { ...options, progress })) {
    if (json) printJson(plan);
    else print(lineOf(plan));
  }
  if (!json) print(summaryOf('Would redrive', counts, counts.redriven));
  failIfRefused(counts);
}

function isAnyRefused({ refused }: RedriveCounts): boolean {
  return Object.keys(refused).length > 0;
}

function failIfRefused(counts: RedriveCounts): void {
  if (isAnyRefused(counts)) process.exitCode = 1;
}

function lineOf({ letter, mode, workflowId, step, again, unanswered, refused }: PlannedRedrive): string {
  const firing = `${letter.letterId}  ${letter.scheduleId} ${printTime(letter.scheduledTime)}`;
  if (refused) return `${firing}: not redriven: ${refused.message}`;
  if (mode === 'restart') return `${firing}: restart; every step runs, as ${workflowId}`;
  const at = step ? ` at ${describeSteps([step])}` : '';
  const beside = again?.length ? `; these run again: ${describeSteps(again)}` : '';
  const unknown = unanswered === undefined ? '' : `; Temporal did not say what else runs again (${unanswered})`;
  return `${firing}: ${mode}${at}${beside}${unknown}`;
}

function sentenceOf({ letter, mode, plan }: Redrive, { dryRun, force }: RedriveOptions): string {
  const what = `${dryRun ? 'Would redrive' : 'Redriving'} '${letter.letterId}' by ${mode}`;
  const step = plan?.step ? ` at ${plan.step.name}` : '';
  const again = plan?.siblings.length
    ? `; these run again: ${describeSteps(plan.siblings)}${force ? '' : ' (needs --force)'}`
    : '';
  return `${what}${step}${again}${restartWarning(letter, mode)}.`;
}

function restartWarning({ kind }: Redrive['letter'], mode: Redrive['mode']): string {
  return mode === 'restart' && kind === 'workflow' ? '; every step runs again, under a new workflow ID' : '';
}
