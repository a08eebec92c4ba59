import { createHash } from 'node:crypto';
import { isPlanStale } from './postgres-errors';

/**
 * A connection with this many plans is closed after use, since list filters can produce any number of different
 * statements.
 */
const PLANS_AT_MOST = 500;

/** The plans that one connection keeps, by the names of their statements. */
export class KeptPlans {
  readonly #names = new Set<string>();
  #isOver = false;
  #isWornOut = false;

  /** Whether the connection must be closed after use, since its plans are too many or outdated. */
  get isWornOut(): boolean {
    return this.#isWornOut;
  }

  /** The name under which the statement's plan is kept; undefined if the statement is sent without a name. */
  nameOf(text: string): string | undefined {
    if (this.#isOver) return undefined;
    const name = nameOfStatement(text);
    this.#names.add(name);
    if (this.#names.size >= PLANS_AT_MOST) {
      this.#isOver = true;
      this.#isWornOut = true;
    }
    return name;
  }

  /** Note that the connection had no usable plan for a statement: from now on no plan is kept or used. */
  lost(error: unknown): void {
    this.#isOver = true;
    this.#isWornOut ||= isPlanStale(error);
  }
}

const statementNames = new Map<string, string>();

function nameOfStatement(text: string): string {
  const known = statementNames.get(text);
  if (known !== undefined) return known;
  if (statementNames.size >= PLANS_AT_MOST) statementNames.clear();
  const name = `escapement_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  statementNames.set(text, name);
  return name;
}
