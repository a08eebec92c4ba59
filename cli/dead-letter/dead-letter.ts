import type { Command } from 'commander';
import { stepNameOf } from '../../core/letters/failed-step';
import type { DeadLetter } from '../../index';
import { type ClientOptions, type Environment, withClient, withTenant } from '../environment';
import { parseCount } from '../options/arguments';
import { printJson, printMore, printTable, printTime } from '../output/output';
import { withTimes } from '../output/output-flags';
import { watched, withWatch } from '../output/watch';
import { addCompleteCommand } from './dead-letter-complete';
import { addDiscardCommand, addRestoreCommand } from './dead-letter-discard';
import { addGroupsCommand } from './dead-letter-groups';
import { addRedriveCommand } from './dead-letter-redrive';
import {
  filterOf,
  type LetterFlags,
  type LetterStateFlag,
  stateOf,
  withLetterFilter,
  withLetterState,
} from './letter-filter';

interface ListOptions extends ClientOptions, LetterFlags, LetterStateFlag {
  limit: number;
  cursor?: string;
  json?: boolean;
}

export function addDeadLetterCommands(program: Command, environment: Environment): void {
  const letters = program
    .command('dead-letter')
    .description('List dead letters (failures that need a person), and redrive or discard them.');
  withWatch(withTimes(withLetterState(withLetterFilter(withTenant(letters.command('list'))))))
    .description('List dead letters, newest first.')
    .option('--limit <count>', 'how many at most', parseCount, 50)
    .option('--cursor <cursor>', 'continue after a page that --limit ended')
    .option('--json', 'print JSON, one line a row')
    .action(watched((options: ListOptions) => list(environment, options)));

  withTimes(withTenant(letters.command('show')))
    .description('Show one dead letter, with all its fields by --json.')
    .argument('<letter-id>', "ID that 'escapement dead-letter list' shows")
    .option('--json', 'print JSON')
    .action(async (letterId: string, options: ClientOptions & { json?: boolean }) => {
      const letter = await withClient(environment, options, ({ deadLetters }) => deadLetters.get(letterId));
      if (options.json) printJson(letter);
      else printTable(['FIELD', 'VALUE'], fieldsOf(letter));
    });

  addGroupsCommand(letters, environment);
  addRedriveCommand(letters, environment);
  addCompleteCommand(letters, environment);
  addDiscardCommand(letters, environment);
  addRestoreCommand(letters, environment);
}

async function list(environment: Environment, { limit, cursor, json, ...options }: ListOptions) {
  await withClient(environment, options, async ({ deadLetters }) => {
    const filter = { ...filterOf(options), state: stateOf(options) };
    const { letters, nextCursor } = await deadLetters.listPage({ ...filter, pageSize: limit, cursor });
    if (json) letters.forEach(printJson);
    else printTable(['LETTER', 'SCHEDULE', 'SCHEDULED', 'KIND', 'STATE', 'STEP', 'FAILURE'], letters.map(rowOf));
    printMore(nextCursor);
  });
}

function rowOf({ letterId, scheduleId, scheduledTime, kind, state, failedStep, reason }: DeadLetter) {
  const failure = failedStep ? `${failedStep.failure.type}: ${failedStep.failure.message}` : reason;
  const step = failedStep ? stepNameOf(failedStep) : undefined;
  return [letterId, scheduleId, printTime(scheduledTime), kind, state, step, failure];
}

function fieldsOf(letter: DeadLetter): [string, string | undefined][] {
  const { failedStep } = letter;
  return [
    ['letter', letter.letterId],
    ['schedule', letter.scheduleId],
    ['scheduled', printTime(letter.scheduledTime)],
    ['kind', letter.kind],
    ['state', letter.state],
    ['reason', letter.reason],
    ['step', failedStep ? stepNameOf(failedStep) : undefined],
    ['child workflow', failedStep?.childWorkflow?.workflowId],
    ['attempts', failedStep?.attempts?.toString()],
    ['retry state', failedStep?.retryState],
    ['failure', failedStep ? `${failedStep.failure.type}: ${failedStep.failure.message}` : undefined],
    ['workflow type', letter.workflowType ?? undefined],
    ['workflow', letter.workflowId ?? undefined],
    ['run', letter.runId ?? undefined],
    ['namespace', letter.namespace],
    ['resume until', letter.resumeUntil ? printTime(letter.resumeUntil) : undefined],
    ['actor', letter.actor ?? undefined],
    ['note', letter.note ?? undefined],
    ['redrive', letter.redrive?.mode],
    ['written', printTime(letter.createdAt)],
    ['changed', printTime(letter.updatedAt)],
  ];
}
