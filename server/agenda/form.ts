import { type CompiledSpec, compileSpec } from '../../core/occurrences';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { wordsOf } from './words';

export interface InForm {
  isJittered?: boolean;
  /** Nominal times from this instant on start after the schedule's pause. @default the schedule is not paused */
  firesFrom?: Date | null;
}

/** Schedules for which `formOf` gives the same text: they have the same times, apart from pauses and jitter. */
export class FormInUse {
  readonly schedules = new Set<string>();
  readonly jittered = new Set<string>();
  /** From when on each paused schedule of the form fires, in epoch milliseconds. */
  readonly #pauses = new Map<string, number>();
  #compiled: CompiledSpec | undefined;
  #words: string[] | undefined;

  /** @param scheduleId the schedule from which the form was made; all schedules of the form have the same `H` */
  constructor(
    readonly text: string,
    readonly spec: ScheduleSpec,
    readonly scheduleId: string,
    private readonly whole?: FormInUse,
  ) {}

  add(scheduleId: string, { isJittered, firesFrom }: InForm = {}): void {
    this.schedules.add(scheduleId);
    if (isJittered) this.jittered.add(scheduleId);
    if (firesFrom) this.#pauses.set(scheduleId, firesFrom.getTime());
  }

  remove(scheduleId: string): void {
    this.schedules.delete(scheduleId);
    this.jittered.delete(scheduleId);
    this.#pauses.delete(scheduleId);
  }

  /** The same form without schedules, for a caller that adds only some of its schedules. */
  without(): FormInUse {
    return new FormInUse(this.text, this.spec, this.scheduleId, this);
  }

  /** @throws {InvalidScheduleError} if the form's spec cannot be evaluated */
  compiled(): CompiledSpec {
    if (this.whole) return this.whole.compiled();
    this.#compiled ??= compileSpec(this.spec, { scheduleId: this.scheduleId });
    return this.#compiled;
  }

  /** From when on the paused schedules fire, in epoch milliseconds, the earliest first. */
  pauseEnds(): number[] {
    return [...this.#pauses.values()].sort((one, other) => one - other);
  }

  /** Whether a schedule of the form fires at an instant at which the form fires: it is not paused then. */
  fires(scheduleId: string, instant: number): boolean {
    const until = this.#pauses.get(scheduleId);
    return until === undefined || until <= instant;
  }

  firingAt(instant: number): number {
    return this.schedules.size - [...this.#pauses.values()].filter((until) => until > instant).length;
  }

  /**
   * The first firing of any schedule from an instant on, this instant included, in epoch milliseconds. @throws
   * {InvalidScheduleError}
   */
  firstFrom(instant: number): number | undefined {
    const allPaused = this.#pauses.size === this.schedules.size;
    return this.compiled().next(Math.max(instant, (allPaused && this.pauseEnds()[0]) || instant) - 1);
  }

  get words(): string[] {
    if (this.whole) return this.whole.words;
    this.#words ??= wordsOf({ ...this.spec, jitter: undefined }, this.scheduleId);
    return this.#words;
  }
}
