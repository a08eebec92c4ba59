import type { Command } from 'commander';
import { type ClientOptions, type Environment, withClient, withTenant } from '../environment';
import { parseJson } from '../options/arguments';
import { print, printJson } from '../output/output';

interface CompleteFlags extends ClientOptions {
  result: unknown;
  note?: string;
  json?: boolean;
}

export function addCompleteCommand(letters: Command, environment: Environment): void {
  withTenant(letters.command('complete'))
    .description('Give a parked step its result, as if the step had returned it. The workflow then continues.')
    .argument('<letter-id>', "ID that 'escapement dead-letter list' shows")
    .requiredOption('--result <json>', 'the result, as JSON; null for nothing', parseJson)
    .option('--note <text>', 'note for the letter')
    .option('--json', 'print JSON')
    .action(async (letterId: string, { result, note, json, ...options }: CompleteFlags) => {
      const given = note === undefined ? {} : { note };
      const letter = await withClient(environment, options, ({ deadLetters }) =>
        deadLetters.complete(letterId, result, given),
      );
      if (json) printJson(letter);
      else print(`Completing '${letterId}': a trigger gives the step its result within about two seconds.`);
    });
}
