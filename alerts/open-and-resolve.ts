import { ALERT_DEFAULTS, ALERT_RULES, type ScheduleCondition } from '../core/alert-defaults';
import type { AlertRules } from '../core/alert-rules';
import { readAnswerable, readAnswerableOfMany } from '../store/alerts/answerable';
import { readLate, readRecovered, readSkipped, readStalled } from '../store/alerts/firing-sightings';
import { readFrozen } from '../store/alerts/frozen';
import { readFailing, readLettered, readMissed, readParked } from '../store/alerts/letter-sightings';
import { readNotDone, readRunningLong } from '../store/alerts/open-sightings';
import { extendOutage, recordOutage, recordTaken } from '../store/alerts/outages';
import { addTargets, moveMessages, writeMessages } from '../store/alerts/outbox';
import { readForgotten, readOverdue, readStillOverdue } from '../store/alerts/overdue';
import { type Alert, readOpenReported } from '../store/alerts/read-alerts';
import { readReminders } from '../store/alerts/reminders';
import { openAlerts, putBehind, readSummaries, resolveAlerts, type SeenAlert, tellAlerts } from '../store/alerts/rows';
import { readSetAside } from '../store/alerts/set-aside';
import { type AlertQuery, SCHEDULES_READ_AT_MOST, type Sighting } from '../store/alerts/sighting';
import { readStartedOften } from '../store/alerts/started-often';
import { endTurn, type Turn, takeTurn } from '../store/alerts/turn';
import type { Store } from '../store/connection';
import { transact } from '../store/transaction';
import { readTriggerReports, subjectOfCap, type TriggerReports } from '../store/trigger-reports';
import type { EndedOutage } from './ledger-outage';
import { messageOf } from './message';
import { noTriggerAlertId } from './no-trigger';
import { reported, toTheMinute } from './reported';
import { summaryOf, textOf } from './text';
import { type AlertWebhook, renamedTargets, targetOf } from './webhooks';

/** The result of one alert pass. */
export interface AlertResult {
  /** Alerts that are sent for the first time. Some of them are summaries of others. */
  opened: Alert[];
  /** Unacknowledged alerts for which a reminder is sent. */
  reminded: Alert[];
  /** Alerts that were sent before, and whose condition is over. */
  resolved: Alert[];
}

/** The pass reads back this far before the last pass, since a transaction may have committed late. */
const OVERLAP_MILLISECONDS = 60_000;
/**
 * How far the pass reads back if it cannot tell how far the last one read. Passes are usually seconds apart. What was
 * reported before is not reported again.
 */
const READ_BACK_MILLISECONDS = 24 * 60 * 60_000;
/**
 * Conditions that begin with one write to the ledger: they count as seen at the instant of that write. Other conditions
 * count as seen in the minute of the pass.
 */
const WRITTEN_ONCE = new Set<ScheduleCondition>(['missed', 'dead_letter', 'recovered']);

/**
 * Open new alerts, resolve those whose condition is over, add reminders, and write the messages to the outbox, in one
 * transaction.
 *
 * @returns undefined while another trigger raises alerts, or a purge erases some
 */
