import type { ScheduleSpec } from '../schedule';
import { type CompiledSpec, compileSpec } from './compile';
import { RememberedSpec } from './remembered';

const FORMS_AT_MOST = 2_000;

/** `H`, or `h`, spreads schedules by their ID, as jitter does. */
const HASHED = /(^|[\s,])H/i;

/** Compiles specs, each form once: what it finds is shared by all schedules of that form. The oldest forms make room. */
export class SharedSpecs {
  readonly #forms = new Map<string, CompiledSpec>();

  /** @throws {InvalidScheduleError} as {@link compileSpec} */
  compile(spec: ScheduleSpec, scheduleId: string): CompiledSpec {
    if (!isShareable(spec)) return compileSpec(spec, { scheduleId });
    const form = JSON.stringify(spec);
    const known = this.#forms.get(form);
    if (known) return known;
    const compiled = new RememberedSpec(compileSpec(spec, { scheduleId }));
    if (this.#forms.size === FORMS_AT_MOST) this.#forms.delete(this.#forms.keys().next().value!);
    this.#forms.set(form, compiled);
    return compiled;
  }
}

/** Whether the spec alone decides, not the schedule's ID. */
function isShareable(spec: ScheduleSpec): boolean {
  return !spec.jitter && !isHashed(spec);
}

/** Whether the schedule's ID decides when it fires. */
export function isHashed({ cron }: Pick<ScheduleSpec, 'cron'>): boolean {
  return [cron ?? []].flat().some((expression) => HASHED.test(expression));
}
