import { setTimeout } from 'node:timers/promises';
import { Complaint } from '../../logging/complaint';
import { readNamespaces } from '../../store/firings/adopt';
import { type DailyCheck, recordPlace, takeDailyCheck } from '../../store/firings/daily-check';
import { noticeIncarnation, recordAdoption } from '../../store/incarnation';
import { describeHolder, lockHolders } from '../../store/schedules/lock-holders';
import { TemporalCallError } from '../../temporal/port';
import { later, type TriggerContext } from '../context';
import { type AdoptedPage, adoptPage } from './adopt-page';
import { holdNamespaces, holdSchedules, NOTHING_HELD } from './adoption';
import { listRuns } from './list-runs';

/** The result of one adopt pass. */
export interface AdoptResult {
  adopted: number;
  /** Firings that were closed although their chain runs. */
  reopened: number;
  /** Whether all runs were adopted: every namespace answered, and no schedule was left out. */
  complete: boolean;
}

const DAY = 24 * 60 * 60 * 1_000;
/**
 * How much earlier the list of runs begins than the loss, or than the day that is checked. The margin covers
 * differences between clocks, and runs that the list of the last adoption did not show yet.
 */
const MARGIN_MILLISECONDS = 600_000;

/**
 * Ask Temporal which workflows it has started for this ledger, and write the rows that are missing. After an
 * asynchronous failover or a restore from an older copy, the ledger may lack the rows of workflows that run.
 */
export async function adopt(context: TriggerContext): Promise<AdoptResult> {
  const { store, adoption, stopping } = context;
  const now = context.clock.now();
  const { incarnation, adopted, intactUntil } = await noticeIncarnation(store, new Date(now));
  if (adoption.incarnation !== incarnation) Object.assign(adoption, { incarnation, done: new Set<string>() });
  if (adopted) adoption.held = NOTHING_HELD;

  const result: AdoptResult = { adopted: 0, reopened: 0, complete: true };
  // After a failover each trigger asks by itself, since it may not claim before; otherwise one trigger asks for all.
  const lostSince = adopted ? adoption.again?.since : intactUntil;
  const wanted = adopted ? (lostSince ?? later(now, -DAY)) : intactUntil;
  const check = adopted ? await takeCheck(context, now, wanted!) : undefined;
  if (adopted && !check) return { ...result, complete: false };
  const since = check?.since ?? wanted;
  const from = since && later(since.getTime(), -MARGIN_MILLISECONDS);
  const namespaces = from ? await readNamespaces(store, from) : [];
  const left = namespaces.filter((one) => !adoption.done.has(one) && check?.places[one] !== true);
  // If one namespace answers slowly, only its own schedules wait.
  if (!adopted && left.length > 0) holdNamespaces(adoption, left);
  for (const end of await Promise.all(left.map((namespace) => adoptOrPostpone(context, namespace, from!, check)))) {
    result.adopted += end?.adopted ?? 0;
    result.reopened += end?.reopened ?? 0;
    result.complete &&= end?.isDone ?? false;
  }
  if (stopping.aborted) return { ...result, complete: false };
  // The daily check is a safety net: if a namespace did not answer, it is checked on the next day. The second read
  // after a failover is more than a safety net: a lost dead letter can be written again only once its firing has a row.
  if (!result.complete && (!adopted || lostSince)) return result;

  const at = now + context.limits.sweepIntervalMilliseconds;
  const lost = !adopted && lostSince ? { since: lostSince, againAt: new Date(at) } : undefined;
  // Another failover happened in the meantime: its database is not adopted yet.
  if (!(await recordAdoption(store, { incarnation, now: new Date(now), lost }))) return { ...result, complete: false };
  adoption.again = lost && { since: lost.since, at };
  adoption.adoptedAt = new Date(now);
  adoption.done.clear();
  adoption.held = NOTHING_HELD;
  return result;
}

/** @returns undefined while another trigger carries out the daily check */
function takeCheck({ id: owner, store, settings }: TriggerContext, now: number, since: Date) {
  const staleBefore = later(now, -settings.staleAfterMilliseconds);
  return takeDailyCheck(store, { owner, now: new Date(now), since, staleBefore });
}

async function adoptOrPostpone(context: TriggerContext, namespace: string, since: Date, check: DailyCheck | undefined) {
  const { adoption, stopping } = context;
  try {
    const done = await adoptNamespace(context, namespace, since, check);
    if (!done) return undefined;
    if (stopping.aborted) return { ...done, isDone: false };
    // If a run is not adopted, its occurrence could be fired a second time, so its schedule waits; other schedules
    // continue.
    if (!check) holdSchedules(adoption, namespace, done.held);
    if (done.held.size > 0) {
      const [scheduleId] = [...done.held] as [string];
      const heldBy = (await lockHolders(context.store, scheduleId)).map(describeHolder);
      const meta = { scheduleId, schedules: done.held.size, heldBy };
      complaintOf(context, namespace).failed('somebody keeps schedules locked, or Postgres refuses their rows', meta);
      return { ...done, isDone: false };
    }
    adoption.complaints.get(namespace)?.over();
    adoption.done.add(namespace);
    return { ...done, isDone: true };
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    if (!error.ofNamespace) complaintOf(context, namespace).failed(error.message);
    return undefined;
  }
}

function complaintOf({ adoption: { complaints }, logger }: TriggerContext, namespace: string): Complaint {
  const message = {
    failing: 'what Temporal has started could not be adopted',
    over: 'what Temporal started is adopted',
  };
  const complaint = complaints.get(namespace) ?? new Complaint(logger, message, { namespace });
  complaints.set(namespace, complaint);
  return complaint;
}

async function adoptNamespace(
  context: TriggerContext,
  namespace: string,
  since: Date,
  check: DailyCheck | undefined,
): Promise<AdoptedPage | undefined> {
  const { id, limits, stopping, store } = context;
  const done = { adopted: 0, reopened: 0, held: new Set<string>() };
  const begun = check?.places[namespace];
  let token = begun === true ? undefined : begun;
  for (;;) {
    const listed = await listRuns(context, namespace, { since, size: limits.batchSize, token });
    if (!listed) return undefined;
    const page = await adoptPage(context, namespace, listed.runs);
    done.adopted += page.adopted;
    done.reopened += page.reopened;
    for (const scheduleId of page.held) done.held.add(scheduleId);
    token = listed.next;
    if (stopping.aborted) return done;
    // A later check continues at the first page that contains a run of a schedule that was left out.
    const isPassed = check && done.held.size === 0;
    if (isPassed && !(await recordPlace(store, id, namespace, token ?? true))) return undefined;
    if (token === undefined) return done;
    await setTimeout(limits.listPagePauseMilliseconds);
  }
}