export async function raiseAlerts(
  store: Store,
  at: { clock: () => Date; webhooks: AlertWebhook[]; rules?: AlertRules; outage?: EndedOutage | undefined },
): Promise<AlertResult | undefined> {
  const { clock, webhooks, rules = {}, outage } = at;
  const now = clock();
  const renamed = renamedTargets(webhooks);
  return transact(store, async (transaction) => {
    const turn = await takeTurn(transaction, now);
    if (!turn) return undefined;
    const { readTo } = turn;
    if (webhooks.length > 0) await addTargets(transaction, webhooks.map(targetOf), now);
    if (renamed.length > 0) await moveMessages(transaction, renamed);
    if (outage) await recordEnded(transaction, outage, now);
    const reports = await readTriggerReports(transaction, now);
    const known = countedOf(reports, now, await readOpenReported(transaction));
    const inForce = queryAt(now, turn, rules, known);
    const query = { ...inForce, frozen: await readFrozen(transaction, inForce) };
    const resolved = (await resolveAlerts(transaction, query)).filter(({ summaryId }) => summaryId === null);
    const reminded = await readReminders(transaction, {
      now,
      readTo,
      everyMilliseconds: ALERT_DEFAULTS.reminderMilliseconds,
    });
    // If an outage of Postgres is reported, no alert says in addition that no trigger was alive.
    const lasting = { ...query, reports: countedOf(reports, now) };
    const said = reported(lasting).filter(({ condition }) => !outage || condition !== 'no_trigger');
    await openAlerts(transaction, [...said, ...(await seenBy(transaction, query))], now);
    const opened = await tell(transaction, now);
    const told = [...resolved, ...reminded, ...opened].flatMap(({ scheduleId }) => scheduleId ?? []);
    const ofMany = [...resolved, ...reminded, ...opened].filter(({ scheduleId }) => scheduleId === null);
    const as = {
      now,
      answerable: await readAnswerable(transaction, told),
      ofMany: await readAnswerableOfMany(
        transaction,
        ofMany.map(({ alertId }) => alertId),
      ),
    };
    const messages = [
      ...resolved.map((alert) => messageOf('alert.resolved', alert, as)),
      ...reminded.map((alert) => messageOf('alert.reminder', alert, as)),
      ...opened.map((alert) => messageOf('alert.opened', alert, as)),
    ];
    await writeMessages(transaction, messages, now);
    await endTurn(transaction, { now, endedAt: clock(), places: query.places });
    return { opened, reminded, resolved };
  });
}

function queryAt(
  now: Date,
  { readTo, endedAt, isReadToKnown, formerlyAliveSince, installationId, places }: Turn,
  rules: AlertRules,
  reports: TriggerReports,
) {
  const unseen = now.getTime() - Math.max(readTo.getTime(), endedAt?.getTime() ?? 0);
  return {
    now,
    from: new Date(readTo.getTime() - (isReadToKnown ? OVERLAP_MILLISECONDS : READ_BACK_MILLISECONDS)),
    isNewMinute: toTheMinute(now) > readTo,
    overdueBefore: new Date(now.getTime() - ALERT_DEFAULTS.overdueMilliseconds),
    rules: { ...ALERT_RULES, ...rules },
    reports,
    unseenMilliseconds: unseen >= ALERT_DEFAULTS.unseenMilliseconds ? unseen : undefined,
    unseenAlertId: noTriggerAlertId({ installationId, readTo, aliveSince: formerlyAliveSince }),
    schedulesAtMost: SCHEDULES_READ_AT_MOST,
    places,
  };
}

/**
 * The reports that are old enough to open an alert, and those of problems with an open alert. A restarted trigger
 * reports a problem as new: its report must neither end the alert nor let the problem's effects open others.
 *
 * @param open the problems with an open alert. @default none
 */
function countedOf({ away, caps, problems }: TriggerReports, now: Date, open: string[] = []): TriggerReports {
  const opened = new Set(open);
  const counts = <Report extends { since: string }>(
    milliseconds: number,
    ...namesOf: ((report: Report) => string)[]
  ) => {
    return (report: Report) =>
      now.getTime() - Date.parse(report.since) >= milliseconds || namesOf.some((nameOf) => opened.has(nameOf(report)));
  };
  const { unreachableMilliseconds, capFullMilliseconds, problemMilliseconds } = ALERT_DEFAULTS;
  return {
    away: away.filter(
      counts(
        unreachableMilliseconds,
        (one) => `credentials ${one.namespace}`,
        (one) => `namespace_unreachable ${one.namespace}`,
      ),
    ),
    caps: caps.filter(counts(capFullMilliseconds, (one) => `cap_full ${subjectOfCap(one)}`)),
    problems: problems.filter(counts(problemMilliseconds, ({ condition, subject }) => `${condition} ${subject}`)),
  };
}

