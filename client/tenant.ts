import { InvalidScheduleError } from '../core/errors';
import type { ScheduleOptions } from '../core/schedule';
import { partsOfName, scopedName } from '../core/scoped-name';
import type { ClientContext } from './context';

/**
 * The options of a schedule as a client of one tenant may write them.
 *
 * @throws {InvalidScheduleError} where they name another tenant
 */
export function scheduleInTenant({ tenant }: Pick<ClientContext, 'tenant'>, options: ScheduleOptions): ScheduleOptions {
  if (tenant === undefined) return options;
  if (options.tenant !== undefined && options.tenant !== tenant) {
    throw new InvalidScheduleError(
      'tenant',
      `'${options.tenant}' is not this client's, which writes '${tenant}' alone`,
    );
  }
  return { ...options, tenant };
}

/**
 * A source of schedules as the ledger names it: two tenants, and clients of all tenants, may each have one of the same
 * name.
 */
export function sourceIn({ tenant }: Pick<ClientContext, 'tenant'>, source: string): string {
  return scopedName(tenant, source);
}

/** A source that the ledger names as this client's user does; one that is not its tenant's by the ledger's name. */
export function sourceAsGiven({ tenant }: Pick<ClientContext, 'tenant'>, stored: string): string {
  const scoped = partsOfName(stored);
  return tenant !== undefined && scoped?.[0] === tenant ? scoped[1] : stored;
}

/** Whether a name is one that only the client of a tenant may apply. */
export function isScopedSource(source: string): boolean {
  return partsOfName(source) !== undefined;
}
