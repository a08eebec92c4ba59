import { InvalidScheduleError } from '../core/errors';
import type { ScheduleOptions } from '../core/schedule';
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

/** A source of schedules as the ledger names it: two tenants may each have one of the same name. */
export function sourceIn({ tenant }: Pick<ClientContext, 'tenant'>, source: string): string {
  return tenant === undefined ? source : JSON.stringify([tenant, source]);
}
