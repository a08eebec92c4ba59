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

/** What an operator allows a tenant, and what it has. */
export interface TenantStatus {
  /** Its name. */
  tenant: string;
  /** What it is allowed. */
  limits: TenantLimits;
  /** What it has of it. */
  used: {
    /** Live schedules. */
    schedules: number;
    /** Firings that were claimed in this hour of the clock, in UTC; counted while there is a limit of them. */
    firingsThisHour: number;
  };
  /** Who set the limits last. */
  actor: string;
  /** When. */
  updatedAt: Date;
}

/** A schedule that starts its workflows where its tenant may not: it was registered before the limits were. */
export interface OutsideSchedule extends Outside {
  /** ID of the schedule. */
  scheduleId: string;
}

/** A tenant, and which of its schedules its limits come too late for. */
export interface TenantDescription extends TenantStatus {
  /** Live schedules that lie outside of its namespaces or task queues, by ID. They go on by their specs. */
  outside: OutsideSchedule[];
}

/**
 * What an operator allows tenants. A client of one tenant sees its own limits, and sets none.
 *
 * @see `docs/tenancy.md`
 */
export class Tenants {
  constructor(private readonly context: ClientContext) {}

  /**
   * Limit a tenant, or change its limits. What it has already goes on: `outside` of the answer has the schedules that it could
   * not register any more.
   *
   * @throws {InvalidOptionError} for limits that cannot be, and for a client of one tenant
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
      await wakeDelayed(transaction, tenant, now);
    });
    return this.describe(tenant);
  }

  /** A tenant's limits, and what it has of them. @throws {TenantNotFoundError} where nothing limits it */
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

  /** The tenants that are limited in anything, by name; a client of one tenant sees itself alone. */
  async list(): Promise<TenantStatus[]> {
    await this.context.ready();
    const { tenant, store, now } = this.context;
    return (await readTenantUse(store, { tenant, now: now?.() })).map(statusOf);
  }

  /**
   * Limit a tenant in nothing any more. Its schedules stay.
   *
   * @throws {TenantNotFoundError} where nothing limits it
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
      `only an operator sets limits: a client without a tenant, and this is one of '${tenant}'`,
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
