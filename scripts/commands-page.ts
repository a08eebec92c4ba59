import { type Command, Help, type Option } from 'commander';
import { environmentOf } from '../cli/command';
import { program } from '../cli/program';

/** Options with the same text in at least this many commands are explained once. */
const COMMON_FROM = 20;

const help = new Help();

/** The page docs/commands.md: each command with its arguments and options, in the words of `--help`. */
export function commandsPage(): string {
  const root = program(environmentOf({}));
  const commands = leavesOf(root);
  const common = commonOptions(commands);
  return `${[
    '# Commands and options',
    '<!-- written by `npx tsx scripts/write-commands.ts` -->',
    'Each command with its arguments and options, as its `--help` prints them. [The command](command.md) explains output, times and `--watch`.',
    '## Common options',
    'Each command names those that it takes.',
    optionTable(onceEach([...common.values()])),
    '## Environment',
    `\`\`\`text\n${variablesOf(root)}\n\`\`\``,
    ...commands.flatMap((command) => sectionOf(command, common)),
  ].join('\n\n')}\n`;
}

function leavesOf(command: Command): Command[] {
  const children = command.commands.filter((child) => child.name() !== 'help') as Command[];
  const isLeaf = children.length === 0 || command.options.length > 0;
  return [...(isLeaf && command.parent ? [command] : []), ...children.flatMap(leavesOf)];
}

function commonOptions(commands: Command[]): Map<string, Option> {
  const all = commands.flatMap((command) => command.options as Option[]);
  const times = (option: Option) => all.filter((other) => textOf(other) === textOf(option)).length;
  return new Map(all.filter((option) => times(option) >= COMMON_FROM).map((option) => [textOf(option), option]));
}

/**
 * One option for each flag. If commands explain the same flag in different words, the shortest explanation is taken.
 */
function onceEach(options: Option[]): Option[] {
  const shortestFirst = options.toSorted((one, other) => one.description.length - other.description.length);
  return options.filter(({ flags }, index) => shortestFirst.find((one) => one.flags === flags) === options[index]);
}

function sectionOf(command: Command, common: Map<string, Option>): string[] {
  const options = command.options as Option[];
  const shared = options.filter((option) => common.has(textOf(option)));
  const own = options.filter((option) => !common.has(textOf(option)) && !option.hidden);
  const { registeredArguments: args } = command;
  const path = pathOf(command);
  return [
    `## \`${path}\``,
    plain(command.description()),
    `\`\`\`text\nescapement ${path} ${command.usage()}\n\`\`\``,
    ...(args.length === 0
      ? []
      : [
          table(
            'argument',
            args.map((one) => [help.argumentTerm(one), help.argumentDescription(one)]),
          ),
        ]),
    ...(own.length === 0 ? [] : [optionTable(own)]),
    ...(shared.length === 0 ? [] : [`Common options: ${shared.map(({ long }) => `\`${long}\``).join(', ')}`]),
  ];
}

function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

const textOf = (option: Option) => `${option.flags} ${help.optionDescription(option)}`;

function optionTable(options: Option[]): string {
  return table(
    'option',
    options.map((option) => [option.flags, help.optionDescription(option)]),
  );
}

function table(of: string, rows: [string, string][]): string {
  const lines = rows.map(([term, text]) => `| \`${term.replaceAll('|', '\\|')}\` | ${plain(text)} |`);
  return [`| ${of} | |`, '| --- | --- |', ...lines].join('\n');
}

/** Escape a help text, so that Markdown shows it word for word. */
function plain(text: string): string {
  return text.replace(/[|<*]/g, '\\$&').replaceAll('{{', '{&#123;');
}

/** The section of the help about environment variables. */
function variablesOf(root: Command): string {
  let printed = '';
  root.configureOutput({ writeOut: (text) => (printed += text) });
  root.outputHelp();
  return printed.split('Environment:\n')[1]!.trimEnd();
}
