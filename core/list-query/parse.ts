import { didYouMean } from '../closest';
import { show } from '../occurrences/show';
import { InvalidQueryError } from './error';
import { type Token, tokensOf } from './tokens';

/** A name in backticks always means a search attribute. */
export interface WrittenField {
  name: string;
  isQuoted: boolean;
  position: number;
}

export interface WrittenValue {
  value: string | number | boolean;
  position: number;
}

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=';

export type Query<Field, Value> =
  | { kind: 'all'; of: Query<Field, Value>[] }
  | { kind: 'any'; of: Query<Field, Value>[] }
  | { kind: 'not'; of: Query<Field, Value> }
  | Predicate<Field, Value>;

export type Predicate<Field, Value> =
  | { kind: 'compare'; field: Field; operator: Operator; value: Value }
  | { kind: 'in'; field: Field; values: Value[] }
  | { kind: 'between'; field: Field; from: Value; to: Value }
  | { kind: 'startsWith'; field: Field; value: Value }
  | { kind: 'isNull'; field: Field };

export type WrittenQuery = Query<WrittenField, WrittenValue>;

const LONGEST_QUERY = 10_000;
/** A filter that is nested more deeply could exhaust the stack, in this process or in Postgres. */
const DEEPEST = 50;
const OPERATORS = ['=', '!=', '<', '<=', '>', '>='];
const WORDS = ['AND', 'OR', 'NOT', 'IN', 'BETWEEN', 'STARTS_WITH', 'IS', 'NULL', 'TRUE', 'FALSE', 'ORDER', 'GROUP'];
const PREDICATES = ['=', '!=', '<', '<=', '>', '>=', 'IN', 'BETWEEN', 'STARTS_WITH', 'IS'];

/**
 * Parse a filter in the grammar of Temporal's list filters; undefined for an empty filter.
 *
 * @see https://docs.temporal.io/list-filter
 * @throws {InvalidQueryError} with the position of the error
 */
export function parseQuery(query: string): WrittenQuery | undefined {
  if (query.length > LONGEST_QUERY) {
    throw new InvalidQueryError(query, LONGEST_QUERY + 1, `is longer than ${LONGEST_QUERY} characters`);
  }
  const parser = new Parser(query);
  if (parser.isAtEnd()) return undefined;
  const parsed = parser.any(0);
  parser.end();
  return parsed;
}

class Parser {
  readonly #tokens: Token[];
  #at = 0;

  constructor(private readonly query: string) {
    this.#tokens = tokensOf(query);
  }

  isAtEnd(): boolean {
    return this.#next.kind === 'end';
  }

