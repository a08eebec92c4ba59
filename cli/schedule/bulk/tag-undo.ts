import type { Command } from 'commander';
import { given } from '../../../core/given';
import type { Environment } from '../../environment';
import { parsePairs } from '../../options/arguments';
import type { ScheduleCommandOptions } from '../schedule-commands';
import { type BulkFlags, bulkFilterOf, withBulk } from './bulk-flags';
import { carryOut, changeMany } from './change-many';

interface TagFlags extends BulkFlags {
  setOwner?: string;
  setRunbook?: string;
  setSearchAttribute?: Record<string, unknown>;
}

export function addTagCommand(tag: Command, environment: Environment): void {
  withBulk(tag)
    .option('--set-owner <name>', "who is responsible for them; '' for nobody")
    .option('--set-runbook <url>', "link to what to do when they fail; '' for none")
    .option(
      '--set-search-attribute <key=json...>',
      `search attributes of the schedules themselves, such as 'Team="ops"'; null removes one`,
      parsePairs,
    )
    .action(async (options: TagFlags, command: Command) => {
      const filter = bulkFilterOf(options);
      if (!filter) return command.error('error: select schedules by --query or another filter, or give --all');
      const tags = tagsOf(options);
      if (Object.keys(tags).length === 0) {
        return command.error('error: give --set-owner, --set-runbook or --set-search-attribute');
      }
      await changeMany(environment, options, filter, {
        kind: 'tag',
        start: (bulk, which, how) => bulk.tag(which, { ...how, ...tags }),
      });
    });
}

function tagsOf({ setOwner: owner, setRunbook: runbook, setSearchAttribute }: TagFlags) {
  const lists = Object.entries(setSearchAttribute ?? {}).map(([key, value]) => [
    key,
    value === null ? null : [value].flat(),
  ]);
  const searchAttributes = setSearchAttribute && (Object.fromEntries(lists) as Record<string, unknown[] | null>);
  return given({ owner, runbook, searchAttributes });
}

export function addUndoCommand(undo: Command, environment: Environment): void {
  undo
    .argument('<operation-id>', 'ID that the bulk change printed')
    .action((operationId: string, options: ScheduleCommandOptions) =>
      carryOut(environment, options, (bulk, how) => bulk.undo(operationId, how)),
    );
}
