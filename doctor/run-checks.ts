import type { Check, Finding } from './finding';

/** A check that takes longer is given up, so that one that hangs hides no other. */
const DEADLINE_MILLISECONDS = 10_000;

/** Make all checks side by side. One that fails is a finding itself. */
export async function runChecks<Context>(
  checks: readonly Check<Context>[],
  context: Context,
  deadlineMilliseconds = DEADLINE_MILLISECONDS,
): Promise<Finding[]> {
  const found = await Promise.all(checks.map((check) => runCheck(check, context, deadlineMilliseconds)));
  return found.flat();
}

async function runCheck<Context>(
  check: Check<Context>,
  context: Context,
  deadlineMilliseconds: number,
): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer within ${deadlineMilliseconds / 1_000} seconds`)),
      deadlineMilliseconds,
    );
  });
  try {
    return await Promise.race([check.find(context), deadline]);
  } catch (error) {
    return [
      {
        id: 'check_failed',
        severity: 'warning',
        text: `It could not be checked: ${check.name} (${(error as Error).message}).`,
        action: 'Mend what is worse first, then run doctor again.',
        runBook: 'postgres',
      },
    ];
  } finally {
    clearTimeout(timer);
  }
}
