import { Client, Connection } from '@temporalio/client';
import { type Command, Option } from 'commander';
import type { EscapementClient } from '../client/client';
import type { Redrive, RedriveCounts } from '../client/dead-letters';
import {
  LETTER_KINDS,
  LETTER_STATES,
  type LetterKind,
  type LetterState,
  REDRIVE_MODES,
  type RedriveMode,
} from '../core/redrive';
import { describeSteps } from '../core/reset-point';
import type { DeadLetter } from '../index';
import { parseCount, parseTime } from './arguments';
import { type DatabaseOptions, type Environment, withClient, withDatabase } from './environment';
import { printJson, printTable, printTime } from './output';
import { ProgressLine } from './progress';

type Common = DatabaseOptions & { json?: boolean };

interface FilterOptions extends Common {
  scheduleId?: string;
  kind?: LetterKind;
  tenant?: string;
  from?: Date;
  to?: Date;
}

interface RedriveCommandOptions extends FilterOptions {
  all?: boolean;
  mode?: RedriveMode;
  force?: boolean;
  dryRun?: boolean;
  note?: string;
}

/** `escapement dead-letter …`: firings that need a person. */
export function addDeadLetterCommands(program: Command, environment: Environment): void {
  const letter = program.command('dead-letter').description('Firings that need a person: look, try again, give up.');
  const add = (name: string, description: string) =>
    withDatabase(letter.command(name)).description(description).option('--json', 'print JSON, one line a row');

  withFilter(add('list', 'List dead letters, newest first.'))
    .addOption(new Option('--state <state>', 'only those in this state').choices(LETTER_STATES))
    .option('--limit <count>', 'how many at most', parseCount, 50)
    .action((options: FilterOptions & { state?: LetterState; limit: number }) =>
      withClient(environment, options, (client) => list(client, options)),
    );

  add('show <id>', 'Show one dead letter.').action((id: string, options: Common) =>
    withClient(environment, options, async (client) => {
      const found = await client.deadLetters.get(id);
      if (options.json) printJson(found);
      else console.log(JSON.stringify(found, null, 2));
    }),
  );

  withFilter(add('redrive [id]', 'Try again: one letter, or with --all every open one that matches.'))
    .option('--all', 'every open letter that the other options match')
    .addOption(new Option('--mode <mode>', 'default: resume, or restart for what never started').choices(REDRIVE_MODES))
    .option('--force', 'resume even where other steps run again')
    .option('--dry-run', 'say what would happen, and change nothing')
    .option('--note <text>', 'why')
    .addHelpText(
      'after',
      `
Modes:
  resume    go on at the failed step; what was done before stays done
  restart   start the firing from the beginning, as a new workflow
  continue  let a parked step try again in place`,
    )
    .action(async (id: string | undefined, options: RedriveCommandOptions, command: Command) => {
      if ((id === undefined) === !options.all) command.error('error: give the ID of a letter, or --all');
      if (id !== undefined && Object.keys(filterOf(options)).length > 0) {
        command.error('error: --schedule-id, --kind, --tenant, --from and --to go with --all');
      }
      await withTemporal(environment, options, (client) =>
        id === undefined ? redriveAll(client, options) : redriveOne(client, id, options),
      );
    });

  add('discard <id>', 'Give a letter up; the reason stays with it.')
    .requiredOption('--note <text>', 'why')
    .action((id: string, options: Common & { note: string }) =>
      withClient(environment, options, async (client) => {
        const discarded = await client.deadLetters.discard(id, { note: options.note });
        if (options.json) printJson(discarded);
        else console.log(`Discarded ${id}.`);
      }),
    );
}

function withFilter(command: Command): Command {
  return command
    .option('-s, --schedule-id <id>', 'only those of this schedule, live or deleted')
    .addOption(new Option('--kind <kind>', 'only those of this kind').choices(LETTER_KINDS))
    .option('--tenant <tenant>', 'only those of this tenant')
    .option('--from <time>', 'only those written at this time (ISO 8601) or later', parseTime)
    .option('--to <time>', 'only those written before this time (ISO 8601)', parseTime);
}

