import type { QueryResultRow } from 'pg';
import type { EffectFact, FiringFact, GapFact, MessageFact } from './facts';

type Query = <Row extends QueryResultRow>(text: string) => Promise<Row[]>;

const milliseconds = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

/** Reads the ledger's firings and gaps. */
export async function readLedger(query: Query): Promise<{ firings: FiringFact[]; gaps: GapFact[] }> {
  const firings = await query<FiringFact & QueryResultRow>(
    `select schedule_id as "scheduleId", ${milliseconds('scheduled_time')} as time, state, outcome, reason, kind, epoch,
      workflow_id as "workflowId", run_id as "runId", ${milliseconds("(recovery ->> 'recoveredAt')::timestamptz")} as "recoveredAt",
      ${milliseconds('claimed_at')} as "claimedAt", ${milliseconds('linked_at')} as "linkedAt", ${milliseconds('closed_at')} as "closedAt"
    from escapement.firings order by 1, 2`,
  );
  const gaps = await query<GapFact & QueryResultRow>(
    `select schedule_id as "scheduleId", ${milliseconds('from_time')} as "from", ${milliseconds('to_time')} as "to", count::float8 as count, reason,
      ${milliseconds('recorded_at')} as "recordedAt" from escapement.gaps order by 1, 2`,
  );
  return { firings, gaps };
}

/** Reads the writes of the jobs with a fence. */
export async function readEffects(query: Query): Promise<EffectFact[]> {
  return query<EffectFact & QueryResultRow>(
    `select key, array_agg(w.token::float8 order by w.id) as tokens, bool_or(e.key is not null) as booked
    from effect_writes w left join effects e using (key) group by key order by key`,
  );
}

/** Reads the outbox of alerts. */
export async function readMessages(query: Query): Promise<MessageFact[]> {
  return query<MessageFact & QueryResultRow>(
    `select message_id as "messageId", ${milliseconds('created_at')} as "createdAt", ${milliseconds('delivered_at')} as "deliveredAt"
    from escapement.alert_messages order by seq`,
  );
}
