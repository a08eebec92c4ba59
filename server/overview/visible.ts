import { readThoseOfTenant } from '../../store/schedules/of-tenant';
import type { ServerContext } from '../context';

/** Those of some schedules that a caller may see: what is another tenant's is as if it were not there. */
export async function visibleIds(
  { store }: ServerContext,
  scheduleIds: string[],
  tenant: string | undefined,
): Promise<string[]> {
  const asked = [...new Set(scheduleIds)];
  if (tenant === undefined) return asked;
  return readThoseOfTenant(store, asked, tenant);
}
