import { InvalidScheduleError } from '../../core/errors';
import { problemsOf } from '../../core/options';
import type { ScheduleOptions } from '../../core/schedule/options';
import { DayFiller } from '../calendars/fill-days';
import { applyOptions } from '../call-options';
import type { ClientContext } from '../context';
import { Turns } from '../in-turns';
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
  const turns = new Turns();
  const unlessRefused = async <Result>(index: number, check: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof InvalidScheduleError)) throw error;
      const { path, problem } = error;
      problems.push({ index, scheduleId: schedules[index]?.scheduleId, path, problem });
      return undefined;
    }
  };
  for (let start = 0; start < schedules.length; start += ENCODED_AT_ONCE) {
    const page: Omit<DeclaredSchedule, 'encoded'>[] = [];
    for (const [offset, given] of schedules.slice(start, start + ENCODED_AT_ONCE).entries()) {
      const index = start + offset;
      const parsed = await unlessRefused(index, () => checkOne(context, filler, given));
      if (parsed) page.push({ index, parsed });
      await turns.next();
    }
    const encodings = page.map((one) =>
      unlessRefused(one.index, async () => ({ ...one, encoded: await context.codec.encode(one.parsed) })),
    );
    for (const encoded of await Promise.all(encodings)) if (encoded) declared.push(encoded);
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

async function checkOne(context: ClientContext, filler: DayFiller, given: ScheduleOptions): Promise<CheckedSchedule> {
  for (const field of ['triggerImmediately', 'backfill'] as const) {
    if (given?.state?.[field])
      throw new InvalidScheduleError(`state.${field}`, 'is only for create; use the method of the handle');
  }
  const filled = given && (await filler.fill(scheduleInTenant(context, given)));
  return checkSchedule(context, filled, { over: true });
}
