import { sql } from 'kysely';
import type { Store } from './connection';
import { staleBefore } from './settings';
import type { AwayNamespace, FullCap } from './tables';

/** What triggers that are alive say of namespaces that do not answer them, and of caps that hold starts back. */
export interface TriggerReports {
  /** Each once, as it has been said for longest. */
  away: AwayNamespace[];
  /** Each once, as it has been said for longest. */
  caps: FullCap[];
}

export async function readTriggerReports(store: Store, now: Date): Promise<TriggerReports> {
  const { rows } = await sql<TriggerReports>`
    select coalesce(t.away, '[]') as away, coalesce(t.caps, '[]') as caps from ${store.table('triggers')} t
    where t.heartbeat_at > ${staleBefore(store, now)}`.execute(store.db);
  return {
    away: oldestOfEach(
      rows.flatMap(({ away }) => away),
      ({ namespace }) => namespace,
    ),
    caps: oldestOfEach(
      rows.flatMap(({ caps }) => caps),
      subjectOfCap,
    ),
  };
}

/** What a cap holds back, in words that tell it from every other one. */
export function subjectOfCap(cap: FullCap): string {
  return 'namespace' in cap ? `namespace '${cap.namespace}'` : `task queue '${cap.taskQueue}'`;
}

function oldestOfEach<One extends { since: string }>(said: One[], nameOf: (one: One) => string): One[] {
  const oldest = new Map<string, One>();
  for (const one of said) {
    const known = oldest.get(nameOf(one));
    if (!known || new Date(one.since) < new Date(known.since)) oldest.set(nameOf(one), one);
  }
  return [...oldest.values()];
}
