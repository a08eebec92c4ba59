import { type Command, InvalidArgumentError, Option } from 'commander';
import { OVERLAP_POLICIES, type OverlapPolicy, type ScheduleOptions } from '../core/schedule';
import { type DatabaseOptions, type Environment, withClient, withDatabase } from './environment';
import { printJson, printTable, printTime } from './output';
import { addNextCommand } from './schedule-next-command';

type Common = DatabaseOptions & { json?: boolean };

interface CreateOptions extends Common {
  scheduleId: string;
  cron?: string[];
  interval?: string[];
  timeZone?: string;
  type: string;
  taskQueue: string;
  input?: unknown[];
  workflowId?: string;
  overlapPolicy?: OverlapPolicy;
  catchupWindow?: string;
  paused?: boolean;
  notes?: string;
}

/** `escapement schedule …`, grouped and named as `temporal schedule`. */
export function addScheduleCommands(program: Command, environment: Environment): void {
  const schedule = program.command('schedule').description('Register schedules and change them.');
  const add = (name: string, description: string) =>
    withDatabase(schedule.command(name)).description(description).option('--json', 'print JSON, one line a row');
  const addForOne = (name: string, description: string) =>
    add(name, description).requiredOption('-s, --schedule-id <id>', 'name of the schedule');

  addNextCommand(schedule);

  addForOne('create', 'Register a schedule.')
    .option('--cron <expression...>', 'when: 5 fields, or 6 with leading seconds')
    .option('--interval <duration...>', "when: every '5m', '1 hour' …")
    .option('--time-zone <zone>', 'IANA time zone of --cron (default: UTC)')
    .requiredOption('--type <workflow>', 'workflow type to start')
    .requiredOption('-t, --task-queue <name>', 'task queue of its workers')
    .option('-i, --input <json...>', 'arguments, each a JSON value', parseInput)
    .option('-w, --workflow-id <prefix>', "prefix of the workflow IDs (default: '<schedule-id>-workflow')")
    .addOption(new Option('--overlap-policy <policy>', 'default: SKIP').choices(OVERLAP_POLICIES))
    .option('--catchup-window <duration>', "how late a missed firing may start (default: '1 year')")
    .option('--paused', 'create it paused')
    .option('--notes <text>', 'why it is in that state')
    .action(async (options: CreateOptions, command: Command) => {
      if (!options.cron && !options.interval) command.error('error: give --cron or --interval');
      await withClient(environment, options, async (client) => {
        const handle = await client.create(scheduleOptions(options));
        const times = await handle.nextTimes();
        if (options.json) printJson({ scheduleId: handle.scheduleId, nextTimes: times });
        else console.log(`Created '${handle.scheduleId}'. Next: ${times.map(printTime).join(', ')}`);
      });
    });

  addForOne('describe', 'Show a schedule and its next times.').action(
    async (options: Common & { scheduleId: string }) => {
      const description = await withClient(environment, options, (client) =>
        client.getHandle(options.scheduleId).describe(),
      );
      if (options.json) printJson(description);
      else console.log(JSON.stringify(description, null, 2));
    },
  );

  add('list', 'List the live schedules.')
    .option('--tenant <tenant>', 'only those of this tenant')
    .action(async (options: Common & { tenant?: string }) => {
      await withClient(environment, options, async (client) => {
        const rows: (string | undefined)[][] = [];
        for await (const summary of client.list({ tenant: options.tenant })) {
          const { scheduleId, action, state, info } = summary;
          if (options.json) printJson(summary);
          else
            rows.push([scheduleId, action.workflowType, state.paused ? 'paused' : 'live', printTime(info.nextFireAt)]);
        }
        if (!options.json) printTable(['SCHEDULE', 'WORKFLOW', 'STATE', 'NEXT'], rows);
      });
    });

  addForOne('pause', 'Fire nothing until unpause.')
    .option('--reason <text>', 'why')
    .action(async (options: Common & { scheduleId: string; reason?: string }) => {
      await withClient(environment, options, (client) => client.getHandle(options.scheduleId).pause(options.reason));
      report(options, { scheduleId: options.scheduleId, paused: true }, `Paused '${options.scheduleId}'.`);
    });

  addForOne('unpause', 'Go on from now; what fell in the pause stays unfired, as a gap.')
    .option('--reason <text>', 'why')
    .action(async (options: Common & { scheduleId: string; reason?: string }) => {
      await withClient(environment, options, (client) => client.getHandle(options.scheduleId).unpause(options.reason));
      report(options, { scheduleId: options.scheduleId, paused: false }, `Unpaused '${options.scheduleId}'.`);
    });

  addForOne('trigger', 'Fire once now.')
    .addOption(new Option('--overlap-policy <policy>', "default: the schedule's").choices(OVERLAP_POLICIES))
    .action(async (options: Common & { scheduleId: string; overlapPolicy?: OverlapPolicy }) => {
      const { scheduleId, overlapPolicy } = options;
      const firing = await withClient(environment, options, (client) =>
        client.getHandle(scheduleId).trigger(overlapPolicy),
      );
      report(options, firing, `Asked for ${firing.workflowId}.`);
    });

  addForOne('delete', 'Delete a schedule; its history stays.').action(
    async (options: Common & { scheduleId: string }) => {
      await withClient(environment, options, (client) => client.getHandle(options.scheduleId).delete());
      report(options, { scheduleId: options.scheduleId, deleted: true }, `Deleted '${options.scheduleId}'.`);
    },
  );
}

function scheduleOptions(options: CreateOptions): ScheduleOptions {
  return {
    scheduleId: options.scheduleId,
    spec: {
      ...(options.cron ? { cron: options.cron } : {}),
      ...(options.interval ? { intervals: options.interval.map((every) => ({ every: every as '1s' })) } : {}),
      ...(options.timeZone ? { timezone: options.timeZone } : {}),
    },
    action: {
      type: 'startWorkflow',
      workflowType: options.type,
      taskQueue: options.taskQueue,
      args: options.input ?? [],
      workflowId: options.workflowId,
    },
    policies: { overlap: options.overlapPolicy, catchupWindow: options.catchupWindow as '1 year' | undefined },
    state: { paused: options.paused ?? false, note: options.notes },
  };
}

function parseInput(value: string, previous: unknown[] = []): unknown[] {
  try {
    return [...previous, JSON.parse(value)];
  } catch {
    throw new InvalidArgumentError(`'${value}' is not JSON; a text is written '"text"'.`);
  }
}

function report(options: Common, value: unknown, sentence: string): void {
  if (options.json) printJson(value);
  else console.log(sentence);
}
