import type { ScheduleSpec } from '../schedule';

/** One form of a spec that answers every question about its nominal times. Instants are epoch milliseconds. */
export interface CompiledSpec {
  /** The first occurrence later than `after`; undefined when there is none. */
  next(after: number): number | undefined;
  /** The last occurrence earlier than `before`; undefined when there is none. */
  previous(before: number): number | undefined;
  /** How many occurrences lie in `(after, through]`. */
  count(after: number, through: number): number;
  /** When the firing of a nominal time is to start: the nominal time plus its deterministic jitter. */
  startTime(nominal: number): number;
}

/** Options of {@link compileSpec}. */
export interface CompileOptions {
  /** Seeds `H` and jitter, so that schedules of one form spread out. */
  scheduleId?: string;
}

/**
 * Compile a spec once into the form that everything evaluates.
 *
 * @throws {InvalidScheduleError} with the path of the bad field
 */
export function compileSpec(spec: ScheduleSpec, options: CompileOptions = {}): CompiledSpec {
  throw new Error(`not built yet: ${JSON.stringify(spec)} ${options.scheduleId}`);
}
