import { openStore, type PostgresOptions } from '../store/connection';
import { grantsFor, ROLE_USES, type RoleUse } from '../store/grants';
import { applyGrants } from '../store/rights';

export { grantsFor, ROLE_USES, type RoleUse };

/**
 * Grants a role the rights that it needs. The caller must be the owner of the schema.
 *
 * @returns the statements
 * @throws {InvalidOptionError} for a role that does not exist, or a caller who may not grant all these rights; nothing
 *   was granted. A caller with no right at all on an object gets Postgres's own error
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
