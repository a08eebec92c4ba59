import type { Command } from 'commander';
import type { LetterGroup } from '../../index';
import { type ClientOptions, type Environment, withClient, withTenant } from '../environment';
import { printJson, printTable, printTime } from '../output/output';
import { withTimes } from '../output/output-flags';
import { watched, withWatch } from '../output/watch';
import {
  filterOf,
  type LetterFlags,
  type LetterStateFlag,
  stateOf,
  withLetterFilter,
  withLetterState,
} from './letter-filter';

export function addGroupsCommand(letters: Command, environment: Environment): void {
  withWatch(withTimes(withLetterState(withLetterFilter(withTenant(letters.command('groups'))))))
    .description('Count dead letters by failure, step and workflow, the largest group first.')
    .option('--json', 'print JSON, one line a row')
    .action(
      watched(async (options: ClientOptions & LetterFlags & LetterStateFlag & { json?: boolean }) => {
        const filter = { ...filterOf(options), state: stateOf(options) };
        const groups = await withClient(environment, options, ({ deadLetters }) => deadLetters.groups(filter));
        if (options.json) for (const group of groups) printJson(group);
        else
          printTable(['LETTERS', 'FAILURE', 'STEP', 'WORKFLOW', 'SCHEDULES', 'OLDEST', 'MESSAGE'], groups.map(rowOf));
      }),
    );
}

function rowOf({ letters, failureType, step, workflowType, schedules, oldestAt, message }: LetterGroup) {
  const counts = { letters: String(letters), schedules: String(schedules) };
  const says = message ?? undefined;
  return [
    counts.letters,
    failureType,
    step ?? undefined,
    workflowType ?? undefined,
    counts.schedules,
    printTime(oldestAt),
    says,
  ];
}