/** Only what was given. */
function filterOf({ scheduleId, kind, tenant, from, to }: FilterOptions) {
  return Object.fromEntries(
    Object.entries({ scheduleId, kind, tenant, from, to }).filter(([, value]) => value !== undefined),
  );
}

async function list(client: EscapementClient, options: FilterOptions & { state?: LetterState; limit: number }) {
  const rows: (string | undefined)[][] = [];
  const { state, limit } = options;
  let left = limit;
  for await (const row of client.deadLetters.list({ ...filterOf(options), state, pageSize: Math.min(limit, 200) })) {
    if (left-- === 0) break;
    if (options.json) printJson(row);
    else rows.push([row.letterId, printTime(row.scheduledTime), row.scheduleId, row.kind, row.state, whyOf(row)]);
  }
  if (!options.json) printTable(['ID', 'SCHEDULED', 'SCHEDULE', 'KIND', 'STATE', 'WHY'], rows);
}

/** `failed: chargeCard, CardDeclined: no money` */
function whyOf({ reason, failedStep }: DeadLetter): string {
  if (!failedStep) return reason;
  const { activityType, failure } = failedStep;
  const step = activityType ? `${activityType}, ` : '';
  // One row is one line, whatever a failure says.
  return `${reason}: ${step}${failure.type}: ${failure.message}`.replace(/\s+/g, ' ').slice(0, 120);
}

async function redriveOne(client: EscapementClient, id: string, options: RedriveCommandOptions): Promise<void> {
  const { mode, force, dryRun, note } = options;
  const redrive = await client.deadLetters.redrive(id, { mode, force, dryRun, note });
  if (options.json) printJson(redrive);
  else console.log(dryRun ? describePlan(redrive, force) : `Asked for ${id} to ${redrive.mode}.`);
}

function describePlan({ letter, mode, plan }: Redrive, force = false): string {
  const name = `${letter.scheduleId} of ${printTime(letter.scheduledTime)}`;
  if (letter.state === 'redriving') return `${name} is being redriven already.`;
  if (mode !== 'resume') return `Would ${mode} ${name}.`;
  const from = plan?.step ? ` at ${describeSteps([plan.step])}` : '';
  const again = plan && plan.siblings.length > 0 ? `; runs again besides: ${describeSteps(plan.siblings)}` : '';
  return `Would resume ${name}${from}${again}${again && !force ? ' (needs --force)' : ''}.`;
}

async function redriveAll(client: EscapementClient, options: RedriveCommandOptions): Promise<void> {
  const { mode, force, dryRun, note } = options;
  const line = new ProgressLine();
  const progress = (counts: RedriveCounts) =>
    line.update(counts.redriven + refusedOf(counts), counts.total, `${refusedOf(counts)} refused`);
  const filter = { ...filterOf(options), state: 'open' as const };
  const counts = await client.deadLetters
    .redriveAll(filter, { mode, force, dryRun, note, progress })
    .finally(() => line.end());
  if (options.json) printJson(counts);
  else {
    const refused = Object.entries(counts.refused).map(([name, count]) => `${count} ${name}`);
    const ending = refused.length > 0 ? `; refused: ${refused.join(', ')}` : '';
    console.log(`${dryRun ? 'Would redrive' : 'Asked for'} ${counts.redriven} of ${counts.total}${ending}.`);
  }
  if (refusedOf(counts) > 0) process.exitCode = 1;
}

function refusedOf({ refused }: RedriveCounts): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0);
}

/** With a look into Temporal, which connects when it is needed. */
async function withTemporal(
  environment: Environment,
  options: DatabaseOptions,
  work: (client: EscapementClient) => Promise<void>,
): Promise<void> {
  const connection = Connection.lazy(environment.temporal().connectionOptions);
  try {
    await withClient(environment, { ...options, temporal: new Client({ connection }) }, work);
  } finally {
    await connection.close();
  }
}
