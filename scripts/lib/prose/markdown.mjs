const GENERATED = /<!-- (\w+): begin -->[\s\S]*?<!-- \1: end -->|<!-- From here on written by [\s\S]*$/g;

/**
 * The blocks of prose in a page: headings, paragraphs and list items. Tables, code and comments are left out. So is
 * generated text, which stands between `<!-- NAME: begin -->` and `<!-- NAME: end -->`, or after `<!-- From here on
 * written by … -->`.
 *
 * @param {string} page
 * @returns {{ text: string, line: number }[]}
 */
export function proseOfMarkdown(page) {
  const blocks = [];
  let block;
  const end = () => {
    block = undefined;
  };
  for (const { line, number, isCode } of writtenLines(page)) {
    const text = line.replace(/^[\s>]*(?:[-*+] |\d+\. |#+ )?/, '').trimEnd();
    const isApart = isCode || text === '' || isRow(line);
    if (isApart || /^[\s>]*([-*+]|\d+\.|#+) /.test(line)) end();
    if (isApart) continue;
    if (block) block.text += `\n${text}`;
    else {
      block = { text, line: number };
      blocks.push(block);
    }
    if (/^#/.test(line)) end();
  }
  return blocks.map(({ text, line }) => ({ text: plain(text), line }));
}

/**
 * The rows of the tables of a page, without code and generated text.
 *
 * @param {string} page
 * @returns {{ text: string, line: number }[]}
 */
export function rowsOfMarkdown(page) {
  return [...writtenLines(page)]
    .filter(({ line, isCode }) => !isCode && isRow(line))
    .map(({ line, number }) => ({ text: plain(line.trim()), line: number }));
}

function isRow(line) {
  return /^\s*\|/.test(line);
}

/** The lines that a person wrote. Those left out are empty, so that line numbers stay correct. */
function* writtenLines(page) {
  let fence;
  const lines = page
    .replace(GENERATED, (part) => part.replace(/[^\n]/g, ''))
    .replace(/<!--[\s\S]*?-->/g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(/^---\n[\s\S]*?\n---\n/, (front) => front.replace(/[^\n]/g, ''))
    .split('\n');
  for (const [index, line] of lines.entries()) {
    const [, opened] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    yield { line, number: index + 1, isCode: fence !== undefined || opened !== undefined };
    if (!fence) fence = opened;
    else if (opened?.startsWith(fence)) fence = undefined;
  }
}

/** The visible text: links without their targets, and no marks of emphasis. Code stays. */
function plain(text) {
  const codes = [];
  const shown = text
    .replace(/`[^`]+`/g, (code) => `\u0000${codes.push(code) - 1}\u0000`)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<\/?\w[^>]*>/g, '')
    .replace(/\*\*|(?<!\w)[*_]|[*_](?!\w)/g, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it stands for code, since no page has it
  return shown.replace(/\u0000(\d+)\u0000/g, (_, index) => codes[index]);
}
