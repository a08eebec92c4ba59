import type { ApplyResult } from './apply-options';

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

/**
 * A revision lower than one that began: an older program deployed late, or a rollback of code, would undo what is newer.
 * Apply the old content under a new revision, or set the source's revision back with `client.sources.reset`.
 */
export class StaleRevisionError extends Error {
  override readonly name = 'StaleRevisionError';
  constructor(
    /** What was written before the higher revision began: as a rule nothing. */
    readonly result: ApplyResult,
  ) {
    const { source, revision, currentRevision, created, updated, pruned } = result;
    const written = created.length + updated.length + pruned.length;
    const said = written === 0 ? 'nothing was written' : `only ${written} schedules were written`;
    super(
      `${source}@${revision} is stale, since revision ${currentRevision} began: ${said}; apply it under a higher revision, or reset the source's revision to ${revision} if it is to count again`,
    );
  }
}

/** More schedules would be pruned than may be. Nothing was written. */
export class PruneRefusedError extends Error {
  override readonly name = 'PruneRefusedError';
  constructor(
    /** What declared the list. */
    readonly source: string,
    /** Those that would be deleted. */
    readonly scheduleIds: string[],
    /** How many live schedules the source has declared. */
    readonly declared: number,
    /** How many of them may be deleted. */
    readonly atMost: number,
  ) {
    const shown = scheduleIds.slice(0, SHOWN).map((scheduleId) => `'${scheduleId}'`);
    const more = scheduleIds.length > SHOWN ? ` and ${scheduleIds.length - SHOWN} more, in 'scheduleIds'` : '';
    super(
      `the list leaves out ${scheduleIds.length} of the ${declared} schedules of source '${source}', and prune deletes ${atMost} at most: ${shown.join(', ')}${more}; give 'pruneAtMost: ${scheduleIds.length}' to delete them`,
    );
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
