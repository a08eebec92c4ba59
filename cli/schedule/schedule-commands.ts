import type { Command } from 'commander';
import type { EscapementClient } from '../../client/client';
import type { ScheduleSummary } from '../../client/describe/schedule-description';
import { ScheduleNotFoundError } from '../../client/errors';
import type { Firing } from '../../index';
import { type ClientOptions, withTenant } from '../environment';
import { alias } from '../options/alias';
import { print, printJson, printTime } from '../output/output';

export type ScheduleCommandOptions = ClientOptions & { json?: boolean };

export type OneScheduleOptions = ScheduleCommandOptions & { scheduleId: string };

export function addCommand(schedule: Command, name: string, description: string): Command {
  return withTenant(schedule.command(name)).description(description).option('--json', 'print JSON, one line a row');
}

/** Add a command for one schedule; the schedule's ID is the command's first argument. */
export function addCommandForOne(schedule: Command, name: string, description: string): Command {
  return addCommand(schedule, name, description)
    .usage('<schedule-id> [options]')
    .argument('[schedule-id]', 'name of the schedule')
    .addOption(alias('-s, --schedule-id <id>', 'scheduleId'));
}

/**
 * Returns the action of a command for one schedule. The schedule's ID is the first argument, or the value of the old
 * option `-s`.
 */
export function onOne<Options extends OneScheduleOptions>(
  act: (options: Options, command: Command, ...others: string[]) => Promise<void>,
): (...received: unknown[]) => Promise<void> {
  return async (...received) => {
    const command = received.at(-1) as Command;
    const options = command.opts<Options>();
    const values = options.scheduleId === undefined ? command.args : [options.scheduleId, ...command.args];
    const names = command.registeredArguments.map((argument) => argument.name());
    const missing = names[values.length];
    if (missing !== undefined) command.error(`error: give the ${missing} before the options`);
    if (values.length > names.length) command.error('error: give the schedule-id once');
    const [scheduleId, ...others] = values;
    return act({ ...options, scheduleId: scheduleId! }, command, ...others);
  };
}

export function report(options: ScheduleCommandOptions, value: unknown, sentence: string): void {
  if (options.json) printJson(value);
  else print(sentence);
}

/**
 * One line for each firing that a change came too late for.
 *
 * @param how how these firings begin, such as `in spite of the pause`
 */
export function handedOverInWords(firings: Firing[], how: string): string[] {
  return firings.map(
    ({ scheduleId, scheduledTime }) =>
      `Claimed ahead of time, and still to begin ${how}: '${scheduleId}' of ${printTime(scheduledTime)}.`,
  );
}

/** Reads a schedule that this command has changed. The command does not fail after its change for want of a codec. */
export async function readChanged(client: EscapementClient, scheduleId: string): Promise<ScheduleSummary> {
  const schedule = await readListed(client, scheduleId);
  if (!schedule) throw new ScheduleNotFoundError(scheduleId);
  return schedule;
}

/** Unlike `describe`, this needs no codec. */
export async function readListed(client: EscapementClient, scheduleId: string): Promise<ScheduleSummary | undefined> {
  const query = `scheduleId = '${scheduleId.replace(/['\\]/g, '\\$&')}'`;
  return (await client.listPage({ query })).schedules[0];
}
