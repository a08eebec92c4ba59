import type { FiringKey } from '../../../core/firing';
import { countAlerts } from '../../../store/alerts/read-alerts';
import type { Store } from '../../../store/connection';
import { readFreezesInForce } from '../../../store/freezes/rows';
import { readLettersOverTime } from '../../../store/letters/over-time';
import { readChangedAlerts, readChangedFirings, readSnapshot } from '../../../store/reads/changes';
import { readComing } from '../../../store/reads/coming';
import { readAnsweredDays, readGapsBetween } from '../../../store/reads/days';
import { readFiringLife } from '../../../store/reads/firing-life';
import { readMissedOverTime, readOutcomesOverTime } from '../../../store/reads/outcomes-over-time';
import {
  readNamed,
  readPreStarts,
  readSpecsChanged,
  readSpecsOf,
  readSpecsPage,
  readSpecsSeen,
} from '../../../store/reads/specs-in-use';
import { readStripFirings, readStripGaps } from '../../../store/reads/strips';
import { readFailing, readLateSchedules, readPausedSchedules } from '../../../store/reads/troubled';
import { readThoseOfTenant } from '../../../store/schedules/of-tenant';

/** Send the statements of the dashboard's reads. */
export async function sendDashboardStatements(store: Store, { now, firing }: { now: Date; firing: FiringKey }) {
  const tenant = undefined;
  const { scheduleId } = firing;
  const from = new Date(now.getTime() - 86_400_000 * 40);
  const overTime = { from, to: now, bucketMilliseconds: 3_600_000, tenant };
  await readOutcomesOverTime(store, overTime);
  await readMissedOverTime(store, overTime);
  await readComing(store, { from, to: now, tenant });
  await readFreezesInForce(store, { now, tenant, limit: 3 });
  const strip = { scheduleIds: [scheduleId], last: 20, now, withErrors: true };
  await readStripFirings(store, strip);
  await readStripGaps(store, strip);
  await readAnsweredDays(store, { scheduleId, starts: [from, now] });
  await readGapsBetween(store, { scheduleId, from, to: now });
  const troubled = { now, tenant, limit: 20 };
  await readFailing(store, { ...troubled, order: 'newest' });
  await readLateSchedules(store, { ...troubled, lateMilliseconds: 1_000 });
  await readPausedSchedules(store, troubled);
  const selected = { ...troubled, tenant: '', text: 's' };
  await readFailing(store, { ...selected, order: 'longest' });
  await readLateSchedules(store, { ...selected, lateMilliseconds: 1_000 });
  await readPausedSchedules(store, selected);
  await readSpecsPage(store, { behind: '', size: 3 });
  await readSpecsChanged(store, await readSpecsSeen(store));
  await readSpecsOf(store, [scheduleId]);
  await readPreStarts(store, [scheduleId]);
  await readNamed(store, { tenant, text: 'a', namespace: 'default', taskQueue: 'some' });
  await readFiringLife(store, firing, tenant);
  await countAlerts(store, { tenant, resolved: false });
  await readLettersOverTime(store, { from, bucketMilliseconds: 86_400_000, tenant });
  await readThoseOfTenant(store, [scheduleId], '');
  const { snapshot: to } = await readSnapshot(store);
  const range = { from: '3:3:', to };
  const [first] = await readChangedFirings(store, range, undefined, 20);
  await readChangedFirings(store, range, first, 20);
  await readChangedAlerts(store, range, undefined, 20);
}
