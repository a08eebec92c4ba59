import { InvalidScheduleError } from '../../core/errors';
import { problemsOf } from '../../core/options';
import type { ScheduleOptions } from '../../core/schedule/options';
import { DayFiller } from '../calendars/fill-days';
import { applyOptions } from '../call-options';
import type { ClientContext } from '../context';
import type { EncodedSchedule } from '../payloads';
import { type CheckedSchedule, checkSchedule } from '../register';
import { isScopedSource, scheduleInTenant } from '../tenant';
import { type ApplyProblem, ApplyRefusedError } from './apply-errors';
import type { ApplyOptions } from './apply-options';

export interface DeclaredSchedule {
  index: number;
  parsed: CheckedSchedule;
  encoded: EncodedSchedule;
}

/** How many schedules are encoded in parallel, since a codec may call a remote service for each of them. */
const ENCODED_AT_ONCE = 100;

/** @throws {ApplyRefusedError} with the problems of the call, and the first problem of each bad schedule */
export async function checkList(
  context: ClientContext,
  schedules: readonly ScheduleOptions[],
  options: ApplyOptions,
): Promise<DeclaredSchedule[]> {
  const problems = problemsOfCall(schedules, options);
  if (!Array.isArray(schedules)) throw new ApplyRefusedError(sourceOf(options), problems);
  const declared: DeclaredSchedule[] = [];
  const first = new Map<string, number>();
  const filler = new DayFiller(context);
  for (let start = 0; start < schedules.length; start += ENCODED_AT_ONCE) {
    const page = schedules.slice(start, start + ENCODED_AT_ONCE);
    const checks = page.map((given, offset) => checkOne(context, filler, given, start + offset));
    for (const check of await Promise.all(checks)) {
      if ('problem' in check) problems.push(check);
      else declared.push(check);
    }
  }
  for (const { index, parsed } of declared) {
    const { scheduleId } = parsed;
    const earlier = first.get(scheduleId);
    if (earlier === undefined) first.set(scheduleId, index);
    else problems.push({ index, scheduleId, path: 'scheduleId', problem: `is also that of [${earlier}]` });
  }
  problems.sort((one, other) => (one.index ?? -1) - (other.index ?? -1));
  if (problems.length > 0) throw new ApplyRefusedError(sourceOf(options), problems);
  return declared;
}

function problemsOfCall(schedules: readonly ScheduleOptions[], options: ApplyOptions): ApplyProblem[] {
  const problems: ApplyProblem[] = [];
  const refuse = (path: string, problem: string) =>
    problems.push({ index: undefined, scheduleId: undefined, path, problem });
  const { source, prune, pruneAtMost } = options ?? {};
  for (const { path, problem } of problemsOf(applyOptions, options)) refuse(path, problem);
  if (typeof source === 'string' && isScopedSource(source))
    refuse('source', "is a tenant's; apply it with a client of that tenant");
  if (!Array.isArray(schedules)) refuse('schedules', 'is not a list');
  if (pruneAtMost !== undefined && !prune) refuse('pruneAtMost', "has no effect without 'prune: true'");
  return problems;
}

/** The source's name for the error, even if the option `source` itself is the bad field. */
function sourceOf(options: ApplyOptions): string {
  return String((options as Partial<ApplyOptions> | undefined)?.source);
}

async function checkOne(
  context: ClientContext,
  filler: DayFiller,
  given: ScheduleOptions,
  index: number,
): Promise<DeclaredSchedule | ApplyProblem> {
  try {
    for (const field of ['triggerImmediately', 'backfill'] as const) {
      if (given?.state?.[field])
        throw new InvalidScheduleError(`state.${field}`, 'is only for create; use the method of the handle');
    }
    const filled = given && (await filler.fill(scheduleInTenant(context, given)));
    const parsed = checkSchedule(context, filled, { over: true });
    return { index, parsed, encoded: await context.codec.encode(parsed) };
  } catch (error) {
    if (!(error instanceof InvalidScheduleError)) throw error;
    const { path, problem } = error;
    return { index, scheduleId: given?.scheduleId, path, problem };
  }
}
