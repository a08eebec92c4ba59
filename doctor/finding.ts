import { counted } from '../core/counted';

/** `critical`: firings or their workflows are usually held up now. `warning`: all other problems. */
export type Severity = 'critical' | 'warning';

export interface Finding {
  /** The kind of problem; for an alert, the name of its condition. */
  id: string;
  severity: Severity;
  text: string;
  action: string;
  runBook: RunBook;
}

/** The heading in `docs/operations.md` that explains the problem. */
export type RunBook =
  | 'late-firings'
  | 'nothing-fires'
  | 'temporal-down'
  | 'postgres'
  | 'postgres-failover'
  | 'workers'
  | 'a-bad-deploy'
  | 'a-stampede'
  | 'a-poison-step'
  | 'schedules-that-do-not-fire';

export interface Check<Context> {
  /** What the check is about, in a few words. */
  name: string;
  find(context: Context): Promise<Finding[]>;
}

export function worstFirst(findings: readonly Finding[]): Finding[] {
  const rank = ({ severity }: Finding) => (severity === 'critical' ? 0 : 1);
  return [...findings].sort((one, other) => rank(one) - rank(other));
}

export function some(names: readonly string[]): string {
  return listed(names.map((name) => `'${name}'`));
}

export function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, 3).join(', ');
  return texts.length > 3 ? `${shown} and ${texts.length - 3} more` : shown;
}

/**
 * A number with its noun and verb, such as `1 schedule is` or `2 schedules are`.
 *
 * @param readAtMost the limit of the read; if it is reached, there may be more. @default no bound
 */
export function countedWith(
  count: number,
  noun: string,
  [one, many]: [string, string],
  readAtMost = Number.POSITIVE_INFINITY,
): string {
  return `${count >= readAtMost ? 'At least ' : ''}${counted(count, `${noun} ${one}`, `${noun}s ${many}`)}`;
}
