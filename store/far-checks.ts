import { type RawBuilder, sql } from 'kysely';
import type { Store } from './connection';
import { SPEC_FORMAT } from './spec-format';
import { instantIn } from './text';
import { run } from './transaction';

/**
 * Starts, running chains and redrives are checked again within a quarter of an hour, even a start handed over ahead.
 */
const FAR_MINUTES = 20;
/** At least once an hour, ended chains are polled for a reset, and schedules that a quota delays are planned again. */
const VERY_FAR_MINUTES = 120;

const DUE_AT_ONCE = 5_000;

type FiringState = 'claimed' | 'linked' | 'closed';

/**
 * Make checks due that lie further ahead than any program sets them. Such checks were written while the clock of
 * Postgres was ahead, and would wait until that time. A dead trigger would also seem alive until then. So each
 * heartbeat that far ahead is set to now; a live trigger soon writes its next heartbeat.
 *
 * If any far checks are found, timers whose next occurrence is past and that would wake only in two hours or later are
 * made due first. If that fails, the far checks stay, so that the next call finds them and tries again. Such timers
 * alone prove nothing, since a long jitter also makes timers wait. Planning such timers again changes nothing.
 *
 * @param now a test's time. If it is undefined, the database's clock counts: each statement reads it. A trigger's own
 *   estimate stands still while its machine sleeps, and then all checks would seem far ahead
 * @param goOn whether another page may be changed
 */
export async function makeFarChecksDue(store: Store, now: Date | undefined, goOn: () => boolean): Promise<void> {
  const [firings, timers, letters] = [store.table('firings'), store.table('timers'), store.table('dead_letters')];
  const at = sql`coalesce(${now ?? null}::timestamptz, statement_timestamp())`;
  const far = sql`${at} + ${FAR_MINUTES} * interval '1 minute'`;
  const veryFar = sql`${at} + ${VERY_FAR_MINUTES} * interval '1 minute'`;
  const farFirings = (state: FiringState, after: RawBuilder<unknown>) =>
    sql`from ${firings} where state = ${sql.lit(state)} and check_at > ${after}`;
  const farLetters = sql`from ${letters} where state = 'redriving' and ${instantIn(sql`redrive`, 'lookAt')} > ${far}`;
  const farTriggers = sql`from ${store.table('triggers')} where heartbeat_at > ${far}`;
  const { rows } = await run(
    store,
    sql<{ isAny: boolean }>`
      select exists (select ${farFirings('claimed', far)}) or exists (select ${farFirings('linked', far)})
        or exists (select ${farFirings('closed', veryFar)}) or exists (select ${farLetters})
        or exists (select ${farTriggers}) as "isAny"`,
  );
  if (!rows[0]!.isAny) return;

  let last = '';
  for (let isFull = true; isFull && goOn(); ) {
    const woken = await run(
      store,
      sql<{ last: string | null; count: number }>`with page as materialized (
          select schedule_id from ${timers} where schedule_id > ${last} and next_fire_at <= ${at} and wake_at > ${veryFar}
            and isfinite(wake_at) and spec_format <= ${SPEC_FORMAT}
          order by schedule_id limit ${DUE_AT_ONCE} for no key update skip locked),
        woken as (update ${timers} t set wake_at = ${at}, seq = seq + 1 from page p where t.schedule_id = p.schedule_id)
        select max(schedule_id) as last, count(*)::int as count from page`,
    );
    last = woken.rows[0]!.last ?? last;
    isFull = woken.rows[0]!.count === DUE_AT_ONCE;
  }
  const inPages = async (statement: RawBuilder<unknown>) => {
    while (goOn() && Number((await run(store, statement)).numAffectedRows ?? 0) === DUE_AT_ONCE);
  };
  const firingsOf = (state: FiringState, after: RawBuilder<unknown>) => sql`with page as materialized (
      select schedule_id, scheduled_time ${farFirings(state, after)} limit ${DUE_AT_ONCE} for no key update skip locked)
    update ${firings} f set check_at = ${at} from page p
    where f.schedule_id = p.schedule_id and f.scheduled_time = p.scheduled_time and f.check_at > ${after}`;
  await inPages(firingsOf('claimed', far));
  await inPages(firingsOf('linked', far));
  await inPages(firingsOf('closed', veryFar));
  await inPages(sql`with page as materialized (
      select letter_id ${farLetters} limit ${DUE_AT_ONCE} for no key update skip locked)
    update ${letters} l set redrive = l.redrive
      || jsonb_build_object('lookAt', to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    from page p where l.letter_id = p.letter_id`);
  await inPages(sql`with page as materialized (select id ${farTriggers} for no key update skip locked)
    update ${store.table('triggers')} t set heartbeat_at = ${at} from page p where t.id = p.id`);
}
