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
