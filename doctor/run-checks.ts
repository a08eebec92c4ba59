import type { Check, Finding } from './finding';

/** Time limit of a check, so that a check that hangs does not hide the others. */
const DEADLINE_MILLISECONDS = 10_000;

/** Run all checks in parallel. A check that fails becomes a finding. */
export async function runChecks<Context>(
  checks: readonly Check<Context>[],
  context: Context,
  deadlineMilliseconds = DEADLINE_MILLISECONDS,
): Promise<Finding[]> {
  const found = await Promise.all(
    checks.map(async ({ name, find }) => {
      const { read = [], failed } = await attempt(name, () => find(context), deadlineMilliseconds);
      return [...read, ...failed];
    }),
  );
  return found.flat();
}

/** The result of one read or check. If it fails or takes too long, `read` is undefined, and `failed` has a finding. */
export interface Attempt<Result> {
  read: Result | undefined;
  failed: Finding[];
}

/** @param name what is read or checked, in a few words */
export async function attempt<Result>(
  name: string,
  read: () => Promise<Result>,
  deadlineMilliseconds = DEADLINE_MILLISECONDS,
): Promise<Attempt<Result>> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer within ${deadlineMilliseconds / 1_000} seconds`)),
      deadlineMilliseconds,
    );
  });
  try {
    return { read: await Promise.race([read(), deadline]), failed: [] };
  } catch (error) {
    const finding: Finding = {
      id: 'check_failed',
      severity: 'warning',
      text: `doctor could not check ${name} (${(error as Error).message}).`,
      action: 'Fix the more severe findings first, then run doctor again.',
      runBook: 'postgres',
    };
    return { read: undefined, failed: [finding] };
  } finally {
    clearTimeout(timer);
  }
}
