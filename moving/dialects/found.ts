import { parseScheduleOptions } from '../../core/definition/parse';
import { InvalidOptionError } from '../../core/errors';
import { canFire } from '../../core/occurrences';
import type { ScheduleOptions } from '../../core/schedule/options';

export interface FoundSchedule {
  /** The place of the schedule, such as `line 7` or `jobs.yaml, document 2: CronJob 'reports'`. */
  where: string;
  /** The options for `create`, which are valid; {@link decide} says what a person must check first. */
  schedule: ScheduleOptions;
  /** How each field was translated. */
  became: string[];
  /** Points that a person must decide or fill in. */
  decide: string[];
}

/** The schedules that could be read, and the problems of those that could not. */
export interface Reading {
  found: FoundSchedule[];
  problems: { where: string; problem: string }[];
}

/** Adds a schedule to `reading` if it is valid; otherwise adds its problem. */
export function keep(reading: Reading, one: FoundSchedule): void {
  try {
    const { compiled } = parseScheduleOptions(one.schedule, 'default');
    // `apply` would refuse the whole list for its sake.
    const problem = 'spec: names no time to come; a job that is only triggered by hand has the spec {}';
    if (canFire(compiled, Date.now())) reading.found.push(one);
    else reading.problems.push({ where: one.where, problem });
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    reading.problems.push({ where: one.where, problem: error.message });
  }
}

/** Makes names unique, in order: a second `backup` becomes `backup-2`. */
export class Names {
  readonly #taken = new Set<string>();

  unique(name: string): string {
    let unique = name;
    for (let number = 2; this.#taken.has(unique); number++) unique = `${name}-${number}`;
    this.#taken.add(unique);
    return unique;
  }
}

/** Converts a name such as `send-report` to an identifier in code: `sendReport`. */
export function camelCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const joined = words.map((word, index) => (index === 0 ? word : word[0]!.toUpperCase() + word.slice(1))).join('');
  const named = joined === '' ? 'job' : joined[0]!.toLowerCase() + joined.slice(1);
  return /^\d/.test(named) ? `job${named}` : named;
}
