import { sql } from 'kysely';
import type { ScheduleDefinition } from '../../core/definition/definition';
import type { Store } from '../connection';
import { ofTenant } from './tenant';

export interface VersionRow extends ScheduleDefinition {
  version: number;
  args: Buffer | null;
  actor: string | null;
  createdAt: Date;
}

/** Versions with numbers below zero belong to single manual firings, and are left out. */
export async function readVersionsPage(
  store: Store,
  scheduleId: string,
  { tenant, before, size }: { tenant: string | undefined; before: number | undefined; size: number },
): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select version, namespace, spec, action, policies, args, actor, created_at as "createdAt"
    from ${store.table('schedule_versions')}
    where schedule_id = ${scheduleId} and version > 0 and version < ${before ?? 2 ** 31 - 1} and ${ofTenant(store, scheduleId, tenant)}
    order by version desc limit ${size}`.execute(store.db);
  return rows;
}
