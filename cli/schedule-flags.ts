import { type Command, InvalidArgumentError, Option } from 'commander';
import { OVERLAP_POLICIES, type OverlapPolicy, type ScheduleSpec } from '../core/schedule';
import { zoneOf } from '../core/spec-zone';
import { alias } from './alias';
import { parseWhole } from './arguments';

/** Flags that say what a schedule is; create and update have them. */
export interface DefinitionFlags {
  cron?: string[];
  interval?: string[];
  timeZone?: string;
  type?: string;
  taskQueue?: string;
  args?: unknown[];
  workflowId?: string;
  softTimeout?: string;
  overlapPolicy?: OverlapPolicy;
  catchupWindow?: string;
  catchupLimit?: number;
  maxConcurrent?: number;
  pauseOnFailure?: boolean;
  remainingActions?: number;
  note?: string;
}

/** Add {@link DefinitionFlags}. Create cannot do without a workflow type and a task queue. */
export function withDefinition(command: Command, { forCreate }: { forCreate: boolean }): Command {
  return command
    .option('--cron <expression...>', 'when: 5 fields, or 6 with leading seconds')
    .option('--interval <duration...>', "when: every '5m', '1 hour' …")
    .option('--time-zone <zone>', `IANA time zone of --cron${forCreate ? ' (default: UTC)' : ''}`)
    .addOption(new Option('--type <workflow>', 'workflow type to start').makeOptionMandatory(forCreate))
    .addOption(new Option('-t, --task-queue <name>', 'task queue of its workers').makeOptionMandatory(forCreate))
    .option('-a, --args <json...>', 'arguments, each a JSON value', parseArgs)
    .addOption(alias('-i, --input <json...>', 'args').argParser(parseArgs))
    .option('-w, --workflow-id <prefix>', "prefix of the workflow IDs (default: '<schedule-id>-workflow')")
    .option('--soft-timeout <duration>', 'ask a workflow to cancel itself so long after its start')
    .addOption(new Option('--overlap-policy <policy>', 'default: SKIP').choices(OVERLAP_POLICIES))
    .option('--catchup-window <duration>', "how late a missed firing may start (default: '1 year')")
    .option('--catchup-limit <count>', 'how many missed firings start after downtime (default: 100)', parseWhole)
    .option('--max-concurrent <count>', 'open firings at once (default: no bound)', parseWhole)
    .option('--pause-on-failure', 'pause when a firing fails')
    .option('--remaining-actions <count>', 'how many more firings (default: no limit)', parseWhole)
    .option('--note <text>', 'why it is in that state')
    .addOption(alias('--notes <text>', 'note'));
}

/** The spec that the flags give, on top of one that there was: new times take the place of all former ones. */
export function specOf(flags: DefinitionFlags, previous: ScheduleSpec = {}): ScheduleSpec {
  const timezone = flags.timeZone ?? previous.timezone;
  if (!flags.cron && !flags.interval) return { ...previous, ...given({ timezone }) };
  const { cron: _, cronExpressions, calendars, intervals, at, ...bounds } = previous;
  // Temporal's expressions may name the zone themselves.
  const former = cronExpressions ? zoneOf(previous) : undefined;
  return {
    ...bounds,
    ...given({
      timezone: timezone ?? former,
      cron: flags.cron,
      intervals: flags.interval?.map((every) => ({ every: every as '1s' })),
    }),
  };
}

/** The action's fields that the flags give. */
export function actionOf(flags: DefinitionFlags) {
  return given({
    workflowType: flags.type,
    taskQueue: flags.taskQueue,
    args: flags.args,
    workflowId: flags.workflowId,
    softTimeout: flags.softTimeout as '1m' | undefined,
  });
}

/** The policies that the flags give. */
export function policiesOf(flags: DefinitionFlags) {
  return given({
    overlap: flags.overlapPolicy,
    catchupWindow: flags.catchupWindow as '1 year' | undefined,
    catchupLimit: flags.catchupLimit,
    maxConcurrent: flags.maxConcurrent,
    pauseOnFailure: flags.pauseOnFailure,
  });
}

/** The state that the flags give. */
export function stateOf(flags: DefinitionFlags) {
  return given({ note: flags.note, remainingActions: flags.remainingActions });
}

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Without what is undefined, so that it takes nothing's place. */
function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}

/** One argument more, as JSON. */
export function parseArgs(value: string, previous: unknown[] = []): unknown[] {
  try {
    return [...previous, JSON.parse(value)];
  } catch {
    throw new InvalidArgumentError(`'${value}' is not JSON; a text is written '"text"'.`);
  }
}
