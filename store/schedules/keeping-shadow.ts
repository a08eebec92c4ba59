import { type RawBuilder, sql } from 'kysely';
import { SHADOW_FORMAT } from '../spec-format';

/**
 * The value for a written timer `t`: its current form while it is in shadow mode, or else another one. Only a move ends
 * shadow mode.
 */
export function keepingShadow(format: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when t.spec_format = ${SHADOW_FORMAT}::int then t.spec_format else ${format} end`;
}

/** The form of a timer `t` whose pause is over, without the mark of a pause with an end. */
export function endingPause(): RawBuilder<unknown> {
  return sql`case when t.spec_format < ${SHADOW_FORMAT}::int then 1 else t.spec_format end`;
}
