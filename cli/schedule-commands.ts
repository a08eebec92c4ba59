import type { Command } from 'commander';
import { type ClientOptions, withTenant } from './environment';
import { print, printJson } from './output';

/** Options of every command of `escapement schedule`. */
export type ScheduleCommandOptions = ClientOptions & { json?: boolean };

/** Options of those that are about one schedule. */
export type OneScheduleOptions = ScheduleCommandOptions & { scheduleId: string };

/** Add a command of `escapement schedule`. */
export function addCommand(schedule: Command, name: string, description: string): Command {
  return withTenant(schedule.command(name)).description(description).option('--json', 'print JSON, one line a row');
}

/** Add a command about one schedule. */
export function addCommandForOne(schedule: Command, name: string, description: string): Command {
  return addCommand(schedule, name, description).requiredOption('-s, --schedule-id <id>', 'name of the schedule');
}

/** Print what was done, for a program or for a person. */
export function report(options: ScheduleCommandOptions, value: unknown, sentence: string): void {
  if (options.json) printJson(value);
  else print(sentence);
}
