import { setTimeout } from 'node:timers/promises';
import { Complaint } from '../../logging/complaint';
import { readNamespaces } from '../../store/firings/adopt';
import { type DailyCheck, recordPlace, takeDailyCheck } from '../../store/firings/daily-check';
import { noticeIncarnation, recordAdoption } from '../../store/incarnation';
import { describeHolder, lockHolders } from '../../store/schedules/lock-holders';
import { TemporalCallError } from '../../temporal/port';
import { later, type TriggerContext } from '../context';
import { type AdoptedPage, adoptPage } from './adopt-page';
import { beginAnew, holdNamespaces, holdSchedules, NOTHING_HELD } from './adoption';
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
const LONGEST_CHECK_DAYS = 7;
/**
 * The list of runs begins this long before the loss, or before what is checked. The margin covers differences
 * between clocks, and runs that the list of the last adoption did not show yet.
 */
const MARGIN_MILLISECONDS = 600_000;

/**
 * Ask Temporal which workflows it has started for this ledger, and write the rows that are missing. After an
 * asynchronous failover or a restore from an older copy, the ledger may lack the rows of workflows that run.
 */
export async function adopt(context: TriggerContext): Promise<AdoptResult> {
  const { store, adoption, stopping } = context;
  const now = context.clock.now();
  const result: AdoptResult = { adopted: 0, reopened: 0, complete: true };
  const incomplete = (): AdoptResult => ({ ...result, complete: false });
  let { done } = adoption;
  // If a heartbeat notices another database during this pass, the pass knows only about the former database.
  const isOver = () => stopping.aborted || adoption.done !== done;
  const { incarnation, adopted, intactUntil, loss } = await noticeIncarnation(store, new Date(now));
  if (isOver()) return incomplete();
  // Since this trigger noticed the loss, another trigger may have adopted, and a person may have declared another loss.
  const about = `${incarnation} ${loss}`;
  if (adoption.about !== about) {
    beginAnew(adoption, 'all');
    adoption.about = about;
    done = adoption.done;
  }
  if (adopted) adoption.held = NOTHING_HELD;

  // After a failover each trigger asks Temporal itself, since it may claim nothing before it has the answer. At other
  // times one trigger asks for all.
  const lostSince = adopted ? adoption.again?.since : intactUntil;
  const lastCheck = Math.min(now - DAY, adoption.adoptedAt?.getTime() ?? now);
  // If no trigger was alive when a check was due, the next one covers the time since the last, but at most a week.
  const checkedSince = new Date(Math.max(lastCheck, now - LONGEST_CHECK_DAYS * DAY));
  const wanted = adopted ? (lostSince ?? checkedSince) : intactUntil;
  const check = adopted ? await takeCheck(context, now, wanted!) : undefined;
  if (adopted && !check) return incomplete();
  const since = check?.since ?? wanted;
  const from = since && later(since.getTime(), -MARGIN_MILLISECONDS);
  const namespaces = from ? await readNamespaces(store, from) : [];
  if (isOver()) return incomplete();
  const left = namespaces.filter((one) => (check ? check.places[one] !== true : !done.has(one)));
  // If one namespace answers slowly, only its own schedules wait.
  if (!adopted && left.length > 0) holdNamespaces(adoption, left);
  const pass: Pass = { since: from!, check, isOver };
  // Even if one namespace fails, wait for the others. Work that outlived this pass would release namespaces that the
  // next pass holds.
  for (const end of await Promise.allSettled(left.map((namespace) => adoptOrPostpone(context, namespace, pass)))) {
    if (end.status === 'rejected') throw end.reason;
    result.adopted += end.value?.adopted ?? 0;
    result.reopened += end.value?.reopened ?? 0;
    result.complete &&= end.value?.isDone ?? false;
  }
  if (isOver()) return incomplete();
  // The daily check is a safety net: if a namespace did not answer, its runs of that day are not read again. The second
  // read after a failover is more than that: a lost dead letter can be written again only once its firing has a row.
  if (!result.complete && (!adopted || lostSince)) return result;

  const at = now + context.limits.sweepIntervalMilliseconds;
  const lost = !adopted && lostSince ? { since: lostSince, againAt: new Date(at) } : undefined;
  // Only the trigger that has the daily check ends it. Another one may have taken it over meanwhile.
  const adopting = { incarnation, loss: adopted ? null : loss, now: new Date(now), lost, checker: check && context.id };
  const isRecorded = await recordAdoption(store, adopting);
  // In the meantime another failover happened, or somebody declared a loss, and its runs are not adopted yet.
  if (!isRecorded || isOver()) return incomplete();
  adoption.again = lost && { since: lost.since, at };
  adoption.adoptedAt = new Date(now);
  beginAnew(adoption, NOTHING_HELD);
  return result;
}

