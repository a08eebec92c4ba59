import { parseSync, Visitor } from 'vite';

/**
 * The blocks of prose in a TypeScript or JavaScript file: comments, docstrings and, on request, strings.
 *
 * @param {string} file name of the file, which shows the language
 * @param {string} source
 * @param {{ strings: boolean }} options
 * @returns {{ text: string, line: number }[]}
 */
export function proseOfCode(file, source, { strings }) {
  const { comments, program } = parseSync(file, source);
  const lineOf = lineFinder(source);
  const blocks = joined(comments, source).flatMap(({ text, start }) => partsOf(text, lineOf(start)));
  if (strings) for (const { text, start } of stringsOf(program)) blocks.push(...partsOf(text, lineOf(start)));
  return blocks;
}

/** The blocks of prose in a file whose comments begin with `#`, such as YAML. */
export function proseOfHashComments(source) {
  const lines = source.split('\n').map((line) => /^\s*# ?(.*)$/.exec(line)?.[1] ?? '');
  return partsOf(lines.join('\n'), 1);
}

/** What people read in a line of these files: its comment, or in JSON a description. */
const READ_IN_LINE = {
  sql: /--+ ?(.*)/,
  tla: /(?:\\\*|\(\*) ?(.*?)\s*(?:\*\))?$/,
  css: /\/\* ?(.*?) ?(?:\*\/)?$/,
  json: /"description": "([^"]*)"/,
};

/** The blocks of prose in a file of SQL, TLA+, CSS or JSON. */
export function proseOfLines(file, source) {
  const read = READ_IN_LINE[file.split('.').at(-1)];
  const lines = source.split('\n').map((line) => (read.exec(line)?.[1] ?? '').replace(/^\*+$/, ''));
  return partsOf(lines.join('\n'), 1);
}

/** Merge consecutive one-line comments. */
function joined(comments, source) {
  const found = [];
  let last;
  for (const { type, value, start, end } of comments) {
    if (type === 'Block') {
      found.push({ text: value.replace(/^[ \t]*\*+ ?/gm, ''), start });
      last = undefined;
      continue;
    }
    if (last && /^\n[ \t]*$/.test(source.slice(last.end, start))) last.text += `\n${value.trim()}`;
    else {
      last = { text: value.trim(), start };
      found.push(last);
    }
    last.end = end;
  }
  return found;
}

/** Split a comment into paragraphs, list items and tags. Code samples are left out. */
function partsOf(text, line) {
  const parts = [];
  let part;
  let isCode = false;
  for (const [index, one] of text.split('\n').entries()) {
    const said = one.replace(/^\s*(?:[-*] |\d+\. |@(?:param|throws|returns?|default|see|deprecated)\b)?/, '').trim();
    if (/^```/.test(said) || /^\s*@example/.test(one)) isCode = !isCode;
    if (/^\s*@(?!example)/.test(one)) isCode = false;
    const isDirective = /^(biome-ignore|@ts-|<reference|#!)/.test(said);
    if (said === '' || isCode || isDirective) part = undefined;
    else if (!part || /^\s*([-*] |\d+\. |@\w)|^ {2}/.test(one)) {
      part = { text: said, line: line + index };
      parts.push(part);
    } else part.text += `\n${said}`;
  }
  return parts;
}

/** The texts of strings, with a placeholder for each value. */
function stringsOf(program) {
  const found = [];
  const whole = new Set();
  const add = (node) => {
    if (whole.has(node)) return;
    const text = textOf(node, whole);
    if (text !== undefined && isProse(text)) found.push({ text, start: node.start });
  };
  new Visitor({
    BinaryExpression: (node) => node.operator === '+' && add(node),
    TaggedTemplateExpression: (node) => void whole.add(node.quasi),
    ImportDeclaration: (node) => void whole.add(node.source),
    // A string that is split is a list of words, not a sentence.
    MemberExpression: (node) => node.property.name === 'split' && leaveOut(node.object, whole),
    Literal: (node) => typeof node.value === 'string' && add(node),
    TemplateLiteral: add,
    JSXText: (node) => isProse(node.value) && found.push({ text: node.value, start: node.start }),
  }).visit(program);
  return found;
}

function leaveOut(node, whole) {
  if (node.type === 'ParenthesizedExpression') leaveOut(node.expression, whole);
  else textOf(node, whole);
}

function textOf(node, whole) {
  whole.add(node);
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join('x');
  if (node.type === 'ParenthesizedExpression') return textOf(node.expression, whole);
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const [left, right] = [textOf(node.left, whole), textOf(node.right, whole)];
  return left === undefined && right === undefined ? undefined : (left ?? 'x') + (right ?? 'x');
}

/** How a statement or a part of one begins, or markup, or code. */
const CODE = new RegExp(
  `^\\s*(?:${[
    'select\\b|truncate\\b|grant [\\w, ]+ (?:on|to) |values ?\\(|exists ?\\(|case when\\b|order by\\b|lock table\\b|comment on\\b',
    'insert into\\b|delete from\\b|update \\S+ (?:as \\w+ )?set\\b|with (?:recursive )?\\w+(?: \\([^)]*\\))? as\\b',
    '(?:create|alter|drop) (?:or replace |unique |temporary |materialized )*(?:table|index|function|schema|role|user|database|view|trigger|extension|type|sequence|publication|subscription|system)\\b',
    'set (?:local|session|role|constraints)\\b|set [a-z_]+ (?:=|to\\b)|begin(?: isolation|;|$)',
    '(?:where|and|or|from|join|left join) (?:not |exists |\\()?[\\w."]*[._(][\\w."(]*',
    'import |const |<|\\{|@|\\.|#',
  ].join('|')})`,
);

function isProse(text) {
  return /\p{L}+ \p{L}+ \p{L}+/u.test(text) && !CODE.test(text);
}

function lineFinder(source) {
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
