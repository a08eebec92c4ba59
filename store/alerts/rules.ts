import { type RawBuilder, sql } from 'kysely';
import type { RulesInForce } from '../../core/alert-defaults';
import { type AlertRules, SHORTEST_RULE_MILLISECONDS } from '../../core/alert-rules';
import type { Store } from '../connection';
import { amountIn, LONGEST_AMOUNT } from '../text';

/**
 * The alert rules in the definition of a live schedule, as `given`: one row, or none if no live schedule has this ID.
 */
export function rulesGiven(store: Store, scheduleId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select v.policies -> 'alerts' as given from ${store.table('schedules')} s
    join ${store.table('schedule_versions')} v on v.schedule_id = s.schedule_id and v.version = s.version
    where s.schedule_id = ${scheduleId} and s.deleted_at is null limit 1)`;
}

/** Rules that are a number of rows to read. */
const IN_A_ROW: (keyof AlertRules)[] = ['failing', 'skipped', 'resolvedAfter'];
/**
 * A program of another version may allow higher numbers. Without this limit, each pass could read a schedule's whole
 * history.
 */
const IN_A_ROW_AT_MOST = 10_000;

/**
 * The value of an alert rule: the number from {@link rulesGiven} as `r`, or else the number for all schedules. Null if
 * the schedule's rule never opens an alert, or if neither is a number.
 */
export function ruleOf(rule: keyof AlertRules, forAll: RulesInForce): RawBuilder<number | null> {
  const most = IN_A_ROW.includes(rule) ? IN_A_ROW_AT_MOST : LONGEST_AMOUNT;
  const fallback = typeof forAll[rule] === 'number' ? Math.min(Math.max(forAll[rule], 1), most) : null;
  const given = amountIn(sql`r.given`, rule, most);
  return sql`(case when r.given ->> ${sql.lit(rule)} = 'false' then null
    else coalesce(${given}, ${fallback}::float8) end)`;
}

/** A problem that began after this instant cannot have exceeded a rule that is a duration. */
export function beforeShortestRule(now: Date): Date {
  return new Date(now.getTime() - SHORTEST_RULE_MILLISECONDS);
}

export function millisecondsBetween(from: RawBuilder<unknown>, to: Date): RawBuilder<number> {
  return sql`(extract(epoch from ${to}::timestamptz - ${from})::float8 * 1000)`;
}
