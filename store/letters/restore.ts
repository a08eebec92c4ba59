import { sql } from 'kysely';
import type { FiringState } from '../../core/firing';
import type { Store } from '../connection';

/** Why a discard cannot be undone. */
export type DiscardStands = 'told' | 'running' | 'restarted' | 'completed' | 'gone';

/**
 * discarded, or redriving to be discarded → open, under the schedule's lock. A letter of a parked step can be restored
 * until the decision is announced to a run. Any letter in state `discarded` can be restored while its firing, in the
 * letter's epoch, is abandoned, or closed and not completed. A letter of a parked step then becomes one of kind
 * `workflow`. A redriving letter whose stored request is no object is restored too, since no trigger carries it out.
 *
 * @returns `restored`, or why the discard stands
 */
export async function restoreLetter(
  transaction: Store,
  letterId: string,
  { actor, note, now }: { actor: string; note: string | undefined; now: Date },
): Promise<'restored' | DiscardStands> {
  const letters = transaction.table('dead_letters');
  const changed = sql`state = 'open', actor = ${actor}, note = ${note ?? null}, updated_at = ${now}`;
  // A trigger takes no lock of the schedule to record that it sends the decision. Whichever of trigger and caller
  // writes second finds the row changed.
  const untold = await sql`update ${letters} set ${changed}, redrive = null
    where letter_id = ${letterId} and state = 'redriving' and (jsonb_typeof(redrive) is distinct from 'object'
      or redrive ->> 'mode' = 'discard' and redrive ? 'lookAt' and not redrive ? 'told') returning 1 as one`.execute(
    transaction.db,
  );
  if (untold.rows.length > 0) return 'restored';

  const stands = await whyItStands(transaction, letterId);
  if (stands) return stands;
  await moveFromBesideAnOpenOne(transaction, letterId);
  await sql`update ${letters} l set ${changed},
      kind = case l.kind when 'parked' then 'workflow' else l.kind end,
      reason = case l.kind when 'parked' then coalesce(f.outcome, l.reason) else l.reason end
    from ${transaction.table('firings')} f
    where l.letter_id = ${letterId} and l.state = 'discarded' and f.schedule_id = l.schedule_id
      and f.scheduled_time = l.scheduled_time`.execute(transaction.db);
  return 'restored';
}

/**
 * The table `dead_letters` itself has at most one unsettled letter per firing. If that table has an unsettled letter of
 * the firing, the restored letter moves to the table `letters`.
 */
async function moveFromBesideAnOpenOne(transaction: Store, letterId: string): Promise<void> {
  const former = sql`only ${transaction.table('dead_letters')}`;
  await sql`
    with moved as (
      delete from ${former} l where l.letter_id = ${letterId} and exists (
        select from ${former} o where o.schedule_id = l.schedule_id and o.scheduled_time = l.scheduled_time
          and o.state in ('open', 'redriving'))
      returning *)
    insert into ${transaction.table('letters')} select * from moved`.execute(transaction.db);
}

async function whyItStands(transaction: Store, letterId: string): Promise<DiscardStands | undefined> {
  const { rows } = await sql<{
    letterState: string;
    kind: string;
    state: FiringState | null;
    outcome: string | null;
    isSame: boolean;
  }>`
    select l.state as "letterState", l.kind, f.state, f.outcome, f.epoch = l.epoch as "isSame"
    from ${transaction.table('dead_letters')} l left join ${transaction.table('firings')} f using (schedule_id, scheduled_time)
    where l.letter_id = ${letterId}`.execute(transaction.db);
  const { letterState, kind, state, outcome, isSame } = rows[0]!;
  if (state === null) return 'gone';
  if (!isSame) return 'restarted';
  if (outcome === 'completed') return 'completed';
  if (letterState === 'redriving') return 'told';
  if (state === 'closed' || state === 'abandoned') return undefined;
  return kind === 'parked' ? 'told' : 'running';
}
