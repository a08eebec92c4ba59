import { parseScheduleOptions } from '../../core/definition/definition';
import { InvalidOptionError } from '../../core/errors';
import type { ScheduleOptions } from '../../core/schedule';

/** A schedule that was read from another cron. */
export interface FoundSchedule {
  /** Where it stands, such as `line 7` or `jobs.yaml, document 2: CronJob 'reports'`. */
  where: string;
  /** Valid for `create`, apart from what {@link decide} names. */
  schedule: ScheduleOptions;
  /** What each field became. */
  became: string[];
  /** What a person must decide or fill in. */
  decide: string[];
}

/** What was read, and what could not be. */
export interface Reading {
  found: FoundSchedule[];
  problems: { where: string; problem: string }[];
}

/** Keep what is valid, and give what is not its reason. */
export function keep(reading: Reading, one: FoundSchedule): void {
  try {
    parseScheduleOptions(one.schedule, 'default');
    reading.found.push(one);
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    reading.problems.push({ where: one.where, problem: error.message });
  }
}

/** Names in the order of their asking, each once: a second `backup` becomes `backup-2`. */
export class Names {
  readonly #taken = new Set<string>();

  unique(name: string): string {
    let unique = name;
    for (let number = 2; this.#taken.has(unique); number++) unique = `${name}-${number}`;
    this.#taken.add(unique);
    return unique;
  }
}

/** `send-report` as code names it: `sendReport`. */
export function camelCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const joined = words.map((word, index) => (index === 0 ? word : word[0]!.toUpperCase() + word.slice(1))).join('');
  const named = joined === '' ? 'job' : joined[0]!.toLowerCase() + joined.slice(1);
  return /^\d/.test(named) ? `job${named}` : named;
}
