import { Argument, type Command, type Option } from 'commander';
import { print } from './output/output';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The words that may follow a command: `words` anywhere, and the `values` of an option after one of its `flags`. */
interface Place {
  /** The path of the command, such as `/schedule/create`; empty for `escapement` itself. */
  path: string;
  words: string[];
  /** Whether the command has subcommands: fish then offers no file names. */
  isGroup: boolean;
  choices: { flags: string[]; values: readonly string[] }[];
}

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print what completes this command in a shell: source <(escapement completion bash)')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => print(completionOf(program, shell)));
}

export function completionOf(program: Command, shell: (typeof SHELLS)[number]): string {
  const places = placesOf(program, '');
  if (shell === 'fish') return fish(program.name(), places);
  const script = bash(program.name(), places);
  return shell === 'bash'
    ? script
    : `(( $+functions[compdef] )) || { autoload -U +X compinit && compinit }\nautoload -U +X bashcompinit && bashcompinit\n${script}`;
}

function placesOf(command: Command, path: string): Place[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command);
  const options = help.visibleOptions(command);
  const place = {
    path,
    isGroup: below.length > 0,
    words: [
      ...below.map((one) => one.name()),
      ...command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
      ...options.map(longest),
    ],
    choices: options.flatMap((option) =>
      option.argChoices ? { flags: flagsOf(option), values: option.argChoices } : [],
    ),
  };
  return [place, ...below.flatMap((one) => placesOf(one, `${path}/${one.name()}`))];
}

function flagsOf({ short, long }: Option): string[] {
  return [short, long].filter((flag) => flag != null);
}

function longest(option: Option): string {
  return flagsOf(option).at(-1)!;
}

function bash(name: string, places: Place[]): string {
  const choices = places.flatMap(({ path, choices }) =>
    choices.map(
      ({ flags, values }) =>
        `    ${flags.map((flag) => `'${path} ${flag}'`).join('|')}) words='${values.join(' ')}' ;;`,
    ),
  );
  return `_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place='' words='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$place/\${COMP_WORDS[index]}" in
      ${places
        .map(({ path }) => path)
        .filter(Boolean)
        .join('|')}) place="$place/\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$place" in
${places.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`).join('\n')}
  esac
  case "$place $previous" in
${choices.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}`;
}

function fish(name: string, places: Place[]): string {
  const at = (path: string) => `complete -c ${name} -n 'test (__${name}_place) = "${path}"'`;
  const lines = places.flatMap(({ path, words, isGroup, choices }) => [
    `${at(path)}${isGroup ? ' -f' : ''} -a '${words.join(' ')}'`,
    ...choices.map(({ flags, values }) => {
      const named = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
      return `${at(path)} ${named.join(' ')} -x -a '${values.join(' ')}'`;
    }),
  ]);
  return `function __${name}_place
  set -l place ''
  for word in (commandline -opc)[2..-1]
    switch "$place/$word"
      case ${places
        .map(({ path }) => path)
        .filter(Boolean)
        .join(' ')}
        set place "$place/$word"
    end
  end
  echo "$place"
end
${lines.join('\n')}`;
}
