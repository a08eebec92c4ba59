import type { TenantLimits } from '../../core/tenant-limits';

/** What is to change of a tenant's limits. What is left out stays as it is; null allows any, or any number. */
export type TenantLimitsUpdate = { [Name in keyof TenantLimits]?: TenantLimits[Name] | undefined };
