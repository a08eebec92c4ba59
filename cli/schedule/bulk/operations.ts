import { type Command, Option } from 'commander';
import { BULK_OPERATION_STATES, type BulkOperationState, type BulkWait } from '../../../core/bulk';
import { given } from '../../../core/given';
import type { BulkSummary } from '../../../index';
import { type Environment, withClient } from '../../environment';
import { parseCount } from '../../options/arguments';
import { printJson, printTable, printTime } from '../../output/output';
import { withTimes } from '../../output/output-flags';
import { watched, withWatch } from '../../output/watch';
import { addCommand, type ScheduleCommandOptions } from '../schedule-commands';
import { followWith, sayErrors, sayStatus } from './change-many';

type ListOptions = ScheduleCommandOptions & { state?: BulkOperationState; limit?: number };

export function addBulkCommands(schedule: Command, environment: Environment): void {
  const bulk = schedule.command('bulk').description('List bulk changes of schedules, follow them and cancel them.');
  const addForOne = (name: string, description: string) =>
    addCommand(bulk, name, description).argument('<operation-id>', 'ID that the bulk change or the list printed');

  withWatch(withTimes(addCommand(bulk, 'list', 'List bulk changes, newest first.')))
    .addOption(new Option('--state <state>', 'only those in this state (default: all)').choices(BULK_OPERATION_STATES))
    .option('--limit <count>', 'how many at most', parseCount, 50)
    .action(
      watched(async ({ state, limit, json, ...options }: ListOptions) => {
        const operations = await withClient(environment, options, (client) =>
          client.bulk.list(given({ state, limit })),
        );
        if (json) for (const one of operations) printJson(one);
        else
          printTable(['OPERATION', 'WHAT', 'STATE', 'DONE', 'FAILED', 'BY', 'ASKED', 'ENDED'], operations.map(rowOf));
      }),
    );

  withTimes(addForOne('show', 'Show a bulk change: its progress and its first failures.')).action(
    async (operationId: string, { json, ...options }: ScheduleCommandOptions) => {
      const status = await withClient(environment, options, (client) => client.bulk.get(operationId));
      if (json) return printJson(status);
      printTable(['FIELD', 'VALUE'], fieldsOf(status));
      sayErrors(status);
    },
  );

  addForOne(
    'follow',
    'Continue a bulk change whose process died, or watch it while a server carries it out. Ctrl-C does not cancel it.',
  ).action((operationId: string, options: ScheduleCommandOptions) =>
    followWith(environment, options, (changes, how) => changes.follow(operationId, { ...how, onAbort: 'leave' })),
  );

  addForOne(
    'cancel',
    'Cancel a bulk change: schedules not yet changed stay as they are. A bulk change that has ended is not affected.',
  ).action(async (operationId: string, { json, ...options }: ScheduleCommandOptions) => {
    const status = await withClient(environment, options, (client) => client.bulk.cancel(operationId));
    if (json) printJson(status);
    else sayStatus(status);
  });
}

function whatOf({ kind, undoes }: BulkSummary): string {
  return undoes === null ? kind : `undo ${kind}`;
}

const WAITS: Record<BulkWait, string> = {
  process: "a process: a server with a free place, or 'escapement schedule bulk follow'",
  turn: 'its turn: ten others of its tenant are carried out',
};

function rowOf(operation: BulkSummary) {
  const { operationId, waitsFor, total, left, failed, actor, createdAt, endedAt } = operation;
  const state = waitsFor === null ? operation.state : `waits for a ${waitsFor}`;
  const [done, asked, ended] = [`${total - left}/${total}`, printTime(createdAt), printTime(endedAt)];
  return [operationId, whatOf(operation), state, done, String(failed), actor, asked, ended];
}

function fieldsOf(operation: BulkSummary): [string, string | undefined][] {
  const { waitsFor, total, changed, unchanged, failed, left, perSecond, filter, change, cancelledBy } = operation;
  return [
    ['operation', operation.operationId],
    ['what', whatOf(operation)],
    ['state', `${operation.state}${cancelledBy === null ? '' : ` by ${cancelledBy}`}`],
    ['waits for', waitsFor === null ? undefined : WAITS[waitsFor]],
    ['schedules', `${total}: ${changed} changed, ${unchanged} unchanged, ${failed} failed, ${left} left`],
    ['which', JSON.stringify(filter)],
    ['change', JSON.stringify(change)],
    ['a second', perSecond === null ? 'as many as can be' : `${perSecond} at most`],
    ['tenant', operation.tenant ?? undefined],
    ['by', operation.token === null ? operation.actor : `${operation.actor}, by the token '${operation.token}'`],
    ['asked', printTime(operation.createdAt)],
    ['ended', printTime(operation.endedAt)],
    ['undoes', operation.undoes ?? undefined],
    ['undone by', operation.undoneBy ?? undefined],
  ];
}
