import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { InvalidOptionError } from '../../core/errors';
import { flag, tenantOrAll } from '../../core/option-fields';
import { checkOptions, type FieldsOf } from '../../core/options';
import { isUuid } from '../../core/uuid';
import { acknowledgeAlert, type ListedAlert, readAlerts } from '../../store/alerts/read-alerts';
import { endSilence, insertSilence, readSilences, type Silence } from '../../store/alerts/silences';
import type { ClientContext } from '../context';
import { inTenant } from '../list/filters';
import { ledgerNow, readLive } from '../update/change';
import { type SilenceOptions, silenceOptions } from './silence-options';

/** Which alerts to list. */
export interface ListAlertsOptions {
  /** Include alerts that are over. @default false */
  resolved?: boolean;
  /**
   * Which alerts come first. `newest`: those that opened last. `worst`: critical ones, and within a severity those that
   * opened first.
   *
   * @default 'newest'
   */
  order?: 'newest' | 'worst';
  /** Maximum number of alerts, up to 10,000. @default 200 */
  limit?: number;
  /** Only alerts about a schedule of this tenant. @default the client's tenant, or all tenants */
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

/** No silence with this ID is in force. */
export class SilenceNotFoundError extends Error {
  override readonly name = 'SilenceNotFoundError';
  constructor(
    /** The ID that was given. */
    readonly silenceId: string,
  ) {
    super(`silence '${silenceId}' was not found, or has ended; list the active ones`);
  }
}

/** Which silences to list. */
export interface ListSilencesOptions {
  /** Only silences of this tenant, not those that concern all tenants. @default the client's tenant, or all tenants */
  tenant?: string | undefined;
}

const listSilencesOptions = z.strictObject({ tenant: tenantOrAll } satisfies FieldsOf<ListSilencesOptions>);

const listOptions = z.strictObject({
  resolved: flag.optional(),
  order: z.enum(['newest', 'worst']).optional(),
  limit: z.int().min(1).max(10_000).optional(),
  tenant: tenantOrAll,
} satisfies FieldsOf<ListAlertsOptions>);

const LIMIT = 200;

/**
 * Alerts about schedules and triggers, and the silences that mute them. A client of one tenant sees only the alerts
 * about schedules of its tenant.
 *
 * @see `docs/alerts.md`
 */
export class Alerts {
  constructor(private readonly context: ClientContext) {}

  /** Open alerts, with `resolved` also ended ones. @throws {InvalidOptionError} for an option that is not allowed */
  async list(options: ListAlertsOptions = {}): Promise<ListedAlert[]> {
    checkOptions(listOptions, options);
    await this.context.ready();
    const { resolved = false, order, limit = LIMIT } = options;
    return readAlerts(this.context.store, { tenant: inTenant(this.context, options).tenant, resolved, order, limit });
  }

  /**
   * Acknowledge an alert: record that you know of it. Only the first acknowledgement of an alert is kept. @throws
   * {AlertNotFoundError} if no alert has this ID
   */
  async ack(alertId: string): Promise<ListedAlert> {
    await this.context.ready();
    const { store, identity: actor, tenant, now } = this.context;
    const known = isUuid(alertId) ? await acknowledgeAlert(store, alertId, { actor, now: now?.(), tenant }) : undefined;
    if (!known) throw new AlertNotFoundError(alertId);
    return known;
  }

  /**
   * Mute some alerts until a given time: they are not sent when they open, and not repeated. `ledger_unavailable`, and
   * `no_trigger` from a server, are sent all the same. Muted alerts are still listed. When the silence ends, those that
   * are still open and were never sent are sent.
   *
   * @throws {InvalidOptionError} for an unknown option or a value that is not allowed, such as another tenant than the
   *   schedule's
   * @throws {ScheduleNotFoundError} if there is no such schedule
   */
  async silence(options: SilenceOptions): Promise<Silence> {
    checkOptions(silenceOptions, options);
    const { store, identity: actor, now } = this.context;
    await this.context.ready();
    const { scheduleId = null, condition = null, until, reason } = options;
    const tenant = inTenant(this.context, options).tenant ?? null;
    if (until <= (await ledgerNow(this.context))) throw new InvalidOptionError('until', 'is not in the future');
    if (scheduleId !== null) {
      const schedule = await readLive(this.context, scheduleId);
      // An alert of the schedule carries the schedule's tenant, so it would never match another one.
      if (tenant !== null && schedule.tenant !== tenant)
        throw new InvalidOptionError('tenant', `is not that of schedule '${scheduleId}'`);
    }
    return insertSilence(store, {
      silenceId: randomUUID(),
      tenant,
      scheduleId,
      condition,
      until,
      reason,
      actor,
      now: now?.(),
    });
  }

  /** Silences in force, ordered by when they end. @throws {InvalidOptionError} for an option that is not allowed */
  async silences(options: ListSilencesOptions = {}): Promise<Silence[]> {
    checkOptions(listSilencesOptions, options);
    await this.context.ready();
    const { store, now } = this.context;
    return readSilences(store, { tenant: inTenant(this.context, options).tenant, now: now?.() });
  }

  /** End a silence now. @throws {SilenceNotFoundError} if no silence with this ID is in force */
  async unsilence(silenceId: string): Promise<Silence> {
    await this.context.ready();
    const { store, tenant, now } = this.context;
    const ended = isUuid(silenceId) ? await endSilence(store, silenceId, { tenant, now: now?.() }) : undefined;
    if (!ended) throw new SilenceNotFoundError(silenceId);
    return ended;
  }
}
