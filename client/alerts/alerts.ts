import { z } from 'zod';
import { flag, tenantOrAll } from '../../core/option-fields';
import { checkOptions, type FieldsOf } from '../../core/options';
import { type Alert, acknowledgeAlert, readAlerts } from '../../store/alerts/read-alerts';
import type { ClientContext } from '../context';
import { inTenant } from '../list/filters';

/** Which alerts are listed. */
export interface ListAlertsOptions {
  /** Those that are over as well. @default false */
  resolved?: boolean;
  /** How many at most, up to 10,000. @default 200 */
  limit?: number;
  /** Of one tenant. @default all */
  tenant?: string | undefined;
}

/** No alert has this ID. */
export class AlertNotFoundError extends Error {
  override readonly name = 'AlertNotFoundError';
  constructor(
    /** The ID that was given. */
    readonly alertId: string,
  ) {
    super(`alert '${alertId}' was not found; list the open ones`);
  }
}

const listOptions = z.strictObject({
  resolved: flag.optional(),
  limit: z.int().min(1).max(10_000).optional(),
  tenant: tenantOrAll,
} satisfies FieldsOf<ListAlertsOptions>);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const LIMIT = 200;

/**
 * What people are told of before they ask. A client of one tenant sees the alerts of its schedules alone.
 *
 * @see `docs/alerts.md`
 */
export class Alerts {
  constructor(private readonly context: ClientContext) {}

  /** Open alerts, newest first. @throws {InvalidOptionError} for another option */
  async list(options: ListAlertsOptions = {}): Promise<Alert[]> {
    checkOptions(listOptions, options);
    await this.context.ready();
    const { resolved = false, limit = LIMIT } = options;
    return readAlerts(this.context.store, { tenant: inTenant(this.context, options).tenant, resolved, limit });
  }

  /** Say that you know of an alert. The first who says so stays. @throws {AlertNotFoundError} where there is none of this ID */
  async ack(alertId: string): Promise<Alert> {
    await this.context.ready();
    const { store, identity: actor, tenant, now } = this.context;
    const known = UUID.test(alertId)
      ? await acknowledgeAlert(store, alertId, { actor, now: now?.(), tenant })
      : undefined;
    if (!known) throw new AlertNotFoundError(alertId);
    return known;
  }
}
