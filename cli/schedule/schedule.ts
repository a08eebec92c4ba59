import { type Command, Option } from 'commander';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../core/schedule';
import { type Environment, withClient } from '../environment';
import { alias } from '../options/alias';
import { parseJsonValues } from '../options/arguments';
import { given } from '../options/given';
import { printTime } from '../output/output';
import { withTimes } from '../output/output-flags';
import { addApplyCommand } from './schedule-apply';
import { addBackfillCommands } from './schedule-backfill';
import { addCommand, addCommandForOne, type OneScheduleOptions, onOne, report } from './schedule-commands';
import { addCreateCommand } from './schedule-create';
import { describeSchedule } from './schedule-describe';
import { addListCommand } from './schedule-list';
import { addNextCommand } from './schedule-next-command';
import { addUpdateCommands } from './schedule-update';

/** `escapement schedule …`, grouped and named as `temporal schedule`. */
export function addScheduleCommands(program: Command, environment: Environment): void {
  const schedule = program.command('schedule').description('Register schedules and change them.');
  const add = (name: string, description: string) => addCommand(schedule, name, description);
  const addForOne = (name: string, description: string) => addCommandForOne(schedule, name, description);

  addNextCommand(schedule);

  addCreateCommand(addForOne('create', 'Register a schedule.'), environment);

  withTimes(addForOne('describe', 'Show a schedule and its next times.')).action(describeSchedule(environment));

  addListCommand(add('list', 'List the live schedules.'), environment);

  addForOne('pause', 'Fire nothing until unpause, or until the time that --until gives.')
    .option('--note <text>', 'why')
    .option(
      '--until <time>',
      "when it ends by itself: a time (in the schedule's zone without an offset), or a duration such as 2h",
    )
    .addOption(alias('--reason <text>', 'note'))
    .action(
      onOne(async (options: OneScheduleOptions & { note?: string; until?: string }) => {
        const { scheduleId, note, until } = options;
        const pausedUntil = await withClient(environment, options, async (client) => {
          const handle = client.getHandle(scheduleId);
          await handle.pause(given({ note, until }));
          return until === undefined ? undefined : (await handle.describe()).state.pausedUntil;
        });
        const end = pausedUntil ? ` until ${printTime(pausedUntil)}` : '';
        report(options, { scheduleId, paused: true, ...given({ pausedUntil }) }, `Paused '${scheduleId}'${end}.`);
      }),
    );

  addForOne('unpause', 'Go on from now; what fell in the pause stays unfired, as a gap.')
    .option('--note <text>', 'why')
    .addOption(alias('--reason <text>', 'note'))
    .action(
      onOne(async (options: OneScheduleOptions & { note?: string }) => {
        await withClient(environment, options, (client) => client.getHandle(options.scheduleId).unpause(options.note));
        report(options, { scheduleId: options.scheduleId, paused: false }, `Unpaused '${options.scheduleId}'.`);
      }),
    );

  addForOne('trigger', 'Fire once now.')
    .addOption(new Option('--overlap-policy <policy>', 'default: ALLOW_ALL').choices(OVERLAP_POLICIES))
    .option(
      '-a, --args <json...>',
      "arguments of this one firing, each a JSON value (default: the schedule's)",
      parseJsonValues,
    )
    .option('--during-freeze', 'fire although a freeze holds it')
    .action(
      onOne(
        async (
          options: OneScheduleOptions & { overlapPolicy?: OverlapPolicy; args?: unknown[]; duringFreeze?: boolean },
        ) => {
          const { scheduleId, overlapPolicy: overlap, args, duringFreeze = false } = options;
          const firing = await withClient(environment, options, (client) =>
            client.getHandle(scheduleId).trigger({ overlap, args, duringFreeze }),
          );
          report(options, firing, `Asked for ${firing.workflowId}.`);
        },
      ),
    );

  addApplyCommand(schedule, environment);
  addUpdateCommands(schedule, environment);
  addBackfillCommands(schedule, environment);

  addForOne('delete', 'Delete a schedule; its history stays.').action(
    onOne(async (options: OneScheduleOptions) => {
      await withClient(environment, options, (client) => client.getHandle(options.scheduleId).delete());
      report(options, { scheduleId: options.scheduleId, deleted: true }, `Deleted '${options.scheduleId}'.`);
    }),
  );
}
