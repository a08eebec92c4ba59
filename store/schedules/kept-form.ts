import { type RawBuilder, sql } from 'kysely';
import { SHADOW_FORMAT, SPEC_FORMAT } from '../spec-format';

/**
 * The form to write into a timer `t`. A form that only a newer program knows stays, since it keeps older triggers from
 * firing what must not fire. Any other form is replaced by `format`.
 */
export function unlessNewer(format: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when t.spec_format > ${SPEC_FORMAT}::int then t.spec_format else ${format} end`;
}

/** Like {@link unlessNewer}, but a schedule in shadow mode keeps its form too. */
export function keepingForm(format: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when t.spec_format = ${SHADOW_FORMAT}::int then t.spec_format else ${unlessNewer(format)} end`;
}

/** The form of a timer `t` whose pause is over: the form that marks a timed pause is removed. */
export function endingPause(): RawBuilder<unknown> {
  return sql`case when t.spec_format < ${SHADOW_FORMAT}::int then 1 else t.spec_format end`;
}
