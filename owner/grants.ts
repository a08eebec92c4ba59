import { openStore, type PostgresOptions } from '../store/connection';
import { applyGrants, grantsFor, ROLE_USES, type RoleUse } from '../store/grants';

export { grantsFor, ROLE_USES, type RoleUse };

/**
 * Grant a role what it needs, as the owner of the schema.
 *
 * @returns the statements
 * @throws {InvalidOptionError} for a role that is not there; nothing was granted
 */
export async function grant(
  postgres: PostgresOptions,
  role: string,
  uses: readonly RoleUse[] = ROLE_USES,
): Promise<string[]> {
  const store = openStore(postgres);
  try {
    return await applyGrants(store, role, uses);
  } finally {
    await store.close();
  }
}