/** What the namespaces of one adopt pass share. */
interface Pass {
  /** Only runs that started at this time or later are listed. */
  since: Date;
  /** Undefined for an adoption after a failover. */
  check: DailyCheck | undefined;
  /** Whether the pass must end: the trigger stops, or another database was noticed. */
  isOver(): boolean;
}

/** @returns undefined while another trigger carries out the daily check */
function takeCheck({ id: owner, store, settings }: TriggerContext, now: number, since: Date) {
  const staleBefore = later(now, -settings.staleAfterMilliseconds);
  return takeDailyCheck(store, { owner, now: new Date(now), since, staleBefore });
}

async function adoptOrPostpone(context: TriggerContext, namespace: string, pass: Pass) {
  const { adoption } = context;
  try {
    const done = await adoptNamespace(context, namespace, pass);
    if (!done) return undefined;
    // Perhaps only a part of the list was read, so rows of the other runs may still be missing.
    if (pass.isOver()) return { ...done, isDone: false };
    // If a run is not adopted, its occurrence could be fired a second time, so its schedule waits; other schedules
    // continue.
    if (!pass.check) holdSchedules(adoption, namespace, new Set(done.held.keys()));
    if (done.held.size > 0) {
      const [[scheduleId, refusal]] = [...done.held] as [[string, string | undefined]];
      const heldBy = (await lockHolders(context.store, scheduleId)).map(describeHolder);
      const meta = { scheduleId, schedules: done.held.size, heldBy };
      const reason = refusal ?? 'somebody keeps schedules locked, or Postgres refuses their rows';
      complaintOf(context, namespace).failed(reason, meta);
      return { ...done, isDone: false };
    }
    adoption.complaints.get(namespace)?.over();
    // A daily check keeps its progress in the ledger instead.
    if (!pass.check) adoption.done.add(namespace);
    return { ...done, isDone: true };
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    if (error.ofNamespace) adoption.unlisted.delete(namespace);
    else complaintOf(context, namespace).failed(error.message);
    if (error.ofNamespace || pass.isOver()) return undefined;
    const { since = new Date(context.clock.now()) } = adoption.unlisted.get(namespace) ?? {};
    adoption.unlisted.set(namespace, { since, error: error.message, isBusy: error.kind === 'busy' });
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

/** @returns undefined if Temporal gave no list, or another trigger has taken the daily check over */
async function adoptNamespace(
  context: TriggerContext,
  namespace: string,
  { since, check, isOver }: Pass,
): Promise<AdoptedPage | undefined> {
  const { id, limits, store } = context;
  const done = { adopted: 0, reopened: 0, held: new Map<string, string | undefined>() };
  // A namespace may be called `constructor`.
  const begun = check && Object.hasOwn(check.places, namespace) ? check.places[namespace] : undefined;
  let token = begun === true ? undefined : begun;
  for (;;) {
    const listed = await listRuns(context, namespace, { since, size: limits.batchSize, token });
    context.adoption.unlisted.delete(namespace);
    if (!listed) return undefined;
    const page = await adoptPage(context, namespace, listed.runs);
    done.adopted += page.adopted;
    done.reopened += page.reopened;
    for (const [scheduleId, refusal] of page.held) done.held.set(scheduleId, refusal);
    token = listed.next;
    if (isOver()) return done;
    // A later check continues at the first page that contains a run of a schedule that was left out.
    const isPassed = check && done.held.size === 0;
    if (isPassed && !(await recordPlace(store, id, namespace, token ?? true))) return undefined;
    if (token === undefined) return done;
    await setTimeout(limits.listPagePauseMilliseconds);
  }
}
