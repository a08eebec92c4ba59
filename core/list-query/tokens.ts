import { InvalidQueryError } from './error';

/** `position` counts characters from 1. */
export type Token = { position: number } & (
  | { kind: 'name'; text: string; isQuoted: boolean }
  | { kind: 'value'; value: string | number }
  | { kind: 'sign'; text: string }
  | { kind: 'end' }
);

const SPACE = /\s+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?/y;
const SIGN = /!=|<=|>=|[=<>(),]/y;
/**
 * A text in single or double quotes, or a name in backticks. A quote inside the text is doubled, or escaped by a
 * backslash.
 */
const QUOTED = /'((?:[^'\\]|\\[\s\S]|'')*)'|"((?:[^"\\]|\\[\s\S]|"")*)"|`((?:[^`\\]|\\[\s\S]|``)*)`/y;
const ESCAPED = {
  "'": /\\([\s\S])|''/g,
  '"': /\\([\s\S])|""/g,
  '`': /\\([\s\S])|``/g,
};

/** @throws {InvalidQueryError} for a character that starts no token */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(query);
  };
  while (at < query.length) {
    const position = at + 1;
    const match = take(SPACE) ?? take(QUOTED) ?? take(NAME) ?? take(NUMBER) ?? take(SIGN);
    if (match === null)
      throw new InvalidQueryError(query, position, problemAt(String.fromCodePoint(query.codePointAt(at)!)));
    const token = tokenOf(match, position);
    if (token) tokens.push(token);
    at += match[0].length;
  }
  return [...tokens, { kind: 'end', position: query.length + 1 }];
}

function tokenOf(match: RegExpExecArray, position: number): Token | undefined {
  const text = match[0];
  const first = text[0]!;
  if (/\s/.test(first)) return undefined;
  if (first === "'" || first === '"') return { kind: 'value', value: unescaped(text), position };
  if (first === '`') return { kind: 'name', text: unescaped(text), isQuoted: true, position };
  if (/[A-Za-z_]/.test(first)) return { kind: 'name', text, isQuoted: false, position };
  if (/[0-9.+-]/.test(first)) return { kind: 'value', value: Number(text), position };
  return { kind: 'sign', text, position };
}

function unescaped(quoted: string): string {
  const quote = quoted[0] as keyof typeof ESCAPED;
  return quoted.slice(1, -1).replace(ESCAPED[quote], (_, escaped?: string) => escaped ?? quote);
}

function problemAt(character: string): string {
  if (/['"`]/.test(character)) return 'the quote does not end';
  return `${JSON.stringify(character)} is not expected here; put texts in quotes, and names with such characters in backticks`;
}
