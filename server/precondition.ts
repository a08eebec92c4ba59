import type { Undecoded } from '../client/describe/describe-live';
import type { ScheduleDescription } from '../client/describe/schedule-description';
import { etagOf, splitEtag } from './etag';
import type { Call } from './operation';
import { ProblemError, problem } from './problems/problem';

export const ifMatch = {
  'If-Match': {
    description: 'The ETag of the object to change: the change is refused if others have changed the object meanwhile',
  },
};

/**
 * Returns a function that checks the precondition of a change; undefined if the request allows any version, by `*` or
 * by `force` without the header. The caller calls that function with the current version of the schedule, before it
 * writes. The returned function ignores that firings have counted down the remaining actions, since an editor of a busy
 * schedule would never succeed. It returns the remaining actions that the sender has read.
 *
 * @throws {ProblemError} 428 for a request with neither the header nor `force`; the returned function throws 412 if the
 *   version has changed
 */
export function matching({
  headers,
  query,
}: Pick<Call<unknown, { force?: boolean | undefined }>, 'headers' | 'query'>):
  | ((found: ScheduleDescription) => number | undefined)
  | undefined {
  const given = headers['if-match'];
  if (typeof given === 'string' && given.trim() !== '') {
    const etags = given.split(',').map((etag) => etag.trim());
    if (etags.includes('*')) return undefined;
    return (found) => {
      const etag = etagOf(found);
      const { definition } = splitEtag(etag);
      const read = etags.map(splitEtag).find((one) => one.definition === definition);
      if (read) return read.remainingActions;
      const detail = `schedule '${found.scheduleId}' is at ${etag}, but the change is for ${given}; read it again, then change it${undecoded(found)}`;
      throw new ProblemError(problem(412, 'precondition-failed', 'Others changed it meanwhile', detail), { etag });
    };
  }
  if (query.force) return undefined;
  const detail = 'give If-Match with the ETag of the object, or force=true to change it in any case';
  throw new ProblemError(problem(428, 'precondition-required', 'If-Match is missing', detail));
}

/** The ETag covers the memo as it is decoded. */
function undecoded({ memoError }: ScheduleDescription & Pick<Undecoded, 'memoError'>): string {
  return memoError === undefined ? '' : `; its memo cannot be decoded now, which changes the ETag too: ${memoError}`;
}
