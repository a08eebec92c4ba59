import type { Command } from 'commander';
import { type ClientOptions, type Environment, withClient, withTenant } from '../environment';
import { print, printJson } from '../output/output';
import { showLetterProgress, summaryOf } from './dead-letter-progress';
import { filterOf, type LetterFlags, withLetterFilter } from './letter-filter';

interface DiscardFlags extends ClientOptions, LetterFlags {
  all?: boolean;
  dryRun?: boolean;
  note?: string;
  json?: boolean;
}

export function addDiscardCommand(letters: Command, environment: Environment): void {
  withLetterFilter(withTenant(letters.command('discard')))
    .description('Discard a dead letter: it is not tried again. A parked step then fails.')
    .argument('[letter-id]', 'one letter; or give --all')
    .option('--note <text>', 'why it is discarded; required except with --dry-run')
    .option('--all', 'every open letter, or those that match the filters')
    .option('--dry-run', 'with --all: count them, and change nothing')
    .option('--json', 'print JSON')
    .action((letterId: string | undefined, options: DiscardFlags, command: Command) => {
      if ((letterId === undefined) === !options.all) command.error('error: give the ID of one letter, or --all');
      const isNarrowed = Object.keys(filterOf(options)).length > 0 || options.dryRun;
      if (letterId !== undefined && isNarrowed) {
        command.error('error: filters and --dry-run are only for --all; leave them out for one letter');
      }
      if (options.note === undefined && !options.dryRun) command.error('error: give --note: why it is discarded');
      return letterId === undefined ? discardAll(environment, options) : discard(environment, letterId, options);
    });
}

export function addRestoreCommand(letters: Command, environment: Environment): void {
  withTenant(letters.command('restore'))
    .description('Undo a discard, unless its firing completed, goes on, was started again or is retired.')
    .argument('<letter-id>', "ID that 'escapement dead-letter list' shows")
    .option('--note <text>', 'note for the letter')
    .option('--json', 'print JSON')
    .action(async (letterId: string, options: ClientOptions & { json?: boolean; note?: string }) => {
      const given = options.note === undefined ? {} : { note: options.note };
      const letter = await withClient(environment, options, ({ deadLetters }) => deadLetters.restore(letterId, given));
      if (options.json) printJson(letter);
      else print(`Open again: '${letterId}'.`);
    });
}

async function discard(environment: Environment, letterId: string, options: DiscardFlags): Promise<void> {
  const { note = '', json } = options;
  const letter = await withClient(environment, options, ({ deadLetters }) => deadLetters.discard(letterId, { note }));
  if (json) printJson(letter);
  else if (letter.state === 'discarded') print(`Discarded '${letterId}'.`);
  else print(`Discarding '${letterId}': a trigger lets the step fail within about two seconds.`);
}

async function discardAll(environment: Environment, options: DiscardFlags): Promise<void> {
  const { note = 'only counted', dryRun, json } = options;
  const filter = { ...filterOf(options), state: 'open' as const };
  const how = { note, progress: showLetterProgress, ...(dryRun ? { dryRun } : {}) };
  const counts = await withClient(environment, options, ({ deadLetters }) => deadLetters.discardAll(filter, how));
  if (json) printJson(counts);
  else print(summaryOf(dryRun ? 'Would discard' : 'Discarding', counts, counts.discarded));
  if (Object.keys(counts.refused).length > 0) process.exitCode = 1;
}
