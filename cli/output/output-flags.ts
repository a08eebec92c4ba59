import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Environment } from '../environment';
import { setCommand } from './reader';
import { type OutputStyle, setStyle } from './style';
import { checkZone, ownZone, type TimeForm, UTC } from './times';

const FORMATS = ['json', 'table', 'yaml'] as const;

interface OutputOptions {
  output?: (typeof FORMATS)[number];
  times?: TimeForm;
}

/**
 * Gives `--output` to the commands that have `--json`, with the exceptions below. `--output yaml` prints the values of
 * `--json` as YAML.
 */
export function addOutputFlags(program: Command, { noColor }: Pick<Environment, 'noColor'>): void {
  addTo(program);
  program.hook('preAction', (_, command) => {
    refuseOptionsOfGroups(command);
    const options: OutputOptions & { json?: boolean } = command.opts();
    const { output, times } = options;
    // Removed here, since actions may use all remaining options as filters.
    delete options.output;
    delete options.times;
    if (output === 'json' || output === 'yaml') options.json = true;
    setStyle(styleOf(output, times, Boolean(noColor)));
    setCommand(command.name());
  });
}

/**
 * `freeze` and `import` are commands and groups. Commander takes their options before a subcommand too, and the
 * subcommand would not see them.
 */
function refuseOptionsOfGroups(command: Command): void {
  for (let group = command.parent; group; group = group.parent) {
    const given = group.options.find((option) => group.getOptionValueSource(option.attributeName()) === 'cli');
    if (given) command.error(`error: ${given.long} stands before '${command.name()}'; give its options behind it`);
  }
}

function addTo(parent: Command): void {
  for (const command of parent.commands) {
    const has = (flag: string) => command.options.some(({ long }) => long === flag);
    // Not if `--output` already means something else, and not for `dev`, which prints only one line.
    if (has('--json') && !has('--output') && command.name() !== 'dev') {
      command.addOption(
        new Option('-o, --output <format>', 'output format; --json means json (default: table)')
          .choices(FORMATS)
          .conflicts('json'),
      );
    }
    addTo(command);
  }
}

export function withTimes(command: Command): Command {
  return command.addOption(
    new Option(
      '--times <form>',
      'how tables show times, or a zone such as Europe/Berlin (default: local and relative on a terminal, else utc)',
    )
      .choices(['utc', 'local', 'relative'])
      .argParser(parseTimes),
  );
}

function styleOf(output: OutputOptions['output'], times: TimeForm | undefined, noColor: boolean): OutputStyle {
  const isTerminal = process.stdout.isTTY === true;
  return {
    format: output === 'yaml' ? 'yaml' : 'json',
    isColored: isTerminal && !noColor,
    times: times ?? (isTerminal ? { zone: ownZone(), withDistance: true } : UTC),
  };
}

function parseTimes(text: string): TimeForm {
  if (text === 'utc') return UTC;
  if (text === 'local') return { zone: ownZone(), withDistance: false };
  if (text === 'relative') return { zone: undefined, withDistance: true };
  try {
    return { zone: checkZone(text), withDistance: false };
  } catch {
    throw new InvalidArgumentError('use utc, local, relative, or a time zone such as Europe/Berlin.');
  }
}
