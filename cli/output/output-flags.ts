import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Environment } from '../environment';
import { type OutputStyle, setStyle } from './style';
import { checkZone, ownZone, type TimeForm, UTC } from './times';

const FORMATS = ['json', 'table', 'yaml'] as const;

interface OutputOptions {
  output?: (typeof FORMATS)[number];
  times?: TimeForm;
}

/** Whatever prints JSON prints YAML too, by the same shapes; `--json` is the short form. */
export function addOutputFlags(program: Command, { noColor }: Pick<Environment, 'noColor'>): void {
  addTo(program);
  program.hook('preAction', (_, command) => {
    const options: OutputOptions & { json?: boolean } = command.opts();
    const { output, times } = options;
    // No action has to know them, and what is left of an action's options may be a filter.
    delete options.output;
    delete options.times;
    if (output === 'json' || output === 'yaml') options.json = true;
    setStyle(styleOf(output, times, Boolean(noColor)));
  });
}

function addTo(parent: Command): void {
  for (const command of parent.commands) {
    const has = (flag: string) => command.options.some(({ long }) => long === flag);
    // One that writes files has an --output of its own; dev prints one line, when it is ready.
    if (has('--json') && !has('--output') && command.name() !== 'dev') {
      command.addOption(
        new Option('-o, --output <format>', "print this; json is the short form's (default: table)")
          .choices(FORMATS)
          .conflicts('json'),
      );
    }
    addTo(command);
  }
}

/** Add the option of commands that show times to people. */
export function withTimes(command: Command): Command {
  return command.option(
    '--times <form>',
    'how tables show times: utc, local, relative, or in a zone such as Europe/Berlin (default: on a terminal local, with how long ago; else utc)',
    parseTimes,
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
