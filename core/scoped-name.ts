/**
 * The name under which the ledger stores a name that a tenant gave, so that two tenants, and callers without a tenant,
 * may use the same name.
 */
export function scopedName(tenant: string | undefined, name: string): string {
  return tenant === undefined || tenant === '' ? name : JSON.stringify([tenant, name]);
}

/** The tenant and the name in a text that {@link scopedName} made; undefined for a name without a tenant. */
export function partsOfName(stored: string): [tenant: string, name: string] | undefined {
  if (!stored.startsWith('[')) return undefined;
  try {
    const parts: unknown = JSON.parse(stored);
    const areTexts = Array.isArray(parts) && parts.length === 2 && parts.every((part) => typeof part === 'string');
    return areTexts ? (parts as [string, string]) : undefined;
  } catch {
    return undefined;
  }
}
