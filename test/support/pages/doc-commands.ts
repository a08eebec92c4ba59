import type { DocBlock, DocPage } from './doc-pages';

/** A command line of a page. */
export interface DocCommand {
  file: string;
  line: number;
  words: string[];
}

/** A line of shell in a block of a page. */
export interface ShellLine {
  file: string;
  line: number;
  text: string;
}

/** Text of shell up to the end of its line, which may lie behind a backslash, or behind a text in quotes. */
const LOGICAL_LINE = /(?:(?<!\S)#[^\n]*|\\\n|'[^']*'|"[^"]*"|[^\n])+/g;

/** The lines of all blocks of shell. A text in quotes that goes over several lines becomes one word. */
export function shellLines(blocks: DocBlock[]): ShellLine[] {
  return blocks
    .filter(({ info }) => /^(sh|bash|shell|console)\b/.test(info))
    .flatMap(({ file, line, code }) =>
      [...code.matchAll(LOGICAL_LINE)].map(({ 0: text, index }) => ({
        file,
        line: line + code.slice(0, index).split('\n').length,
        text: text.replaceAll(/\\\n\s*/g, ' ').replaceAll(/'[^'\n]*\n[^']*'/g, 'TEXT'),
      })),
    );
}

/** The commands of `escapement` in shell blocks. */
export function commandsOf(blocks: DocBlock[]): DocCommand[] {
  return shellLines(blocks).flatMap(({ text, ...place }) =>
    partsOf(text.replace(/^\s*[$>] /, '')).map((words) => ({ ...place, words })),
  );
}

/** Commands in the text of pages, such as `escapement schedule list`. They may leave out arguments. */
export function namedCommands(pages: DocPage[]): DocCommand[] {
  return spansOf(pages, /`(?:npx )?escapement ([^`\n]+)`/g);
}

/** Commands in the text of pages that begin with the name of a group of commands, such as `schedule list`. */
export function namedInShort(pages: DocPage[], groups: string[]): DocCommand[] {
  return spansOf(pages, new RegExp(`\`((?:${groups.join('|')}) (?:[a-z|-]+|--[a-z])[^\`\n]*)\``, 'g'));
}

function spansOf(pages: DocPage[], span: RegExp): DocCommand[] {
  return pages.flatMap(({ file, text }) =>
    [...text.matchAll(span)].map(({ 1: said, index }) => ({
      file,
      line: text.slice(0, index).split('\n').length,
      words: shellWords(said!),
    })),
  );
}

/** The words after `escapement` in each command of a line of shell. */
function partsOf(text: string): string[][] {
  const words = shellWords(text);
  const parts: string[][] = [];
  let part: string[] | undefined;
  let isFirst = true;
  for (const word of words) {
    if (/^(?:\||\|\||&&|;|&)$/.test(word)) {
      part = undefined;
      isFirst = true;
    } else if (/^[<>]|^\d?>/.test(word)) part = undefined;
    else if (part) part.push(word.replace(/\)$/, ''));
    else if (isFirst && word === 'escapement') {
      part = [];
      parts.push(part);
    } else isFirst &&= word === 'npx' || /^\w+=/.test(word);
    if (/^<\($/.test(word)) isFirst = true;
  }
  return parts;
}

/** The words of a line of shell, without its quotes and its comment. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:'[^']*'|"[^"]*"|<\(|[^\s'"])+/g)) {
    if (word.startsWith('#')) break;
    if (word.startsWith('<(')) words.push('<(', ...(word.length > 2 ? [word.slice(2)] : []));
    else words.push(word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return words;
}
