import { ALERT_DEFAULTS } from '../../core/alert-defaults';
import { deleteOld, deleteOldOperations } from '../../store/alerts/forget';
import { REQUESTS_KEPT_MILLISECONDS } from '../../store/api/requests';
import { readArchivedTo } from '../../store/archive/restored';
import { addUpCounts } from '../../store/firings/counts';
import {
  deleteEndedLeases,
  deleteGaps,
  deleteSettledLetters,
  FORGOTTEN_AT_ONCE,
  type ForgottenTable,
  readDeletable,
} from '../../store/firings/forget';
import type { TriggerContext } from '../context';
import { each } from './each';

const DAY_MILLISECONDS = 86_400_000;
const AUDIT_KEPT_MILLISECONDS = 400 * DAY_MILLISECONDS;
/** Changes of many schedules can be undone for this long after their end. */
const BULK_KEPT_MILLISECONDS = 90 * DAY_MILLISECONDS;

type DeletePage = () => Promise<number>;

/**
 * Delete rows that nobody needs any more, batch by batch. If this role may not delete some rows, they stay; the trigger
 * has logged that when it started.
 */
export async function forget(context: TriggerContext): Promise<void> {
  const pages = forgotten(context, await forgottenTo(context));
  const deletable = await readDeletable(context.store, [...pages.keys()]);
  // Deleting a gap writes its missed occurrences into the counts.
  const tables = deletable.filter((table) => table !== 'gaps' || deletable.includes('firing_counts'));
  const parts = tables.map((table) => async () => {
    const deletePage = pages.get(table)!;
    while (!context.stopping.aborted && (await deletePage()) === FORGOTTEN_AT_ONCE);
  });
  await each(parts, context.stopping);
}

function forgotten(
  { store, clock, settings }: TriggerContext,
  floor: Date | undefined,
): Map<ForgottenTable, DeletePage> {
  const toldBefore = new Date(clock.now() - ALERT_DEFAULTS.messagesKeptMilliseconds);
  const pages = new Map<ForgottenTable, DeletePage>([
    ['firing_counts', () => addUpCounts(store)],
    ['leases', () => deleteEndedLeases(store)],
    ['alert_messages', () => deleteOld(store, 'alert_messages', toldBefore)],
    ['alert_silences', () => deleteOld(store, 'alert_silences', toldBefore)],
    ['api_requests', () => deleteOld(store, 'api_requests', new Date(clock.now() - REQUESTS_KEPT_MILLISECONDS))],
    ['bulk_operations', () => deleteOldOperations(store, new Date(clock.now() - BULK_KEPT_MILLISECONDS))],
    ['api_audit', () => deleteOld(store, 'api_audit', new Date(clock.now() - AUDIT_KEPT_MILLISECONDS))],
  ]);
  if (settings.retentionMilliseconds === Number.POSITIVE_INFINITY) return pages;
  const before = new Date(clock.now() - settings.retentionMilliseconds);
  // A purge finds messages by their alert, so the alert stays at least as long.
  pages.set('alerts', () => deleteOld(store, 'alerts', before < toldBefore ? before : toldBefore));
  // No month is retired yet or, if the ledger archives first, none is archived.
  if (!floor) return pages;
  const ended = before < floor ? before : floor;
  // If the ledger archives first, the archives up to the floor may lack letters that have changed since.
  const unchangedSince = settings.archiveFirst ? ended : before;
  return pages
    .set('gaps', () => deleteGaps(store, ended))
    .set('dead_letters', () => deleteSettledLetters(store, { floor, before: unchangedSince }));
}

/**
 * The end of the retired months. If the ledger archives first, the end of the archived months if that is earlier, since
 * later rows exist nowhere else; undefined if none is archived.
 */
async function forgottenTo({ store, settings, retentionFloor }: TriggerContext): Promise<Date | undefined> {
  if (!settings.archiveFirst || !retentionFloor) return retentionFloor;
  const archivedTo = await readArchivedTo(store);
  return archivedTo && archivedTo < retentionFloor ? archivedTo : archivedTo && retentionFloor;
}
