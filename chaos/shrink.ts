import type { Plan } from './plan';

/**
 * Finds a smaller set of a plan's faults with which the run still fails. Each fault is left out once, and stays out if
 * the run still fails.
 *
 * @param fails runs a plan, and returns whether it failed
 */
export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let least = plan;
  for (const fault of plan.faults) {
    const without = { ...least, faults: least.faults.filter((one) => one !== fault) };
    if (await fails(without)) least = without;
  }
  return least;
}
