import { counted } from '../../core/counted';
import type { ApplyResult } from './apply-options';

/** One problem of a list given to `apply`: of one of its schedules, or of the call itself. */
export interface ApplyProblem {
  /** Index of the schedule in the list; undefined for a problem of the call itself. */
  index: number | undefined;
  /** ID of the schedule, if it has one; undefined for a problem of the call itself. */
  scheduleId: string | undefined;
  /** Path of the bad field, such as `spec.cron`; `source` if another source or a person owns the schedule. */
  path: string;
  /** What is wrong and what is allowed. */
  problem: string;
}

const SHOWN = 10;

/**
 * `apply` refused its options or its list of schedules. `problems` usually has one problem for each bad schedule.
 * No schedule was written, with one exception: if others changed schedules or a tenant's limits after the check, earlier
 * batches may already be written.
 */
export class ApplyRefusedError extends Error {
  override readonly name = 'ApplyRefusedError';
  constructor(
    /** Name of the source that declared the list. */
    readonly source: string,
    /** The problems that were found. */
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

function isResetBack({ revision, currentRevision }: ApplyResult): boolean {
  return currentRevision !== undefined && currentRevision < revision;
}

/** Why a result is stale, in words. */
export function staleBecause(result: ApplyResult): string {
  return isResetBack(result)
    ? `the source was reset to revision ${result.currentRevision} meanwhile`
    : `revision ${result.currentRevision} has begun`;
}

/**
 * A higher revision of this source has begun, so this apply could undo newer changes. Usually an older program was
 * deployed late, or the code was rolled back. Apply the old content under a new revision, or set the source's revision
 * back with `client.sources.reset`. A reset also makes an apply stale that has begun another revision.
 */
export class StaleRevisionError extends Error {
  override readonly name = 'StaleRevisionError';
  constructor(
    /** What this apply wrote before the other revision began: usually nothing. */
    readonly result: ApplyResult,
  ) {
    const { source, revision, created, updated, pruned } = result;
    const written = created.length + updated.length + pruned.length;
    const said =
      written === 0
        ? 'nothing was written'
        : `only ${counted(written, 'schedule')} ${written === 1 ? 'was' : 'were'} written`;
    const because = staleBecause(result);
    const advice = isResetBack(result)
      ? 'apply it again'
      : `apply it under a higher revision, or reset the source's revision to ${revision} to apply it again`;
    super(`${source}@${revision} is stale, because ${because}: ${said}; ${advice}`);
  }
}

/**
 * `prune` would delete more schedules than it may. No schedule was written, with one exception: if others changed
 * schedules after the check, earlier batches may already be written.
 */
export class PruneRefusedError extends Error {
  override readonly name = 'PruneRefusedError';
  constructor(
    /** Name of the source that declared the list. */
    readonly source: string,
    /** IDs of the schedules that would be deleted. */
    readonly scheduleIds: string[],
    /** How many live schedules belong to this source. */
    readonly declared: number,
    /** How many schedules the call may delete. */
    readonly atMost: number,
  ) {
    const shown = scheduleIds.slice(0, SHOWN).map((scheduleId) => `'${scheduleId}'`);
    const more = scheduleIds.length > SHOWN ? ` and ${scheduleIds.length - SHOWN} more, in 'scheduleIds'` : '';
    super(
      `the list leaves out ${scheduleIds.length} of the ${declared} schedules of source '${source}', but prune deletes at most ${atMost}: ${shown.join(', ')}${more}; give 'pruneAtMost: ${scheduleIds.length}' to delete them`,
    );
  }
}

/**
 * Another transaction held a lock that this apply needed, others changed schedules of the list in every attempt, or a
 * calendar of these schedules was changed. Schedules written so far stay; call `apply` again for the rest.
 */
export class ApplyConflictError extends Error {
  override readonly name = 'ApplyConflictError';
  constructor(
    /** Name of the source that declared the list. */
    readonly source: string,
    /** IDs of the schedules that could not be written, as far as known. */
    readonly scheduleIds: string[],
    problem: string,
    options?: { cause: unknown },
  ) {
    super(
      `the schedules of source '${source}' ${problem}; schedules written so far stay, apply again for the rest`,
      options,
    );
  }
}
