import type { Plan } from './plan';

/**
 * The least of a plan's faults with which it still fails: each is left out once, and stays out where the run fails without it.
 *
 * @param fails runs a plan, and says whether it failed
 */
export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let least = plan;
  for (const fault of plan.faults) {
    const without = { ...least, faults: least.faults.filter((one) => one !== fault) };
    if (await fails(without)) least = without;
  }
  return least;
}
