import { z } from 'zod';
import { InvalidOptionError } from '../../core/errors';
import { FIRING_KINDS, FIRING_OUTCOMES, FIRING_STATES } from '../../core/firing';
import { count, flag, instant, oneOrMore, storable, tenantOrAll } from '../../core/option-fields';
import type { FieldsOf } from '../../core/options';
import type { ClientContext } from '../context';
import { sourceIn } from '../tenant';
import type { ListFiringsOptions, ListSchedulesOptions } from './list-options';

/** Unknown filter names are refused, since a misspelt filter would list everything. */

const page = { pageSize: count.optional(), cursor: storable.optional() };
const stretch = { from: instant.optional(), to: instant.optional() };

export const scheduleFilter = z.strictObject({
  tenant: tenantOrAll,
  source: storable.optional(),
  owner: storable.optional(),
  externalId: storable.optional(),
  namespace: storable.optional(),
  taskQueue: storable.optional(),
  workflowType: storable.optional(),
  paused: flag.optional(),
  completed: flag.optional(),
  ...stretch,
  text: storable.optional(),
  query: z.string().optional(),
  orderBy: z.enum(['scheduleId', 'nextFireAt']).optional(),
  ...page,
} satisfies FieldsOf<ListSchedulesOptions & { cursor: string }>);

export const firingFilter = z.strictObject({
  scheduleId: storable.optional(),
  ...stretch,
  state: oneOrMore(FIRING_STATES).optional(),
  outcome: oneOrMore(FIRING_OUTCOMES).optional(),
  kind: oneOrMore(FIRING_KINDS).optional(),
  namespace: storable.optional(),
  tenant: tenantOrAll,
  source: storable.optional(),
  taskQueue: storable.optional(),
  workflowType: storable.optional(),
  text: storable.optional(),
  order: z.enum(['newest', 'oldest']).optional(),
  ...page,
} satisfies FieldsOf<ListFiringsOptions & { cursor: string }>);

export const firingFilterOfOne = firingFilter.omit({ scheduleId: true });

export const statsFilter = z.strictObject({ tenant: tenantOrAll });

/**
 * A filter, limited to the tenant of the client. A source in the filter means a source of this tenant.
 *
 * @throws {InvalidOptionError} if the filter names another tenant
 */
export function inTenant<Filter extends { tenant?: string | undefined; source?: string | undefined }>(
  context: Pick<ClientContext, 'tenant'>,
  filter: Filter,
): Filter {
  const { tenant } = context;
  if (tenant === undefined) return filter;
  if (filter.tenant !== undefined && filter.tenant !== tenant) {
    throw new InvalidOptionError('tenant', `'${filter.tenant}' is not this client's, which sees '${tenant}' alone`);
  }
  const { source } = filter;
  return { ...filter, tenant, ...(source === undefined ? {} : { source: sourceIn(context, source) }) };
}
