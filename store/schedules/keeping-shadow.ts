import { type RawBuilder, sql } from 'kysely';
import { SHADOW_FORMAT } from '../spec-format';

/** Of a timer `t` that is written: its form as it is while it is in shadow, else another. Only a move takes it out of shadow. */
export function keepingShadow(format: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when t.spec_format = ${SHADOW_FORMAT}::int then t.spec_format else ${format} end`;
}

/** The form of a timer `t` whose pause is over, without the mark that the pause has an end. */
export function endingPause(): RawBuilder<unknown> {
  return sql`case when t.spec_format < ${SHADOW_FORMAT}::int then 1 else t.spec_format end`;
}
