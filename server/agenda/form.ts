import { type CompiledSpec, compileSpec } from '../../core/occurrences';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { wordsOf } from './words';

/**
 * A form: live schedules that fire at the same times, since `formOf` gives the same text for them, and their pauses end
 * at the same time.
 */
export class FormInUse {
  readonly schedules = new Set<string>();
  /** IDs of the form's schedules that have jitter. */
  readonly jittered = new Set<string>();
  #compiled: CompiledSpec | undefined;
  #words: string[] | undefined;

  /**
   * @param scheduleId the schedule from which the form was made. All schedules of the form have the same values for `H`
   * @param pausedUntil when the pause of these schedules ends; null if they are not paused
   */
  constructor(
    readonly text: string,
    readonly spec: ScheduleSpec,
    readonly scheduleId: string,
    readonly pausedUntil: Date | null = null,
    private readonly whole?: FormInUse,
  ) {}

  add(scheduleId: string, isJittered: boolean): void {
    this.schedules.add(scheduleId);
    if (isJittered) this.jittered.add(scheduleId);
  }

  remove(scheduleId: string): void {
    this.schedules.delete(scheduleId);
    this.jittered.delete(scheduleId);
  }

  /** The same form without schedules, for a caller who adds some of them. */
  without(): FormInUse {
    return new FormInUse(this.text, this.spec, this.scheduleId, this.pausedUntil, this);
  }

  /** @throws {InvalidScheduleError} if the form's spec cannot be evaluated */
  compiled(): CompiledSpec {
    if (this.whole) return this.whole.compiled();
    this.#compiled ??= compileSpec(this.spec, { scheduleId: this.scheduleId });
    return this.#compiled;
  }

  /** The form's first firing at an instant, in epoch milliseconds, or after it. @throws {InvalidScheduleError} */
  firstFrom(instant: number): number | undefined {
    return this.compiled().next(Math.max(instant, this.pausedUntil?.getTime() ?? instant) - 1);
  }

  /** When the form fires, in words. */
  get words(): string[] {
    if (this.whole) return this.whole.words;
    this.#words ??= wordsOf({ ...this.spec, jitter: undefined }, this.scheduleId);
    return this.#words;
  }
}
