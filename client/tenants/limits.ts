import { InvalidScheduleError } from '../../core/errors';
import { outsideOf, type Place } from '../../core/tenant-limits';
import type { Store } from '../../store/connection';
import { lockPlaces, readTenants, type TenantRow } from '../../store/schedules/tenants';
import { TenantQuotaError } from './errors';

/** A schedule, as far as its tenant's limits count it. */
export interface PlacedSchedule {
  tenant: string;
  definition: { namespace: string; action: { taskQueue: string } };
}

/**
 * Refuse schedules whose workflows would start where their tenant may start none. What has no tenant is an operator's.
 *
 * @returns what their tenants are allowed, of those that are limited
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

/** What is wrong with where a schedule starts its workflows; undefined where its tenant may. */
export function outsideProblem(
  row: TenantRow | undefined,
  { tenant, definition }: PlacedSchedule,
): { path: string; problem: string } | undefined {
  const outside = row && outsideOf(row, placeOf(definition));
  if (!outside) return undefined;
  const names = outside.allowed.map((name) => `'${name}'`).join(', ') || 'none';
  const problem = `'${outside.value}' is none of those that an operator allows tenant '${tenant}': ${names}`;
  return { path: outside.path, problem };
}

function placeOf({ namespace, action: { taskQueue } }: PlacedSchedule['definition']): Place {
  return { namespace, taskQueue };
}

/**
 * Hold the places of schedules that are to be created, until this transaction ends.
 *
 * @param spare places of which the same call gives as many back later
 * @throws {TenantQuotaError} where a tenant has not as many left
 */
export async function takePlaces(
  transaction: Store,
  tenants: string[],
  spare = new Map<string, number>(),
): Promise<void> {
  const wanted = new Map<string, number>();
  for (const tenant of tenants) wanted.set(tenant, (wanted.get(tenant) ?? 0) + 1);
  // In the order of names: two that create for the same tenants would otherwise wait for each other.
  for (const [tenant, more] of [...wanted].sort()) {
    if (tenant === '') continue;
    const places = await lockPlaces(transaction, tenant);
    if (!places || places.live + more <= places.limit + (spare.get(tenant) ?? 0)) continue;
    throw new TenantQuotaError(tenant, { limit: places.limit, live: places.live, more });
  }
}
