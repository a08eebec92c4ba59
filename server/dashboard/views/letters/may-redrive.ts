const UNAVAILABLE = 503;

/**
 * Whether the redrive can be confirmed: some letter would be redriven, or may be among those that were not checked. If
 * Temporal kept one letter from being checked, the letter can be redriven all the same.
 */
export function mayRedrive(
  plan: { total: number; redriven: number; planned: readonly unknown[] } | undefined,
  of: { isSingle: boolean; letterId?: string | undefined; problem: { status: number } | undefined },
): boolean {
  if (!plan) return of.letterId !== undefined && of.problem?.status === UNAVAILABLE;
  return plan.redriven > 0 || (!of.isSingle && plan.total > plan.planned.length);
}