  end(): void {
    if (this.isAtEnd()) return;
    if (this.#isWord('ORDER')) this.#refuse('the order is given beside the filter, by orderBy');
    const hint = this.#hint(['AND', 'OR']);
    this.#refuse(`AND, OR or the end is expected instead of ${this.#shown}${hint}`);
  }

  any(depth: number): WrittenQuery {
    const of = [this.#all(depth)];
    while (this.#takeWord('OR')) of.push(this.#all(depth));
    return of.length === 1 ? of[0]! : { kind: 'any', of };
  }

  #all(depth: number): WrittenQuery {
    const of = [this.#one(depth)];
    while (this.#takeWord('AND')) of.push(this.#one(depth));
    return of.length === 1 ? of[0]! : { kind: 'all', of };
  }

  #one(depth: number): WrittenQuery {
    if (depth > DEEPEST) this.#refuse(`is nested more than ${DEEPEST} deep`);
    if (this.#takeWord('NOT')) return { kind: 'not', of: this.#one(depth + 1) };
    if (!this.#takeSign('(')) return this.#predicate();
    const inner = this.any(depth + 1);
    this.#expectSign(')');
    return inner;
  }

  #predicate(): WrittenQuery {
    const field = this.#field();
    const token = this.#next;
    if (token.kind === 'sign' && OPERATORS.includes(token.text)) {
      this.#at++;
      return { kind: 'compare', field, operator: token.text as Operator, value: this.#value() };
    }
    if (this.#takeWord('IS')) {
      const isNot = this.#takeWord('NOT');
      if (!this.#takeWord('NULL')) this.#refuse(`NULL is expected instead of ${this.#shown}`);
      return negated(isNot, { kind: 'isNull', field });
    }
    const isNot = this.#takeWord('NOT');
    if (this.#takeWord('IN')) return negated(isNot, { kind: 'in', field, values: this.#list() });
    if (this.#takeWord('STARTS_WITH')) return negated(isNot, { kind: 'startsWith', field, value: this.#value() });
    if (this.#takeWord('BETWEEN')) {
      const from = this.#value();
      if (!this.#takeWord('AND')) this.#refuse(`AND is expected instead of ${this.#shown}`);
      return negated(isNot, { kind: 'between', field, from, to: this.#value() });
    }
    const allowed = isNot ? ['IN', 'BETWEEN', 'STARTS_WITH'] : PREDICATES;
    const hint = this.#hint(allowed);
    return this.#refuse(`${allowed.join(', ')} are expected after a field instead of ${this.#shown}${hint}`);
  }

  #field(): WrittenField {
    const token = this.#next;
    if (token.kind !== 'name' || (!token.isQuoted && WORDS.includes(token.text.toUpperCase()))) {
      return this.#refuse(`the name of a field is expected instead of ${this.#shown}`);
    }
    this.#at++;
    return { name: token.text, isQuoted: token.isQuoted, position: token.position };
  }

  #value(): WrittenValue {
    const token = this.#next;
    const { position } = token;
    if (this.#takeWord('TRUE')) return { value: true, position };
    if (this.#takeWord('FALSE')) return { value: false, position };
    if (token.kind !== 'value') {
      const quotes = token.kind === 'name' ? '; put texts in quotes' : '';
      return this.#refuse(`a value is expected instead of ${this.#shown}${quotes}`);
    }
    if (typeof token.value === 'number' && !Number.isFinite(token.value)) this.#refuse('the number is too large');
    if (typeof token.value === 'string' && (token.value.includes('\0') || !token.value.isWellFormed())) {
      this.#refuse('the text has characters that cannot be stored');
    }
    this.#at++;
    return { value: token.value, position };
  }

  #list(): WrittenValue[] {
    this.#expectSign('(');
    const values = [this.#value()];
    while (this.#takeSign(',')) values.push(this.#value());
    this.#expectSign(')');
    return values;
  }

  get #next(): Token {
    return this.#tokens[this.#at]!;
  }

  /** Only a name can be a misspelt word; other tokens get no suggestion. */
  #hint(allowed: readonly string[]): string {
    const token = this.#next;
    return token.kind === 'name' ? didYouMean(token.text, allowed) : '';
  }

  get #shown(): string {
    const token = this.#next;
    if (token.kind === 'end') return 'the end';
    return show(token.kind === 'value' ? token.value : token.text);
  }

  #isWord(word: string): boolean {
    const token = this.#next;
    return token.kind === 'name' && !token.isQuoted && token.text.toUpperCase() === word;
  }

  #takeWord(word: string): boolean {
    if (!this.#isWord(word)) return false;
    this.#at++;
    return true;
  }

  #takeSign(sign: string): boolean {
    const token = this.#next;
    if (token.kind !== 'sign' || token.text !== sign) return false;
    this.#at++;
    return true;
  }

  #expectSign(sign: string): void {
    if (!this.#takeSign(sign)) this.#refuse(`${show(sign)} is expected instead of ${this.#shown}`);
  }

  #refuse(problem: string): never {
    throw new InvalidQueryError(this.query, this.#next.position, problem);
  }
}

function negated(isNot: boolean, query: WrittenQuery): WrittenQuery {
  return isNot ? { kind: 'not', of: query } : query;
}
