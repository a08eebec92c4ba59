import { readThoseOfTenant } from '../../store/schedules/of-tenant';
import type { ServerContext } from '../context';

/** Returns those of the given schedules that a caller may see. Schedules of another tenant are treated as missing. */
export async function visibleIds(
  { store }: ServerContext,
  scheduleIds: string[],
  tenant: string | undefined,
): Promise<string[]> {
  const asked = [...new Set(scheduleIds)];
  if (tenant === undefined) return asked;
  return readThoseOfTenant(store, asked, tenant);
}
