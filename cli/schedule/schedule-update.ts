import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { ScheduleDescription } from '../../client/describe/schedule-description';
import { InvalidScheduleError } from '../../core/errors';
import type { ScheduleUpdateOptions } from '../../core/schedule/options';
import { type Environment, withClient } from '../environment';
import { printJson, printTable, printTime } from '../output/output';
import { withTimes } from '../output/output-flags';
import { actionOf } from './action-flags';
import { parseJson } from './read-schedules';
import {
  addCommandForOne,
  handedOverInWords,
  type OneScheduleOptions,
  onOne,
  readChanged,
  report,
} from './schedule-commands';
import { type DefinitionFlags, labelsOf, policiesOf, stateOf, withDefinition } from './schedule-flags';
import { specOf } from './spec-flags';

type UpdateOptions = OneScheduleOptions & DefinitionFlags & { file?: string };

/** How many next times the output of an update has at most. */
const TIMES = 10;

/** @throws any error but that of a spec that takes too long to evaluate */
function unlessOfSpec(error: unknown): Date[] {
  if (error instanceof InvalidScheduleError) return [];
  throw error;
}

export function addUpdateCommands(schedule: Command, environment: Environment): void {
  const update = addCommandForOne(
    schedule,
    'update',
    'Change a schedule from now on. Most settings without a flag stay as they are.',
  )
    .option('--file <json>', "replace the whole definition by this file, in the form of 'describe --json'")
    .addHelpText(
      'after',
      `
--cron, --interval, --calendar, --at and --manual-only take the place of all times there were. With the first four the
time zone, skipped calendars and days, bounds and jitter stay; --skip-days '' and --only-days '' remove the days.
--args, --alert, the memos and search attributes replace all of theirs.`,
    );
  withDefinition(update, { forCreate: false }).action(
    onOne(async (options: UpdateOptions, command) => {
      const { scheduleId, file } = options;
      const given =
        givesSpec(options) ||
        [actionOf, policiesOf, stateOf, labelsOf].some((of) => Object.keys(of(options)).length > 0);
      if (given === (file !== undefined)) command.error('error: give either --file or flags with the changes');
      const replacement = file === undefined ? undefined : { file, definition: await readDefinition(file) };
      const { version, nextTimes, handedOver } = await withClient(environment, options, async (client) => {
        const handle = client.getHandle(scheduleId);
        const { handedOver } = await handle.update((previous) =>
          replacement ? replaced(previous, replacement) : changed(previous, options),
        );
        const { info, state } = await readChanged(client, scheduleId);
        // The change is written, so a spec whose later times take too long to find is no failure.
        const times = await handle.nextTimes(TIMES).catch(unlessOfSpec);
        const nextTimes = times.slice(0, state.remainingActions);
        return { version: info.version, nextTimes, handedOver };
      });
      const next = nextTimes.map(printTime).join(', ');
      const lines = [
        `'${scheduleId}' is at version ${version}. Next: ${next || 'none, until it is triggered'}`,
        ...handedOverInWords(handedOver, 'with the definition with which it was claimed'),
      ];
      report(options, { scheduleId, version, nextTimes, handedOver }, lines.join('\n'));
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

function givesSpec(flags: DefinitionFlags): boolean {
  const { manualOnly, skipDays, onlyDays } = flags;
  return [manualOnly, skipDays, onlyDays].some((flag) => flag !== undefined) || Object.keys(specOf(flags)).length > 0;
}

function changed(previous: ScheduleDescription, flags: DefinitionFlags): ScheduleUpdateOptions {
  return {
    ...previous,
    ...labelsOf(flags),
    // Only an unchanged spec keeps its registered form, and may contain what is refused today.
    spec: givesSpec(flags) ? specOf(flags, previous.definition.spec) : previous.spec,
    action: { ...previous.action, ...actionOf(flags, previous.action) },
    policies: { ...previous.policies, ...policiesOf(flags) },
    state: { ...previous.state, ...stateOf(flags) },
  };
}

/** A definition, perhaps in the form of `describe --json`, with dates as texts. */
type ReadDefinition = ScheduleUpdateOptions & {
  info?: Partial<Record<keyof ScheduleDescription['info'], unknown>>;
};

/**
 * Returns the definition in a file. If the file has `info`, as `describe --json` prints it, an outdated file is
 * refused. Otherwise it would undo a later change of the definition or of a pause. A pause shows only in
 * `lastUpdatedAt`. The end of a timed pause may not show there yet, so it is checked by itself. A firing shows only in
 * the number of remaining actions. If that number differs, it may be outdated or edited on purpose, so it is refused
 * too. A later change of labels is not noticed.
 *
 * @throws {Error} if the file has `info`, and its `info`, its pause or its number of remaining actions is outdated
 */
function replaced(
  { scheduleId, info, state }: ScheduleDescription,
  { file, definition }: { file: string; definition: ReadDefinition },
): ScheduleUpdateOptions {
  const given = definition?.info;
  if (!given) return definition;
  const isOver = 'pausedUntil' in (definition.state ?? {}) && state.pausedUntil === undefined;
  const isUpdated = (['version', 'createdAt', 'lastUpdatedAt'] as const).some(
    (field) => JSON.stringify(given[field] ?? null) !== JSON.stringify(info[field] ?? null),
  );
  const [read, left] = [definition.state?.remainingActions, state.remainingActions];
  const isCounted = read !== undefined && left !== undefined && read !== left;
  if (isUpdated || isOver) {
    throw new Error(
      `'${scheduleId}' was changed after '${file}' was written: describe it again, or remove 'info' and 'definition' from the file to overwrite that`,
    );
  }
  if (!isCounted) return definition;
  throw new Error(
    `'${scheduleId}' has ${left} remaining actions, but ${read} in '${file}': correct that, set them by --remaining-actions, or remove 'info' from the file`,
  );
}

async function readDefinition(file: string): Promise<ReadDefinition> {
  try {
    return parseJson(await readFile(file, 'utf8')) as ReadDefinition;
  } catch (error) {
    throw new Error(`'${file}' cannot be read as JSON (${(error as Error).message})`);
  }
}
