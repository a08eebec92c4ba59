import type { Command } from 'commander';
import { type ClientOptions, withTenant } from '../environment';
import { alias } from '../options/alias';
import { print, printJson } from '../output/output';

/** Options of every command of `escapement schedule`. */
export type ScheduleCommandOptions = ClientOptions & { json?: boolean };

/** Options of commands for one schedule. */
export type OneScheduleOptions = ScheduleCommandOptions & { scheduleId: string };

/** Add a command of `escapement schedule`. */
export function addCommand(schedule: Command, name: string, description: string): Command {
  return withTenant(schedule.command(name)).description(description).option('--json', 'print JSON, one line a row');
}

/** Add a command for one schedule, whose ID is the first argument. {@link onOne} reads it. */
export function addCommandForOne(schedule: Command, name: string, description: string): Command {
  return addCommand(schedule, name, description)
    .usage('<schedule-id> [options]')
    .argument('[schedule-id]', 'name of the schedule')
    .addOption(alias('-s, --schedule-id <id>', 'scheduleId'));
}

/** The action of a command for one schedule. The ID is the first argument, or the value of the former option `-s`. */
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

/** Print the result, for a program or for a person. */
export function report(options: ScheduleCommandOptions, value: unknown, sentence: string): void {
  if (options.json) printJson(value);
  else print(sentence);
}
