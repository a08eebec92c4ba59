import { sql } from 'kysely';
import { InvalidOptionError } from '../core/errors';
import type { Store } from './connection';
import type { Tables } from './tables';
import { transact } from './transaction';

/** What a role works as: each kind of program does other things to the tables. */
export const ROLE_USES = ['trigger', 'worker', 'client', 'reader'] as const;
export type RoleUse = (typeof ROLE_USES)[number];

type Right = 'select' | 'insert' | 'update' | 'delete';

/** Who does what to a table. `reader` reads it, and so does whoever else may write it. */
interface TableGrants {
  /** What a trigger cannot fire without. */
  trigger?: Right[];
  /** What a trigger does where it may, and leaves undone elsewhere. */
  triggerWhereItMay?: Right[];
  /** Activities: leases, and steps that are parked. */
  worker?: Right[];
  /** Programs that register and change schedules, settle letters and read; most of the command. */
  client?: Right[];
  /** Whether a reader does not see it. @default false */
  secret?: boolean;
}

/** Each table of the ledger: one that is added here has no rights yet, and so nobody but the owner may touch it. */
export const TABLE_GRANTS: Record<keyof Tables, TableGrants> = {
  schedules: { trigger: ['select', 'update'], client: ['select', 'insert', 'update'] },
  schedule_versions: { trigger: ['select'], worker: ['select'], client: ['select', 'insert'] },
  timers: { trigger: ['select', 'update'], client: ['select', 'insert', 'update'] },
  firings: {
    trigger: ['select', 'insert', 'update'],
    worker: ['select', 'update'],
    // `include` takes an exclusion back.
    client: ['select', 'insert', 'update', 'delete'],
  },
  gaps: {
    trigger: ['select', 'insert', 'update'],
    triggerWhereItMay: ['delete'],
    client: ['select', 'insert', 'update'],
  },
  // Triggers of Postgres write it with the rights of its owner; sweeps add it up.
  firing_counts: { triggerWhereItMay: ['select', 'insert', 'update', 'delete'], client: ['select'] },
  dead_letters: {
    trigger: ['select', 'insert', 'update'],
    triggerWhereItMay: ['delete'],
    worker: ['select', 'update'],
    // A letter that a program before wrote, and a person restores, moves to `letters`.
    client: ['select', 'update', 'delete'],
  },
  calendars: { client: ['select', 'insert', 'update', 'delete'] },
  freezes: { trigger: ['select'], client: ['select', 'insert', 'update'] },
  // Read and changed through `dead_letters`, which it inherits from; written to by itself.
  letters: {
    trigger: ['select', 'insert', 'update'],
    worker: ['select', 'insert', 'update'],
    client: ['select', 'insert'],
  },
  leases: {
    triggerWhereItMay: ['select', 'update', 'delete'],
    worker: ['select', 'insert', 'update'],
    client: ['select'],
  },
  triggers: { trigger: ['select', 'insert', 'update', 'delete'], client: ['select'] },
  tenants: { trigger: ['select'], client: ['select', 'insert', 'update', 'delete'] },
  tenant_hours: { trigger: ['select', 'update'], client: ['select', 'insert', 'update'] },
  alerts: { triggerWhereItMay: ['select', 'insert', 'update', 'delete'], client: ['select', 'update'] },
  alert_silences: {
    triggerWhereItMay: ['select', 'update', 'delete'],
    client: ['select', 'insert', 'update'],
  },
  alert_targets: { triggerWhereItMay: ['select', 'insert', 'update'], client: ['select'] },
  alert_messages: { triggerWhereItMay: ['select', 'insert', 'update', 'delete'], client: ['select'] },
  moves: { client: ['select', 'insert', 'update'] },
  // Of the HTTP API. What was answered may hold what a reader is not to see.
  api_tokens: { client: ['select', 'insert', 'update'], secret: true },
  api_audit: { triggerWhereItMay: ['select', 'update', 'delete'], client: ['select', 'insert', 'update'] },
  api_requests: {
    triggerWhereItMay: ['select', 'update', 'delete'],
    client: ['select', 'insert', 'update', 'delete'],
    secret: true,
  },
  bulk_operations: { triggerWhereItMay: ['select', 'update', 'delete'], client: ['select', 'insert', 'update'] },
  bulk_schedules: { client: ['select', 'insert', 'update'] },
  // Written by the owner alone.
  archives: { client: ['select'] },
  purges: { client: ['select'] },
  meta: { trigger: ['select', 'insert', 'update'], worker: ['select'], client: ['select', 'insert', 'update'] },
};