async function seenBy(store: Store, query: AlertQuery): Promise<SeenAlert[]> {
  // In the first pass after a time without alert passes, no firing counts as late and no occurrence as overdue: the
  // triggers still catch up.
  const wasUnseen = query.unseenMilliseconds !== undefined;
  const overdue = wasUnseen || isAllExplained(query) ? [] : await readOverdue(store, query);
  const seen = [
    ...(wasUnseen ? [] : await readLate(store, query)),
    ...(await readNotDone(store, query)),
    ...(query.isNewMinute ? await readRunningLong(store, query) : []),
    ...(await readMissed(store, query)),
    ...(await readFailing(store, query)),
    ...(await readSkipped(store, query)),
    ...(await readStartedOften(store, query)),
    ...(await readStalled(store, query)),
    ...(await readLettered(store, query)),
    ...(await readParked(store, query)),
    ...(await readRecovered(store, query)),
    ...(await readSetAside(store)),
  ];
  // Overdue schedules are read a second time, since a trigger may have claimed their occurrences in between.
  const { overdueBefore } = query;
  if (overdue.length > 0) seen.push(...(await readStillOverdue(store, { overdueBefore, only: overdue })));
  if (query.isNewMinute) seen.push(...(await readForgotten(store, query)));
  const locked = new Set(query.reports.problems.flatMap(({ scheduleIds }) => scheduleIds ?? []));
  return seen
    .filter(({ condition, scheduleId }) => condition !== 'overdue' || !locked.has(scheduleId))
    .map((one) => seenAlert(one, query.now));
}

/** Whether triggers report that the partition of the current month is missing: nothing of this month is claimed. */
function isAllExplained({ now, reports }: AlertQuery): boolean {
  const month = now.toISOString().slice(0, 7);
  return reports.problems.some(({ condition, subject }) => condition === 'partition_missing' && subject === month);
}

/**
 * Record an outage that is over, and write its two messages to the outbox, unless another trigger has done so. Webhooks
 * that accepted the first message from this trigger during the outage do not get it again.
 */
async function recordEnded(store: Store, outage: EndedOutage, now: Date): Promise<void> {
  const { alert, ordinal, acceptedAt, takenBy } = outage;
  if (await recordOutage(store, { ...alert, ordinal })) {
    const opened = messageOf('alert.opened', { ...alert, resolvedAt: null }, { now });
    await writeMessages(store, [opened, messageOf('alert.resolved', alert, { now })], now);
    await recordTaken(store, opened, { targets: takenBy, at: now });
  } else if (acceptedAt && (await extendOutage(store, { ...alert, acceptedAt }))) {
    // A message after the first end may have reopened an incident at another service.
    const again = messageOf('alert.resolved', { ...alert, laterEnd: alert.resolvedAt }, { now });
    await writeMessages(store, [again], now);
  }
}

/** The alerts to send. While a summary alert of a condition is open, further alerts of this condition are not sent. */
async function tell(store: Store, now: Date): Promise<Alert[]> {
  const untold = await tellAlerts(store, now);
  const told: Alert[] = [];
  const summaries = untold.length === 0 ? [] : await readSummaries(store);
  for (const condition of new Set(untold.map((alert) => alert.condition))) {
    const alerts = untold.filter((alert) => alert.condition === condition);
    const former = summaries.find((summary) => summary.condition === condition);
    if (!former && alerts.length <= ALERT_DEFAULTS.toldAlone) {
      told.push(...alerts);
      continue;
    }
    const count = (former?.count ?? 0) + alerts.length;
    const summary = { condition, subject: '', tenant: '', scheduleId: null, count, text: summaryOf(condition, count) };
    await openAlerts(store, [{ ...summary, seenAt: now, toldAt: now }], now);
    const alert = former ?? (await readSummaries(store)).find((one) => one.condition === condition)!;
    if (!former) told.push(alert);
    await putBehind(
      store,
      alerts.map(({ alertId }) => alertId),
      alert.alertId,
    );
  }
  return told;
}

function seenAlert(sighting: Sighting, now: Date): SeenAlert {
  const { condition, scheduleId, tenant, count, at } = sighting;
  const seenAt = WRITTEN_ONCE.has(condition) ? at : toTheMinute(now);
  return { condition, subject: scheduleId, tenant, scheduleId, count, text: textOf(sighting), seenAt };
}
