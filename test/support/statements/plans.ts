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

/** The most rows of firings that one node of a plan has read. */
export function mostRead(plan: Plan): number {
  const isOfFirings = plan['Node Type'].includes('Scan') && plan['Relation Name']?.startsWith('firings');
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const each = plan['Actual Rows'] + removed;
  return Math.max(isOfFirings ? each * plan['Actual Loops'] : 0, ...(plan.Plans ?? []).map(mostRead));
}
