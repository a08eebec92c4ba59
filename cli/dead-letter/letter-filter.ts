import { type Command, Option } from 'commander';
import { LETTER_KINDS, LETTER_STATES, type LetterKind, type LetterState } from '../../core/letters/redrive';
import type { LetterFilter } from '../../index';
import { parseTime } from '../options/arguments';

export interface LetterFlags {
  scheduleId?: string;
  kind?: LetterKind;
  failureType?: string;
  message?: string;
  step?: string;
  type?: string;
  from?: Date;
  to?: Date;
  olderThan?: string;
}

export function withLetterFilter(command: Command): Command {
  return command
    .option('-s, --schedule-id <id>', 'only those of this schedule')
    .addOption(new Option('--kind <kind>', 'only those of this kind').choices(LETTER_KINDS))
    .option(
      '--failure-type <type>',
      'only those with this failure type, such as CardDeclined; "dead-letter groups" lists the types',
    )
    .option('--message <text>', 'only those with this text in the first 1,000 characters of their failure')
    .option(
      '--step <name>',
      'only those of this step: an activity, a child workflow or an operation; "" for those of no step',
    )
    .option('--type <workflow>', 'only those of this workflow type; "" for those of none')
    .option('--from <time>', 'only those written at this time (ISO 8601; UTC without an offset) or later', parseTime)
    .option('--to <time>', 'only those written before this time (ISO 8601; UTC without an offset)', parseTime)
    .option('--older-than <duration>', "only those older than this, such as '2 hours'");
}

export interface LetterStateFlag {
  state: LetterState | 'all';
}

export function withLetterState(command: Command): Command {
  const states = [...LETTER_STATES, 'all'];
  return command.addOption(new Option('--state <state>', 'only those in this state').choices(states).default('open'));
}

/** The state that the flag names; undefined for `all`. */
export function stateOf({ state }: LetterStateFlag): LetterState | undefined {
  return state === 'all' ? undefined : state;
}

export function filterOf(flags: LetterFlags): LetterFilter {
  const { scheduleId, kind, failureType, message, step, type: workflowType, from, to, olderThan } = flags;
  const given = { scheduleId, kind, failureType, message, step, workflowType, from, to, olderThan };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as LetterFilter;
}
