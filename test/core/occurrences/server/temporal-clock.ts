import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTemporalCron } from '../../../../core/occurrences/cron/cron-temporal';
import { calendarOfRanges } from '../../../../core/occurrences/ranges';

interface Around {
  zone: string;
  /** The instant of a clock change. All other numbers are seconds after it. */
  change: string;
  from: number;
  to: number;
}

/** What the server answers to each question about the next time of one expression. */
export interface Answers extends Around {
  cron: string;
  /** Pairs: from this second up to the next pair, the answer is this. */
  answers: [after: number, next: number][];
}

/** The times to which the server comes, each asked from the one before. */
export interface Walk extends Around {
  crons: string[];
  /** Intervals: seconds, and seconds after the epoch. */
  every?: [every: number, offset: number][];
  /** Whether the spec begins with the second after `from`. */
  startsThere?: true;
  times: number[];
}

const rows: (Answers | Walk)[] = readFileSync(join(__dirname, '../../../vectors/temporal-clock.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

/**
 * Facts of Temporal's server: what the code of version 1.32.1 (`service/worker/scheduler/calendar.go`) answered. Where
 * it would loop forever, the walk goes on with the next instant that its `matches` accepts.
 */
export const answers = rows.filter((row): row is Answers => 'cron' in row);
export const walks = rows.filter((row): row is Walk => 'crons' in row);

export const calendarOfCron = (cron: string) => calendarOfRanges(readTemporalCron(cron, 'cron').calendar!);
