import type { TenantLimits } from '../../core/tenant-limits';

/** Limits of a tenant to change. A limit that is left out stays as it is; null removes the limit. */
export type TenantLimitsUpdate = { [Name in keyof TenantLimits]?: TenantLimits[Name] | undefined };
