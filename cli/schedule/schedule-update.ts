import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { ScheduleDescription } from '../../client/describe/schedule-description';
import type { ScheduleUpdateOptions } from '../../core/schedule/options';
import { type Environment, withClient } from '../environment';
import { printJson, printTable, printTime } from '../output/output';
import { withTimes } from '../output/output-flags';
import { actionOf } from './action-flags';
import { parseJson } from './read-schedules';
import { addCommandForOne, type OneScheduleOptions, onOne, report } from './schedule-commands';
import { type DefinitionFlags, labelsOf, policiesOf, stateOf, withDefinition } from './schedule-flags';
import { specOf } from './spec-flags';

type UpdateOptions = OneScheduleOptions & DefinitionFlags & { file?: string };

/** `escapement schedule update` and `versions`. */
export function addUpdateCommands(schedule: Command, environment: Environment): void {
  const update = addCommandForOne(
    schedule,
    'update',
    'Change a schedule from now on. Settings without a flag stay as they are.',
  )
    .option('--file <json>', "replace the whole definition by this file, in the form of 'describe --json'")
    .addHelpText(
      'after',
      `
--cron, --interval, --calendar, --at and --manual-only take the place of all times there were. With the first four the
time zone, skipped calendars and days, bounds and jitter stay; --skip-days '' and --only-days '' remove the days.
--args, the memos and search attributes replace all of theirs.`,
    );
  withDefinition(update, { forCreate: false }).action(
    onOne(async (options: UpdateOptions, command) => {
      const { scheduleId, file } = options;
      const given =
        options.manualOnly ||
        options.skipDays !== undefined ||
        options.onlyDays !== undefined ||
        [specOf, actionOf, policiesOf, stateOf, labelsOf].some((of) => Object.keys(of(options)).length > 0);
      if (given === (file !== undefined)) command.error('error: give either --file or flags with the changes');
      const replacement = file === undefined ? undefined : await readDefinition(file);
      const info = await withClient(environment, options, async (client) => {
        const handle = client.getHandle(scheduleId);
        await handle.update((previous) => replacement ?? changed(previous, options));
        return (await handle.describe()).info;
      });
      const { version, nextActionTimes } = info;
      const next = nextActionTimes.map(printTime).join(', ');
      report(
        options,
        { scheduleId, version, nextTimes: nextActionTimes },
        `'${scheduleId}' is at version ${version}. Next: ${next || 'none, until it is triggered'}`,
      );
    }),
  );

  withTimes(
    addCommandForOne(schedule, 'versions', 'List the definitions that a schedule has had, newest first.'),
  ).action(
    onOne(async (options: OneScheduleOptions) => {
      await withClient(environment, options, async (client) => {
        const rows: (string | undefined)[][] = [];
        for await (const version of client.getHandle(options.scheduleId).versions()) {
          if (options.json) printJson(version);
          else {
            const { spec, action, createdAt, actor, changed } = version;
            rows.push([
              String(version.version),
              printTime(createdAt),
              actor,
              changed.join(', ') || undefined,
              action.workflowType,
              JSON.stringify(spec),
            ]);
          }
        }
        if (!options.json) printTable(['VERSION', 'CREATED', 'ACTOR', 'CHANGED', 'WORKFLOW', 'SPEC'], rows);
      });
    }),
  );
}

function changed(previous: ScheduleDescription, flags: DefinitionFlags): ScheduleUpdateOptions {
  return {
    ...previous,
    ...labelsOf(flags),
    spec: specOf(flags, previous.definition.spec),
    action: { ...previous.action, ...actionOf(flags, previous.action) },
    policies: { ...previous.policies, ...policiesOf(flags) },
    state: { ...previous.state, ...stateOf(flags) },
  };
}

async function readDefinition(file: string): Promise<ScheduleUpdateOptions> {
  try {
    return parseJson(await readFile(file, 'utf8')) as ScheduleUpdateOptions;
  } catch (error) {
    throw new Error(`'${file}' cannot be read as JSON (${(error as Error).message})`);
  }
}
