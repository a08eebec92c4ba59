import { type Command, Option } from 'commander';
import { REDRIVE_MODES, type RedriveMode } from '../core/redrive';
import { describeSteps } from '../core/reset-point';
import type { EscapementClient, Redrive } from '../index';
import { parseCount } from './arguments';
import { showProgress, summaryOf } from './dead-letter-progress';
import { type ClientOptions, type Environment, withClientOfTemporal, withTenant } from './environment';
import { filterOf, type LetterFlags, withLetterFilter } from './letter-filter';
import { print, printJson } from './output';

interface RedriveOptions extends ClientOptions, LetterFlags {
  all?: boolean;
  first?: boolean;
  rate?: number;
  mode?: RedriveMode;
  force?: boolean;
  dryRun?: boolean;
  note?: string;
  json?: boolean;
}

/** `escapement dead-letter redrive`: one letter, or all that match. */
export function addRedriveCommand(letters: Command, environment: Environment): void {
  withLetterFilter(withTenant(letters.command('redrive')))
    .description('Try a firing again. A trigger carries it out within some two seconds.')
    .argument('[letter-id]', 'one letter; or give --all')
    .option('--all', 'every open letter, or those that the filters below name')
    .option('--first', 'with --all: only the oldest of them, to try one first')
    .option('--rate <count>', 'with --all: how many a second at most (default: 20)', parseCount)
    .addOption(
      new Option(
        '--mode <mode>',
        'continue a parked step; resume at the failed step; restart from the beginning (default: by the kind)',
      ).choices(REDRIVE_MODES),
    )
    .option('--force', 'resume even where other steps run again')
    .option('--dry-run', 'say what would happen, and change nothing')
    .option('--note <text>', 'why, for the letter')
    .option('--json', 'print JSON')
    .action((letterId: string | undefined, options: RedriveOptions, command: Command) => {
      if ((letterId === undefined) === !options.all) command.error('error: give the ID of one letter, or --all');
      const isNarrowed = Object.keys(filterOf(options)).length > 0 || options.first || options.rate !== undefined;
      if (letterId !== undefined && isNarrowed) {
        command.error('error: filters, --first and --rate narrow --all; leave them out for one letter');
      }
      return redrive(environment, letterId, options);
    });
}

async function redrive(environment: Environment, letterId: string | undefined, options: RedriveOptions): Promise<void> {
  const { json, mode, force, dryRun, note, first, rate } = options;
  const how = { mode, force, dryRun, note };
  await withClientOfTemporal(environment, options, async ({ deadLetters }: EscapementClient) => {
    if (letterId !== undefined) {
      const done = await deadLetters.redrive(letterId, how);
      if (json) printJson(done);
      else print(sentenceOf(done, how));
      return;
    }
    const progress = showProgress();
    const counts = await deadLetters.redriveAll(
      { ...filterOf(options), state: 'open' },
      { ...how, progress, ...(first ? { atMost: 1 } : {}), ...(rate === undefined ? {} : { perSecond: rate }) },
    );
    if (json) printJson(counts);
    else print(summaryOf(dryRun ? 'Would redrive' : 'Redriving', counts, counts.redriven));
    if (Object.keys(counts.refused).length > 0) process.exitCode = 1;
  });
}

function sentenceOf({ letter, mode, plan }: Redrive, { dryRun, force }: RedriveOptions): string {
  const what = `${dryRun ? 'Would redrive' : 'Redriving'} '${letter.letterId}' by ${mode}`;
  const step = plan?.step ? ` at ${plan.step.name}` : '';
  const again = plan?.siblings.length
    ? `; these run again: ${describeSteps(plan.siblings)}${force ? '' : ' (needs --force)'}`
    : '';
  return `${what}${step}${again}${restartWarning(letter, mode)}.`;
}

/** A chain that has run begins anew: what its steps did before they do again. */
function restartWarning({ kind }: Redrive['letter'], mode: Redrive['mode']): string {
  return mode === 'restart' && kind === 'workflow' ? '; every step runs again, under a new workflow ID' : '';
}
