import type { Duration } from '@temporalio/common';
import { z } from 'zod';
import { millisecondsOf } from '../../core/duration';
import { LETTER_KINDS, LETTER_STATES } from '../../core/letters/redrive';
import { duration, instant, narrowing, oneOf, storable, tenantOrAll } from '../../core/option-fields';
import type { FieldsOf } from '../../core/options';
import type { LetterQuery } from '../../store/letters/read-letters';
import type { ClientContext } from '../context';
import { firingFilter, inTenant } from '../list/filters';
import { ledgerNow } from '../update/change';

/** Which letters to read. */
export interface LetterFilter extends LetterQuery {
  /** Only letters at least this old: milliseconds, or a text such as '2 hours'. @default any age */
  olderThan?: Duration;
}

const letterFields = {
  state: oneOf(LETTER_STATES),
  kind: oneOf(LETTER_KINDS),
  scheduleId: storable,
  tenant: tenantOrAll,
  failureType: storable,
  message: storable,
  step: storable,
  workflowType: storable,
  from: instant,
  to: instant,
  olderThan: duration,
} satisfies FieldsOf<LetterFilter>;

export const letterFilter = z
  .strictObject(letterFields)
  .partial()
  .extend({ tenant: tenantOrAll, pageSize: firingFilter.shape.pageSize, order: firingFilter.shape.order });

/**
 * The filter of a bulk change. A field that is given as undefined, or an empty `message`, is refused, since it would
 * silently match more letters.
 */
export const letterChoice = z.strictObject(
  Object.fromEntries(
    Object.entries({ ...letterFields, message: narrowing }).map(([name, field]) => [name, field.exactOptional()]),
  ),
);

/** A validated filter, limited to the client's tenant, with `olderThan` as an instant by the ledger's clock. */
export async function letterQuery(
  context: ClientContext,
  { olderThan, ...filter }: LetterFilter,
): Promise<LetterQuery> {
  const query = inTenant(context, filter);
  if (olderThan === undefined) return query;
  const to = new Date((await ledgerNow(context)).getTime() - millisecondsOf(olderThan)!);
  return { ...query, to: query.to && query.to < to ? query.to : to };
}
