import { sql } from 'kysely';
import type { Store } from '../connection';
import { FIRING_COLUMNS, type Firing } from '../reads/read-firings';
import { type FreezeScope, isCovered } from './matching';

const NAMED_AT_MOST = 1_000;

export async function readFreezeHandedOver(
  store: Store,
  scope: FreezeScope,
  { from, to }: { from: Date; to: Date },
): Promise<Firing[]> {
  const { rows } = await sql<Firing>`select ${FIRING_COLUMNS} from ${store.table('firings')}
    where state in ('claimed', 'linked') and starts_at >= ${from} and starts_at < ${to}
      and ${isCovered(store, scope, sql.ref('firings.schedule_id'))}
    order by starts_at, schedule_id limit ${NAMED_AT_MOST}`.execute(store.db);
  return rows;
}
