import { type DocCommand, shellLines, shellWords } from './doc-commands';
import type { DocBlock, DocPage } from './doc-pages';
import { OTHER_PROGRAMS, RUN_OTHERS } from './other-programs';

/** A command line of another program, with the name of the program as its first word. */
export interface OtherCommand extends DocCommand {
  /** Whether it stands in text, which may leave out arguments. */
  isInText: boolean;
}

const NAMES = [...new Set(Object.keys(OTHER_PROGRAMS).map((command) => command.split(' ')[0]!))];
const NAMED = new RegExp(`(?<![\\w./-])(${NAMES.join('|')})(?= |$)`, 'g');
/** What may precede a command: nothing, an operator, a bracket or a quote, then variables and `npx`. */
const BEFORE = /(?:^\s*(?:[$>] )?|[|&;]\s*|(\()|=(['"]))(?:\w+=(?:\$\([^)]*\)|\S*) +|npx )*$/;

/** The commands of other programs in blocks of shell, and in inline code. */
export function otherCommands(pages: DocPage[], blocks: DocBlock[]): OtherCommand[] {
  const inBlocks = shellLines(blocks).flatMap(({ text, ...place }) => commandsIn(text, { ...place, isInText: false }));
  const inText = pages.flatMap(({ file, text }) =>
    [...withoutBlocks(text).matchAll(/`([^`\n]+(?:\n[^`\n]+)?)`/g)].flatMap(({ 1: code, index }) =>
      commandsIn(code!.replace('\n', ' '), { file, line: text.slice(0, index).split('\n').length, isInText: true }),
    ),
  );
  return [...inBlocks, ...inText];
}

/** The page with its blocks of code empty, so that each position stays. */
function withoutBlocks(text: string): string {
  return text.replaceAll(/^([ \t]*)```[\s\S]*?^\1```[ \t]*$/gm, (block) => block.replaceAll(/[^\n]/g, ' '));
}

function commandsIn(text: string, place: Omit<OtherCommand, 'words'>): OtherCommand[] {
  return [...text.matchAll(NAMED)].flatMap(({ index }) => {
    const before = BEFORE.exec(text.slice(0, index));
    if (!before) return [];
    const [, bracket, quote] = before;
    const end = bracket ? text.indexOf(')', index) : quote ? text.indexOf(quote, index) : -1;
    const words = shellWords(end < 0 ? text.slice(index) : text.slice(index, end));
    const over = words.findIndex((word) => /^(?:\|\|?|&&?|;|\d?>.*|<.*)$/.test(word));
    return [{ ...place, words: over < 0 ? words : words.slice(0, over) }];
  });
}

/** The recorded command that the words name, such as `docker compose up`, and what is wrong with them. */
export function checkedCommand({ words, isInText }: OtherCommand): { command: string; wrong: string[] } {
  let command = words[0]!;
  const wrong: string[] = [];
  let hasArgument = false;
  for (let index = 1; index < words.length; index++) {
    const word = words[index]!;
    if (word === '--') break;
    if (/^-./.test(word)) {
      const [option, ...values] = word.split('=');
      const known = optionsOf(command);
      if (known.has(`${option}=`)) {
        if (values.length === 0) index += 1;
        if (index >= words.length) wrong.push(`${option} needs a value`);
      } else if (!known.has(option!)) wrong.push(option!);
    } else if (!hasArgument && isRecorded(`${command} ${word}`)) command += ` ${word}`;
    else {
      const isUnknown = !(command in OTHER_PROGRAMS) || isOnlyParent(command);
      if (isUnknown) wrong.push(word);
      hasArgument = true;
      if (isUnknown || RUN_OTHERS.includes(command)) break;
    }
  }
  const isWhole = command in OTHER_PROGRAMS && !isOnlyParent(command);
  if (!isWhole && !isInText && wrong.length === 0) wrong.push(`${command} is not recorded`);
  return { command, wrong };
}

function isRecorded(command: string): boolean {
  return Object.keys(OTHER_PROGRAMS).some((one) => one === command || one.startsWith(`${command} `));
}

/** Whether only commands below it do something: `npm audit` does by itself, `docker compose` does not. */
function isOnlyParent(command: string): boolean {
  const hasChildren = Object.keys(OTHER_PROGRAMS).some((one) => one.startsWith(`${command} `));
  return hasChildren && command !== 'npm audit';
}

/** The options of a command and of those above it. */
function optionsOf(command: string): Set<string> {
  const words = command.split(' ');
  return new Set(words.flatMap((_, index) => (OTHER_PROGRAMS[words.slice(0, index + 1).join(' ')] ?? '').split(/\s+/)));
}
