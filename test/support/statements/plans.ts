/** A node of a plan, as `explain (format json)` gives it. */
export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Plan[];
}

/** Relations that a plan reads whole, without an index. */
export function scannedWhole(plan: Plan): string[] {
  const own = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name']!] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scannedWhole)];
}

/** How many rows of a table, by default of firings, each scan of a plan has read. */
export function rowsRead(plan: Plan, table = 'firings'): number[] {
  const isOfTable = plan['Node Type'].includes('Scan') && plan['Relation Name']?.startsWith(table);
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = isOfTable ? [(plan['Actual Rows'] + removed) * plan['Actual Loops']] : [];
  return [...own, ...(plan.Plans ?? []).flatMap((one) => rowsRead(one, table))];
}

/** The most rows of a table, by default of firings, that one scan of a plan has read. */
export function mostRead(plan: Plan, table = 'firings'): number {
  return Math.max(0, ...rowsRead(plan, table));
}
