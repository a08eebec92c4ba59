import { InvalidOptionError } from '../../core/errors';
import { checkOptions } from '../../core/options';
import { type Outside, outsideOf, type TenantLimits } from '../../core/tenant-limits';
import { wakeDelayed } from '../../store/schedules/tenant-hours';
import { deleteTenant, readPlaces, readTenantUse, type TenantUse, writeTenant } from '../../store/schedules/tenants';
import { transact } from '../../store/transaction';
import { tenantLimits, tenantOption } from '../call-options';
import type { ClientContext } from '../context';
import { TenantNotFoundError } from './errors';
import type { TenantLimitsUpdate } from './limits-update';

/** The limits of a tenant, and how much of them is used. */
export interface TenantStatus {
  /** The name of the tenant. */
  tenant: string;
  /** The limits. */
  limits: TenantLimits;
  /** How much of the limits is used. */
  used: {
    /** Number of live schedules of the tenant. */
    schedules: number;
    /**
     * Number of firings claimed in the current hour, in UTC. Firings are only counted while the tenant has a quota of
     * firings.
     */
    firingsThisHour: number;
  };
  /** Who last set the limits. */
  actor: string;
  /** When the limits were last set. */
  updatedAt: Date;
}

/** A schedule whose namespace or task queue its tenant may not use. */
export interface OutsideSchedule extends Outside {
  /** ID of the schedule. */
  scheduleId: string;
}

/** A tenant's limits, and its live schedules that violate them. */
export interface TenantDescription extends TenantStatus {
  /** Live schedules outside the tenant's namespaces or task queues, by ID. Such schedules still fire. */
  outside: OutsideSchedule[];
}

/**
 * The limits that an operator sets for tenants. A client of one tenant can read its own limits, and cannot set any.
 *
 * @see `docs/tenancy.md`
 */
export class Tenants {
  constructor(private readonly context: ClientContext) {}

  /**
   * Set or change the limits of a tenant. Existing schedules outside the allowed namespaces and task queues still fire;
   * the result's `outside` lists them.
   *
   * @throws {InvalidOptionError} for limits that are not allowed, and for a client of one tenant
   */
  async set(tenant: string, limits: TenantLimitsUpdate): Promise<TenantDescription> {
    checkOptions(tenantOption, { tenant });
    checkOptions(tenantLimits, limits);
    this.#refuseTenant();
    await this.context.ready();
    const { identity: actor, store } = this.context;
    const now = this.context.now?.();
    await transact(store, async (transaction) => {
      await writeTenant(transaction, tenant, limits, { actor, now });
      if (limits.firingsPerHour !== undefined) await wakeDelayed(transaction, tenant, now);
    });
    return this.describe(tenant);
  }

  /**
   * The limits of a tenant, and how much of them is used.
   *
   * @throws {TenantNotFoundError} if the tenant has no limits
   * @throws {InvalidOptionError} for an invalid name, and for another tenant than the client's
   */
  async describe(tenant: string): Promise<TenantDescription> {
    checkOptions(tenantOption, { tenant });
    this.#refuseOther(tenant);
    await this.context.ready();
    const { store } = this.context;
    const [row] = await readTenantUse(store, { tenant, now: this.context.now?.() });
    if (!row) throw new TenantNotFoundError(tenant);
    const isBound = row.namespaces !== null || row.taskQueues !== null;
    const places = isBound ? await readPlaces(store, tenant) : [];
    const outside = places.flatMap(({ scheduleId, ...place }): OutsideSchedule[] => {
      const found = outsideOf(row, place);
      return found ? [{ scheduleId, path: found.path, value: found.value }] : [];
    });
    return { ...statusOf(row), outside };
  }

  /** The tenants that have limits, ordered by name. A client of one tenant sees only its own tenant. */
  async list(): Promise<TenantStatus[]> {
    await this.context.ready();
    const { tenant, store, now } = this.context;
    return (await readTenantUse(store, { tenant, now: now?.() })).map(statusOf);
  }

  /**
   * Remove all limits of a tenant. The schedules of the tenant stay.
   *
   * @throws {TenantNotFoundError} if the tenant has no limits
   * @throws {InvalidOptionError} for a client of one tenant
   */
  async remove(tenant: string): Promise<void> {
    checkOptions(tenantOption, { tenant });
    this.#refuseTenant();
    await this.context.ready();
    const { store, now } = this.context;
    await transact(store, async (transaction) => {
      if (!(await deleteTenant(transaction, tenant))) throw new TenantNotFoundError(tenant);
      await wakeDelayed(transaction, tenant, now?.());
    });
  }

  #refuseTenant(): void {
    const { tenant } = this.context;
    if (tenant === undefined) return;
    throw new InvalidOptionError(
      'tenant',
      `only an operator sets limits, with a client without a tenant: this one is limited to tenant '${tenant}'`,
    );
  }

  #refuseOther(asked: string): void {
    const { tenant } = this.context;
    if (tenant === undefined || tenant === asked) return;
    throw new InvalidOptionError('tenant', `'${asked}' is not this client's, which sees '${tenant}' alone`);
  }
}

function statusOf({ tenant, actor, updatedAt, live, firings, ...limits }: TenantUse): TenantStatus {
  return { tenant, limits, used: { schedules: live, firingsThisHour: firings }, actor, updatedAt };
}
