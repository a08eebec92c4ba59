import type { DocBlock, DocPage } from './doc-pages';

/** A command line of a page. */
export interface DocCommand {
  file: string;
  line: number;
  words: string[];
}

/** The commands of `escapement` in shell blocks. */
export function commandsOf(blocks: DocBlock[]): DocCommand[] {
  return blocks
    .filter(({ info }) => /^(sh|bash|shell|console)\b/.test(info))
    .flatMap(({ file, line, code }) =>
      code
        // Join a line that ends with a backslash to the next one.
        .replaceAll(/\\\n\s*/g, (end) => `${' '.repeat(end.length - 1)} `)
        .split('\n')
        .flatMap((text, index) =>
          partsOf(text.replace(/^\s*[$>] /, '')).map((words) => ({ file, line: line + 1 + index, words })),
        ),
    );
}

/** Commands in the text of pages, such as `escapement schedule list`. They may leave out arguments. */
export function namedCommands(pages: DocPage[]): DocCommand[] {
  return pages.flatMap(({ file, text }) =>
    [...text.matchAll(/`(?:npx )?escapement ([^`\n]+)`/g)].map(({ 1: said, index }) => ({
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
