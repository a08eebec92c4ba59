import { InvalidScheduleError } from '../../core/errors';
import { outsideOf, type Place } from '../../core/tenant-limits';
import type { Store } from '../../store/connection';
import { lockPlaces, readTenants, type TenantRow } from '../../store/schedules/tenants';
import { TenantQuotaError } from './errors';

export interface PlacedSchedule {
  tenant: string;
  definition: { namespace: string; action: { taskQueue: string } };
}

/**
 * Refuse schedules whose workflows would start outside their tenant's allowed namespaces and task queues. Schedules
 * without a tenant belong to the operator and are not limited.
 *
 * @returns the limits of those tenants that have limits
 * @throws {InvalidScheduleError} with the path of the namespace or the task queue
 */
export async function refuseOutside(store: Store, schedules: PlacedSchedule[]): Promise<Map<string, TenantRow>> {
  const tenants = [...new Set(schedules.map(({ tenant }) => tenant))].filter((tenant) => tenant !== '');
  if (tenants.length === 0) return new Map();
  const rows = await readTenants(store, tenants);
  for (const schedule of schedules) {
    const problem = outsideProblem(rows.get(schedule.tenant), schedule);
    if (problem) throw new InvalidScheduleError(problem.path, problem.problem);
  }
  return rows;
}

/** What is wrong with the namespace or task queue of a schedule; undefined if its tenant may use both. */
export function outsideProblem(
  row: TenantRow | undefined,
  { tenant, definition }: PlacedSchedule,
): { path: string; problem: string } | undefined {
  const outside = row && outsideOf(row, placeOf(definition));
  if (!outside) return undefined;
  const names = outside.allowed.map((name) => `'${name}'`).join(', ') || 'none';
  const problem = `'${outside.value}' is not one of those that an operator allows tenant '${tenant}': ${names}`;
  return { path: outside.path, problem };
}

function placeOf({ namespace, action: { taskQueue } }: PlacedSchedule['definition']): Place {
  return { namespace, taskQueue };
}

/**
 * Reserve places in the tenants' quotas for schedules that are about to be created, until this transaction ends. A
 * schedule that is live already, as when another process has just created it, needs no place.
 *
 * @param spare places that later deletions of the same call will free
 * @throws {TenantQuotaError} if a tenant has too few places left
 */
export async function takePlaces(
  transaction: Store,
  schedules: { tenant: string; scheduleId: string }[],
  spare = new Map<string, number>(),
): Promise<void> {
  const wanted = new Map<string, string[]>();
  for (const { tenant, scheduleId } of schedules) {
    const ids = wanted.get(tenant);
    if (ids) ids.push(scheduleId);
    else wanted.set(tenant, [scheduleId]);
  }
  // Rows are locked in the order of the tenants' names. Two transactions for the same tenants could otherwise deadlock.
  for (const [tenant, ids] of [...wanted].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (tenant === '') continue;
    const places = await lockPlaces(transaction, tenant, ids);
    if (!places) continue;
    const { limit, live, known } = places;
    const more = ids.length - known;
    if (more > 0 && live + more > limit + (spare.get(tenant) ?? 0))
      throw new TenantQuotaError(tenant, { limit, live, more });
  }
}
