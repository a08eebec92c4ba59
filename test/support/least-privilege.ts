import { Client } from 'pg';
import { grantsFor, type RoleUse } from '../../store/grants';

/** Whether programs in tests connect as roles that own nothing, each with the grants for its kind of program. */
const IS_ON = process.env.ESCAPEMENT_TEST_LEAST_PRIVILEGE === '1';

/** The URL by which a program of some kind connects: as the owner, unless the tests run with least privileges. */
export function urlFor(databaseUrl: string, use: RoleUse): string {
  if (!IS_ON) return databaseUrl;
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `-c role=${roleOf(use)}`);
  return url.href;
}

/** Create the roles, which all databases of the server share, and grant them their rights in this one. */
export async function grantLeast(owner: Client): Promise<void> {
  if (!IS_ON) return;
  for (const use of ['trigger', 'client', 'worker'] as const) {
    await owner.query(`do $$ begin create role ${roleOf(use)};
      exception when duplicate_object or unique_violation then null; end $$`);
    for (const grant of grantsFor('escapement', roleOf(use), [use])) await owner.query(grant);
  }
}

/** {@link grantLeast} in a database that a test has created. */
export async function grantLeastAt(databaseUrl: string): Promise<void> {
  if (!IS_ON) return;
  const owner = new Client({ connectionString: databaseUrl });
  await owner.connect();
  await grantLeast(owner).finally(() => owner.end());
}

function roleOf(use: RoleUse): string {
  return `escapement_test_${use}`;
}
