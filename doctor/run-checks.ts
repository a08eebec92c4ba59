import type { Check, Finding } from './finding';

/** What takes longer is given up, so that a check that hangs hides no other. */
const DEADLINE_MILLISECONDS = 10_000;

/** Make all checks side by side. One that fails is a finding itself. */
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

/** What could be read; undefined where it failed or took too long, which is a finding then. */
export interface Attempt<Result> {
  read: Result | undefined;
  failed: Finding[];
}

/** @param name what is read, in a few words */
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
      text: `It could not be checked: ${name} (${(error as Error).message}).`,
      action: 'Mend what is worse first, then run doctor again.',
      runBook: 'postgres',
    };
    return { read: undefined, failed: [finding] };
  } finally {
    clearTimeout(timer);
  }
}
