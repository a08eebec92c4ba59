import type { Command } from 'commander';
import type { EscapementClient } from '../../client/client';
import type { MovedSchedule, MoveOptions, MoveResult } from '../../moving/move-options';
import { type Environment, withClient } from '../environment';
import { parseTime } from '../options/arguments';
import { print, printJson, printTable, printTime } from '../output/output';
import { showProgress } from '../output/progress';
import { type MovingFlags, withMoving, withTemporalClient } from './moving-commands';

type MoveFlags = MovingFlags & { all?: boolean; query?: string; at?: Date; takeBuffer?: boolean };

export function addMoveCommands(program: Command, environment: Environment): void {
  addMove(program, 'cut-over')
    .description('Switch imported schedules to Escapement: live ones pause in Temporal and resume here.')
    .option(
      '--take-buffer',
      'run buffered starts of the native schedule here, because the pause drops them in Temporal (default: only list them)',
    )
    .action(carryOut(environment, (client, options, { takeBuffer }) => client.cutOver({ ...options, takeBuffer })));
  addMove(program, 'roll-back')
    .description('Switch schedules back to Temporal: live ones pause here and resume there.')
    .action(carryOut(environment, (client, options) => client.rollBack(options)));
}

function addMove(program: Command, name: string): Command {
  return withMoving(program.command(name))
    .argument('[schedule-ids...]', 'the schedules to switch')
    .option('--all', 'all imported schedules')
    .option('--query <query>', 'schedules that match this list query of Temporal')
    .option(
      '--at <time>',
      'not before this instant: ISO 8601; sixteen schedules at a time (default: as soon as possible)',
      parseTime,
    );
}

function carryOut(
  environment: Environment,
  move: (client: EscapementClient, options: MoveOptions, flags: MoveFlags) => Promise<MoveResult>,
) {
  return async (scheduleIds: string[], flags: MoveFlags, command: Command) => {
    const { all, query, at } = flags;
    const given = [scheduleIds.length > 0, query !== undefined, all ?? false].filter(Boolean);
    if (given.length !== 1) command.error('error: name the schedules, or give --query, or --all');
    const progress = ({ done, total }: { done: number; total: number }) => showProgress(done, total);
    const which = all ? { all } : query === undefined ? { scheduleIds } : { query };
    const result = await withTemporalClient(environment, (from) =>
      withClient(environment, flags, (client) => move(client, { from, at, progress, ...which }, flags)),
    );
    if (flags.json) for (const schedule of result.schedules) printJson(schedule);
    else show(result);
    if (!result.complete) process.exitCode = 1;
  };
}

function show({ schedules }: MoveResult): void {
  if (schedules.length === 0) print('No imported schedule was found.');
  printTable(
    ['SCHEDULE', 'STATUS', 'FROM', 'NOTES'],
    schedules.map((one) => [one.scheduleId, one.status, printTime(one.from), notesOf(one).join('; ') || undefined]),
  );
}

function notesOf({ status, reason, paused, running, buffered, taken, notes }: MovedSchedule): string[] {
  const times = (list: Date[]) => list.map((time) => printTime(time)).join(', ');
  return [
    ...(reason === undefined ? [] : [reason]),
    ...(paused && status === 'moved' ? ['paused, as it was'] : []),
    ...(running.length > 0 ? [`runs: ${running.join(', ')}`] : []),
    ...(buffered.length > 0
      ? [`may be dropped from the buffer there: ${times(buffered)}; --take-buffer runs them here`]
      : []),
    ...(taken.length > 0 ? [`backfilled here: ${times(taken)}`] : []),
    ...notes,
  ];
}
