import { type Command, Option } from 'commander';
import { LETTER_KINDS, type LetterKind, REDRIVE_MODES, type RedriveMode } from '../core/redrive';
import { describeSteps } from '../core/reset-point';
import type { EscapementClient, Redrive, RedriveCounts } from '../index';
import { type ClientOptions, type Environment, withClientOfTemporal, withTenant } from './environment';
import { print, printJson } from './output';

interface RedriveOptions extends ClientOptions {
  all?: boolean;
  scheduleId?: string;
  kind?: LetterKind;
  mode?: RedriveMode;
  force?: boolean;
  dryRun?: boolean;
  note?: string;
  json?: boolean;
}

/** `escapement dead-letter redrive`: one letter, or all that match. */
export function addRedriveCommand(letters: Command, environment: Environment): void {
  withTenant(letters.command('redrive'))
    .description('Try a firing again. A trigger carries it out within some two seconds.')
    .argument('[letter-id]', 'one letter; or give --all')
    .option('--all', 'every open letter, or those that the filters below name')
    .option('-s, --schedule-id <id>', 'with --all: only those of this schedule')
    .addOption(new Option('--kind <kind>', 'with --all: only those of this kind').choices(LETTER_KINDS))
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
      if (letterId !== undefined && (options.scheduleId ?? options.kind) !== undefined) {
        command.error('error: --schedule-id and --kind narrow --all; leave them out for one letter');
      }
      return redrive(environment, letterId, options);
    });
}

async function redrive(environment: Environment, letterId: string | undefined, options: RedriveOptions): Promise<void> {
  const { scheduleId, kind, json, mode, force, dryRun, note } = options;
  const how = { mode, force, dryRun, note };
  await withClientOfTemporal(environment, options, async ({ deadLetters }: EscapementClient) => {
    if (letterId !== undefined) {
      const done = await deadLetters.redrive(letterId, how);
      if (json) printJson(done);
      else print(sentenceOf(done, how));
      return;
    }
    // What is not given must not be there: undefined would mean all.
    const chosen = { ...(scheduleId === undefined ? {} : { scheduleId }), ...(kind === undefined ? {} : { kind }) };
    const progress = process.stderr.isTTY ? showProgress : undefined;
    const counts = await deadLetters.redriveAll({ state: 'open', ...chosen }, { ...how, progress });
    if (json) printJson(counts);
    else print(summaryOf(counts, dryRun));
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

function summaryOf({ total, redriven, refused }: RedriveCounts, dryRun = false): string {
  const reasons = Object.entries(refused).map(([name, count]) => `, ${count} refused (${name})`);
  return `${dryRun ? 'Would redrive' : 'Redriving'} ${redriven} of ${total}${reasons.join('')}.`;
}

function showProgress({ total, redriven, refused }: RedriveCounts): void {
  const done = redriven + Object.values(refused).reduce((sum, count) => sum + count, 0);
  const width = 30;
  const filled = total === 0 ? width : Math.min(width, Math.round((done / total) * width));
  process.stderr.write(
    `\r[${'#'.repeat(filled)}${' '.repeat(width - filled)}] ${done}/${total}${done >= total ? '\n' : ''}`,
  );
}
