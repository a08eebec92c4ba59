import type { Tables } from './tables';

export const ROLE_USES = ['trigger', 'worker', 'client', 'reader'] as const;
export type RoleUse = (typeof ROLE_USES)[number];

type Right = 'select' | 'insert' | 'update' | 'delete';

/** The rights on a table, by kind of program. A `reader` may read every table that is not secret. */
interface TableGrants {
  /** Rights without which a trigger does not start. */
  trigger?: Right[];
  /** Rights that a trigger uses if its role has them, and does without otherwise. */
  triggerWhereItMay?: Right[];
  /** Rights that only `escapement doctor` uses with the trigger's role. */
  triggersDoctor?: Right[];
  /** Rights for activities, which hold leases and park steps. */
  worker?: Right[];
  /** Rights for programs that register and change schedules, settle letters and read. */
  client?: Right[];
  /** Whether the table is hidden from readers. @default false */
  secret?: boolean;
}

export const TABLE_GRANTS: Record<keyof Tables, TableGrants> = {
  schedules: { trigger: ['select', 'update'], client: ['select', 'insert', 'update'] },
  schedule_versions: { trigger: ['select'], worker: ['select'], client: ['select', 'insert'] },
  timers: { trigger: ['select', 'update'], client: ['select', 'insert', 'update'] },
  firings: {
    trigger: ['select', 'insert', 'update'],
    worker: ['select', 'update'],
    // Removing an exclusion (`include`) deletes its row of `firings`.
    client: ['select', 'insert', 'update', 'delete'],
  },
  gaps: {
    trigger: ['select', 'insert', 'update'],
    triggerWhereItMay: ['delete'],
    client: ['select', 'insert', 'update'],
  },
  // Database functions with the owner's rights write most rows of `firing_counts`; sweeps add them up.
  firing_counts: { triggerWhereItMay: ['select', 'insert', 'update', 'delete'], client: ['select'] },
  dead_letters: {
    trigger: ['select', 'insert', 'update'],
    triggerWhereItMay: ['delete'],
    worker: ['select', 'update'],
    // If an older program wrote a letter and a person restores it, the letter may move to `letters`.
    client: ['select', 'update', 'delete'],
  },
  calendars: { triggersDoctor: ['select'], client: ['select', 'insert', 'update', 'delete'] },
  freezes: { trigger: ['select'], client: ['select', 'insert', 'update'] },
  // `letters` inherits from `dead_letters`; besides inserts, few statements name `letters` itself.
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
  // A reader must see neither the hashes of tokens nor the answers that the HTTP API has stored.
  api_tokens: { client: ['select', 'insert', 'update'], secret: true },
  api_audit: { triggerWhereItMay: ['select', 'update', 'delete'], client: ['select', 'insert', 'update'] },
  api_requests: {
    triggerWhereItMay: ['select', 'update', 'delete'],
    client: ['select', 'insert', 'update', 'delete'],
    secret: true,
  },
  bulk_operations: { triggerWhereItMay: ['select', 'update', 'delete'], client: ['select', 'insert', 'update'] },
  bulk_schedules: { client: ['select', 'insert', 'update'] },
  // Only the owner of the schema writes `archives` and `purges`.
  archives: { client: ['select'] },
  purges: { client: ['select'] },
  meta: { trigger: ['select', 'insert', 'update'], worker: ['select'], client: ['select', 'insert', 'update'] },
};

const VIEWS = ['ledger', 'stats', 'no_trigger'];

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

export function rightsOn(table: keyof Tables, uses: readonly RoleUse[]): Right[] {
  const grants = TABLE_GRANTS[table];
  const rights = new Set<Right>(uses.flatMap((use) => rightsOf(grants, use)));
  return RIGHTS.filter((right) => rights.has(right));
}

const RIGHTS: Right[] = ['select', 'insert', 'update', 'delete'];

function rightsOf(grants: TableGrants, use: RoleUse): Right[] {
  const { trigger = [], triggerWhereItMay = [], triggersDoctor = [] } = grants;
  if (use === 'trigger') return [...trigger, ...triggerWhereItMay, ...triggersDoctor];
  if (use === 'reader') return grants.secret ? [] : ['select'];
  return grants[use] ?? [];
}

/** The views that programs of these uses read. */
export function viewsOf(uses: readonly RoleUse[]): readonly string[] {
  return uses.every((use) => use === 'worker') ? [] : VIEWS;
}

/** The functions that programs of these uses call. */
export function functionsOf(uses: readonly RoleUse[]): string[] {
  return Object.entries(FUNCTION_GRANTS)
    .filter(([, callers]) => callers.some((caller) => uses.includes(caller)))
    .map(([name]) => name);
}

/**
 * The grants that the owner of a schema gives to a role, one statement for each. Grants never revoke a right, so they
 * may be run again.
 */
export function grantsFor(schema: string, role: string, uses: readonly RoleUse[] = ROLE_USES): string[] {
  const to = `to ${quoted(role)}`;
  // Another name may be a reserved word, such as `order`.
  const within = schema === 'escapement' ? schema : quoted(schema);
  const tables = (Object.keys(TABLE_GRANTS) as (keyof Tables)[]).flatMap((table) => {
    const rights = rightsOn(table, uses);
    return rights.length === 0 ? [] : [`grant ${rights.join(', ')} on ${within}.${table} ${to}`];
  });
  const seen = viewsOf(uses).map((view) => `${within}.${view}`);
  const views = seen.length === 0 ? [] : [`grant select on ${seen.join(', ')} ${to}`];
  const functions = functionsOf(uses).map((name) => `grant execute on function ${within}.${name} ${to}`);
  return [`grant usage on schema ${within} ${to}`, ...tables, ...views, ...functions];
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
