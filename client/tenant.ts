import { InvalidScheduleError } from '../core/errors';
import type { ScheduleOptions } from '../core/schedule/options';
import { partsOfName, scopedName } from '../core/scoped-name';
import type { ClientContext } from './context';

/** @throws {InvalidScheduleError} if the options name another tenant than the client's */
export function scheduleInTenant({ tenant }: Pick<ClientContext, 'tenant'>, options: ScheduleOptions): ScheduleOptions {
  // What is not an object is refused when it is parsed.
  if (tenant === undefined || !options) return options;
  if (options.tenant !== undefined && options.tenant !== tenant) {
    throw new InvalidScheduleError(
      'tenant',
      `'${options.tenant}' is not this client's, which writes '${tenant}' alone`,
    );
  }
  return { ...options, tenant };
}

/**
 * The name of a source in the ledger. For a client of one tenant, the tenant is a part of this name. So the sources of
 * two tenants may have the same given name.
 */
export function sourceIn({ tenant }: Pick<ClientContext, 'tenant'>, source: string): string {
  return scopedName(tenant, source);
}

/** The name that was given to a source. If the source is not of this client's tenant, its name in the ledger. */
export function sourceAsGiven({ tenant }: Pick<ClientContext, 'tenant'>, stored: string): string {
  const scoped = partsOfName(stored);
  return tenant !== undefined && scoped?.[0] === tenant ? scoped[1] : stored;
}

/** Whether this is the name that the ledger gives to a tenant's source. */
export function isScopedSource(source: string): boolean {
  return partsOfName(source) !== undefined;
}
