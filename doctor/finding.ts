/** `critical`: something does not fire, or is late, now. `warning`: it will, or a person is waited for. */
export type Severity = 'critical' | 'warning';

/** Something that is wrong. */
export interface Finding {
  /** What it is; of an alert's condition, its name. */
  id: string;
  severity: Severity;
  /** What is wrong, in a sentence. */
  text: string;
  /** What to do about it, in a sentence. */
  action: string;
  /** Where that is explained: a heading of `docs/operations.md`. */
  runBook: RunBook;
}

/** Headings of `docs/operations.md`. */
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

/** One check of one thing. */
export interface Check<Context> {
  /** What is checked, in a few words. */
  name: string;
  find(context: Context): Promise<Finding[]>;
}

/** The worst first, in the order in which they were found. */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  const rank = ({ severity }: Finding) => (severity === 'critical' ? 0 : 1);
  return [...findings].sort((one, other) => rank(one) - rank(other));
}

/** Some of many by name: three, and how many more there are. */
export function some(names: readonly string[]): string {
  return listed(names.map((name) => `'${name}'`));
}

/** Three of many, and how many more there are. */
export function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, 3).join(', ');
  return texts.length > 3 ? `${shown} and ${texts.length - 3} more` : shown;
}

/**
 * `1 schedule is`, `2 schedules are`.
 *
 * @param readAtMost from so many on there may be more. @default no bound
 */
export function counted(
  count: number,
  noun: string,
  [one, many]: [string, string],
  readAtMost = Number.POSITIVE_INFINITY,
): string {
  if (count === 1) return `1 ${noun} ${one}`;
  return `${count >= readAtMost ? 'At least ' : ''}${count.toLocaleString('en')} ${noun}s ${many}`;
}
