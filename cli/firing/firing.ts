import { type Command, Option } from 'commander';
import type { ListFiringsOptions } from '../../client/list/list-options';
import { FIRING_KINDS, FIRING_OUTCOMES, FIRING_STATES, type FiringState } from '../../core/firing';
import { given } from '../../core/given';
import type { Firing } from '../../index';
import { type ClientOptions, type Environment, withClient, withTenant } from '../environment';
import { alias } from '../options/alias';
import { parseCount, parseTime } from '../options/arguments';
import { type Cell, printJson, printMore, printSafely, printTime, Table } from '../output/output';
import { withTimes } from '../output/output-flags';
import { untilStopped } from '../output/watch';
import { addRunAgainCommand } from './firing-run-again';
import { type ReadNewest, tailFirings } from './firing-watch';

type ListOptions = ClientOptions &
  Omit<ListFiringsOptions, 'workflowType' | 'pageSize' | 'order' | 'state'> & {
    state?: (FiringState | typeof RUNNING)[];
    type?: string;
    oldestFirst?: boolean;
    limit: number;
    cursor?: string;
    json?: boolean;
    watch?: boolean;
  };

/** This command's name for the state `linked`. */
const RUNNING = 'running';

export function addFiringCommands(program: Command, environment: Environment): void {
  const firing = program.command('firing').description('List firings, and run them again.');
  addRunAgainCommand(firing, environment);
  withTimes(withTenant(firing.command('list')))
    .description('List firings, newest first.')
    .usage('[schedule-id] [options]')
    .argument('[schedule-id]', 'only those of this schedule, live or deleted')
    .addOption(alias('-s, --schedule-id <id>', 'scheduleId'))
    .option('--from <time>', 'only those scheduled at this time (ISO 8601; UTC without an offset) or later', parseTime)
    .option('--to <time>', 'only those scheduled before this time (ISO 8601; UTC without an offset)', parseTime)
    .addOption(
      new Option('--state <state...>', 'only those in one of these states; running means linked').choices([
        ...FIRING_STATES,
        RUNNING,
      ]),
    )
    .addOption(
      new Option('--outcome <outcome...>', 'only those that ended in one of these ways').choices(FIRING_OUTCOMES),
    )
    .addOption(new Option('--kind <kind...>', 'only those of one of these kinds').choices(FIRING_KINDS))
    .option('--source <source>', 'only those of schedules that this source declared')
    .option('--namespace <name>', 'only those in this Temporal namespace')
    .option('-t, --task-queue <name>', 'only those on this task queue')
    .option('--type <workflow>', 'only those of this workflow type')
    .option('--text <text>', "only those with this text in their schedule's ID or note")
    .option('--oldest-first', 'the oldest first')
    .option('--limit <count>', 'how many at most', parseCount, 50)
    .option('--cursor <cursor>', 'continue after a page that --limit ended')
    .option('--json', 'print JSON, one line a row')
    .addOption(
      new Option(
        '--watch',
        'print new firings, and changes of the 200 newest, until Ctrl-C; older nominal times, as of backfills, may be left out',
      ).conflicts(['cursor', 'oldestFirst']),
    )
    .action(async (scheduleId: string | undefined, options: ListOptions) => {
      const {
        databaseUrl,
        databasePasswordCommand,
        schema,
        tenant,
        json,
        watch,
        type,
        oldestFirst,
        limit,
        cursor,
        state,
        ...filter
      } = options;
      const wanted = { ...filter, ...given({ scheduleId }), state: stored(state), workflowType: type };
      const show = json ? (firings: Firing[]) => firings.forEach(printJson) : tableOf();
      await withClient(environment, options, async (client) => {
        if (watch) {
          const read: ReadNewest = (page) => client.firingsPage({ ...wanted, ...page });
          const fail = ({ message }: Error) => printSafely(process.stderr, [`escapement: ${message}; trying again`]);
          return tailFirings(read, limit, untilStopped(), { show, fail });
        }
        const order = oldestFirst ? 'oldest' : 'newest';
        const { firings, nextCursor } = await client.firingsPage({ ...wanted, order, pageSize: limit, cursor });
        show(firings);
        printMore(nextCursor);
      });
    });
}

function tableOf(): (firings: Firing[]) => void {
  const table = new Table(['SCHEDULED', 'SCHEDULE', 'KIND', 'STATE', 'OUTCOME, REASON', 'WORKFLOW']);
  return (firings) => table.print(firings.map(rowOf));
}

function rowOf({ scheduledTime, scheduleId, kind, state, outcome, reason, stalled, workflowId }: Firing): Cell[] {
  const shown = state === 'linked' ? RUNNING : state;
  return [
    printTime(scheduledTime),
    scheduleId,
    kind,
    shown,
    outcome ?? reason ?? (stalled ? `stalled: ${stalled}` : undefined),
    workflowId ?? undefined,
  ];
}

function stored(states: ListOptions['state']): FiringState[] | undefined {
  return states?.map((state) => (state === RUNNING ? 'linked' : state));
}