/** Views that anybody reads who reads tables. */
const VIEWS = ['ledger', 'stats', 'no_trigger'];

/** Functions, by who calls them. */
export const FUNCTION_GRANTS: Record<string, RoleUse[]> = {
  ensure_partition: ['trigger', 'client'],
  retire_partition: ['trigger'],
  begin_counts: ['trigger'],
  count_firings: ['trigger'],
  incarnation: ['trigger', 'client'],
  take_waiting: ['trigger'],
  take_from_lanes: ['trigger'],
  waiting_lanes: ['trigger'],
  guard_lease: ['worker'],
};

/** What some uses need of a table, in the order of `select, insert, update, delete`. */
export function rightsOn(table: keyof Tables, uses: readonly RoleUse[]): Right[] {
  const grants = TABLE_GRANTS[table];
  const rights = new Set<Right>(uses.flatMap((use) => rightsOf(grants, use)));
  return RIGHTS.filter((right) => rights.has(right));
}

const RIGHTS: Right[] = ['select', 'insert', 'update', 'delete'];

function rightsOf(grants: TableGrants, use: RoleUse): Right[] {
  if (use === 'trigger') return [...(grants.trigger ?? []), ...(grants.triggerWhereItMay ?? [])];
  if (use === 'reader') return grants.secret ? [] : ['select'];
  return grants[use] ?? [];
}

/**
 * What the owner of a schema grants a role, one statement each. They take nothing away, so that they may be run again.
 *
 * @param uses what the role works as; several together may do what each may
 */
export function grantsFor(schema: string, role: string, uses: readonly RoleUse[] = ROLE_USES): string[] {
  const to = `to ${quoted(role)}`;
  const tables = (Object.keys(TABLE_GRANTS) as (keyof Tables)[]).flatMap((table) => {
    const rights = rightsOn(table, uses);
    return rights.length === 0 ? [] : [`grant ${rights.join(', ')} on ${schema}.${table} ${to}`];
  });
  const isOnlyWorker = uses.every((use) => use === 'worker');
  const views = isOnlyWorker ? [] : [`grant select on ${VIEWS.map((view) => `${schema}.${view}`).join(', ')} ${to}`];
  const functions = Object.entries(FUNCTION_GRANTS)
    .filter(([, callers]) => callers.some((caller) => uses.includes(caller)))
    .map(([name]) => `grant execute on function ${schema}.${name} ${to}`);
  return [`grant usage on schema ${schema} ${to}`, ...tables, ...views, ...functions];
}

/**
 * Grant a role what it needs, all of it or nothing.
 *
 * @throws {InvalidOptionError} for a role that is not there
 */
export async function applyGrants(store: Store, role: string, uses: readonly RoleUse[]): Promise<string[]> {
  const grants = grantsFor(store.schema, role, uses);
  await transact(store, async ({ db }) => {
    const { rows } = await sql`select 1 as one from pg_roles where rolname = ${role}`.execute(db);
    if (rows.length === 0) {
      throw new InvalidOptionError(
        'role',
        `there is no role '${role}'; make it first: create role ${quoted(role)} login`,
      );
    }
    for (const grant of grants) await sql.raw(grant).execute(db);
  });
  return grants;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
