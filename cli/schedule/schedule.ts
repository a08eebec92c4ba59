import { type Command, Option } from 'commander';
import { given } from '../../core/given';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../core/schedule/policies';
import { type Environment, withClient } from '../environment';
import { alias } from '../options/alias';
import { parseJsonValues } from '../options/arguments';
import { printTime } from '../output/output';
import { withTimes } from '../output/output-flags';
import { type BulkFlags, onOneOrMany, withBulk } from './bulk/bulk-flags';
import { changeMany } from './bulk/change-many';
import { addBulkCommands } from './bulk/operations';
import { addTagCommand, addUndoCommand } from './bulk/tag-undo';
import { addApplyCommand } from './schedule-apply';
import { addBackfillCommands } from './schedule-backfill';
import {
  addCommand,
  addCommandForOne,
  handedOverInWords,
  type OneScheduleOptions,
  onOne,
  readChanged,
  report,
} from './schedule-commands';
import { addCreateCommand } from './schedule-create';
import { describeSchedule } from './schedule-describe';
import { addListCommand } from './schedule-list';
import { addNextCommand } from './schedule-next-command';
import { addUpdateCommands } from './schedule-update';

type PauseFlags = OneScheduleOptions & BulkFlags & { note?: string; until?: string };
type UnpauseFlags = OneScheduleOptions & BulkFlags & { note?: string };
type TriggerFlags = OneScheduleOptions &
  BulkFlags & { overlapPolicy?: OverlapPolicy; args?: unknown[]; duringFreeze?: boolean };

export function addScheduleCommands(program: Command, environment: Environment): void {
  const schedule = program.command('schedule').description('Register schedules and change them.');
  const add = (name: string, description: string) => addCommand(schedule, name, description);
  const addForOne = (name: string, description: string) => addCommandForOne(schedule, name, description);

  addNextCommand(schedule, environment);

  addCreateCommand(addForOne('create', 'Register a schedule.'), environment);

  withTimes(addForOne('describe', 'Show a schedule and its next times.')).action(describeSchedule(environment));

  addListCommand(add('list', 'List the live schedules.'), environment);

  withBulk(
    addForOne(
      'pause',
      'Pause one schedule, or the unpaused of many: their specs fire nothing until unpause, or until --until. Running workflows continue, and starts already announced or handed to Temporal may still begin.',
    ),
  )
    .option('--note <text>', 'why')
    .option(
      '--until <time>',
      "when the pause ends by itself: a time (in the schedule's zone without an offset), or a duration such as 2h",
    )
    .addOption(alias('--reason <text>', 'note'))
    .action(
      onOneOrMany(
        async (options: PauseFlags) => {
          const { scheduleId, note, until } = options;
          const { pausedUntil, handedOver } = await withClient(environment, options, async (client) => {
            const { handedOver } = await client.getHandle(scheduleId).pause(given({ note, until }));
            if (until === undefined) return { pausedUntil: undefined, handedOver };
            return { pausedUntil: (await readChanged(client, scheduleId)).state.pausedUntil, handedOver };
          });
          const end = pausedUntil ? ` until ${printTime(pausedUntil)}` : '';
          const lines = [`Paused '${scheduleId}'${end}.`, ...handedOverInWords(handedOver, 'in spite of the pause')];
          report(options, { scheduleId, paused: true, ...given({ pausedUntil }), handedOver }, lines.join('\n'));
        },
        ({ note, until, ...options }, filter) =>
          changeMany(environment, options, filter, {
            kind: 'pause',
            start: (bulk, which, how) => bulk.pause(which, { ...how, ...given({ note, until }) }),
          }),
      ),
    );

  withBulk(
    addForOne(
      'unpause',
      'Unpause one schedule or many from now on. What the pause held back does not fire; a gap records it.',
    ),
  )
    .option('--note <text>', 'why')
    .addOption(alias('--reason <text>', 'note'))
    .action(
      onOneOrMany(
        async (options: UnpauseFlags) => {
          await withClient(environment, options, (client) =>
            client.getHandle(options.scheduleId).unpause(options.note),
          );
          report(options, { scheduleId: options.scheduleId, paused: false }, `Unpaused '${options.scheduleId}'.`);
        },
        ({ note, ...options }, filter) =>
          changeMany(environment, options, filter, {
            kind: 'unpause',
            start: (bulk, which, how) => bulk.unpause(which, { ...how, ...given({ note }) }),
          }),
      ),
    );

  withBulk(
    addForOne(
      'trigger',
      'Fire schedules once, now, except in shadow. Many fire at 20 per second unless --rate is given.',
    ),
  )
    .addOption(new Option('--overlap-policy <policy>', 'default: ALLOW_ALL').choices(OVERLAP_POLICIES))
    .option(
      '-a, --args <json...>',
      "arguments of this one firing, each a JSON value (default: the schedule's)",
      parseJsonValues,
    )
    .option('--during-freeze', 'fire even while a freeze holds it')
    .action(
      onOneOrMany(
        async (options: TriggerFlags) => {
          const { scheduleId, overlapPolicy: overlap, args, duringFreeze = false } = options;
          const firing = await withClient(environment, options, (client) =>
            client.getHandle(scheduleId).trigger({ overlap, args, duringFreeze }),
          );
          report(options, firing, `Requested ${firing.workflowId}.`);
        },
        async ({ overlapPolicy: overlap, args, duringFreeze, ...options }, filter) => {
          if (args) throw new Error('--args are only for one schedule; many schedules fire with their own arguments');
          await changeMany(environment, options, filter, {
            kind: 'trigger',
            start: (bulk, which, how) => bulk.trigger(which, { ...how, ...given({ overlap, duringFreeze }) }),
          });
        },
      ),
    );

  addTagCommand(add('tag', 'Set owner, run-book and search attributes of many schedules.'), environment);
  addUndoCommand(
    add(
      'undo',
      'Undo a bulk pause, unpause or tag. Schedules whose definition or state (for a tag: labels) somebody has changed since stay as they are.',
    ),
    environment,
  );
  addBulkCommands(schedule, environment);

  addApplyCommand(schedule, environment);
  addUpdateCommands(schedule, environment);
  addBackfillCommands(schedule, environment);

  addForOne('delete', 'Delete a schedule; its history stays.').action(
    onOne(async (options: OneScheduleOptions) => {
      const { scheduleId } = options;
      const { handedOver } = await withClient(environment, options, (client) => client.getHandle(scheduleId).delete());
      const lines = [`Deleted '${scheduleId}'.`, ...handedOverInWords(handedOver, 'in spite of the deletion')];
      report(options, { scheduleId, deleted: true, handedOver }, lines.join('\n'));
    }),
  );
}
