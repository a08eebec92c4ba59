/** What is wrong with one schedule of a list that is applied, or with the list. */
export interface ApplyProblem {
  /** Place in the list; undefined for a problem of the call itself. */
  index: number | undefined;
  /** Of the schedule, where it has one; undefined for a problem of the call itself. */
  scheduleId: string | undefined;
  /** Path of the bad field, such as `spec.cron`; `source` where the schedule is somebody else's. */
  path: string;
  /** What is wrong and what is allowed. */
  problem: string;
}

const SHOWN = 10;

/**
 * A list of schedules that was refused: each reason, of all its schedules. Nothing was written; only where a schedule was
 * registered by somebody else in the moment between the check and its turn, batches before it were.
 */
export class ApplyRefusedError extends Error {
  override readonly name = 'ApplyRefusedError';
  constructor(
    /** What declared the list. */
    readonly source: string,
    /** All of them, in the order of the list. */
    readonly problems: ApplyProblem[],
  ) {
    const lines = problems.slice(0, SHOWN).map(({ index, scheduleId, path, problem }) => {
      const place = index === undefined ? '' : `[${index}]${scheduleId === undefined ? '' : ` '${scheduleId}'`} `;
      return `  ${place}${path}: ${problem}`;
    });
    if (problems.length > SHOWN) lines.push(`  … and ${problems.length - SHOWN} more, in 'problems'`);
    super(`the schedules of source '${source}' were refused:\n${lines.join('\n')}`);
  }
}

/** Others kept schedules of the list locked or changed them again and again. What was written stays; apply again for the rest. */
export class ApplyConflictError extends Error {
  override readonly name = 'ApplyConflictError';
  constructor(
    /** What declared the list. */
    readonly source: string,
    /** Schedules that could not be written, as far as they are known. */
    readonly scheduleIds: string[],
    problem: string,
    options?: { cause: unknown },
  ) {
    super(`the schedules of source '${source}' ${problem}; what was written stays, apply again for the rest`, options);
  }
}
