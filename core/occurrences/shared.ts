import type { ScheduleSpec } from '../schedule/spec';
import { type CompiledSpec, compileSpec } from './compile';
import { RememberedSpec } from './remembered';

const FORMS_AT_MOST = 2_000;

/** Matches an expression with `H` or `h`, which spreads schedules by their ID, as jitter does. */
const HASHED = /(^|[\s,])H/i;

/**
 * Compiles specs and shares each compiled spec, with its caches, among schedules with the same spec. Specs with `H` or
 * jitter are not shared. When too many compiled specs are kept, the oldest is dropped.
 */
export class SharedSpecs {
  readonly #forms = new Map<string, CompiledSpec>();

  /** @throws {InvalidScheduleError} for the same specs as {@link compileSpec} */
  compile(spec: ScheduleSpec, scheduleId: string): CompiledSpec {
    const remembered = () => new RememberedSpec(compileSpec(spec, { scheduleId }));
    if (!isShareable(spec)) return remembered();
    const form = JSON.stringify(spec);
    const known = this.#forms.get(form);
    if (known) return known;
    const compiled = remembered();
    if (this.#forms.size === FORMS_AT_MOST) this.#forms.delete(this.#forms.keys().next().value!);
    this.#forms.set(form, compiled);
    return compiled;
  }
}

function isShareable(spec: ScheduleSpec): boolean {
  return !spec.jitter && !isHashed(spec);
}

/** Whether the times of a spec may depend on the schedule's ID. */
export function isHashed({ cron }: Pick<ScheduleSpec, 'cron'>): boolean {
  return [cron ?? []].flat().some((expression) => HASHED.test(expression));
}
