import { say } from '../parts/toast';
import { ApiProblem, bodyOf, type Call, NO_ANSWER, request } from './request';

const UNKNOWN = 'It is not known whether this was done. Look before you press again: that may do it twice.';
const STARTED_BEFORE =
  'This was started before, when the answer was lost. Nothing was started now. Ask again for another run.';

type Keys = Map<string, string>;

/** The keys of requests that have not succeeded yet, by method, path, body and headers. */
const changes: Keys = new Map();
const runs: Keys = new Map();
/** Requests that may have been carried out although no answer came. A later success on the same path removes them. */
const unanswered = new Set<{ path: string }>();

/**
 * Forgets the keys of changes, so that the same change is carried out again: somebody may have undone it. Keys of runs
 * stay, so that a run is not repeated by mistake.
 */
export function forgetChanges(): void {
  changes.clear();
}

/** Whether a request on this path may have been carried out although no answer came, and none has succeeded since. */
export function isUnanswered(path: string): boolean {
  return ofPath(path).length > 0;
}

function ofPath(path: string): { path: string }[] {
  return [...unanswered].filter((sent) => sent.path === path);
}

/**
 * Sends a request that changes something. Until it has succeeded, or a dialog is opened, the same request is sent with
 * the same key, so that the server carries it out once.
 */
export async function jsonOnce<Answer>(path: string, call: Call): Promise<Answer> {
  return (await sendOnce<Answer>(changes, path, call)).answer;
}

/**
 * Sends a request that starts runs. Until it has succeeded, the same request is sent with the same key, since a run
 * cannot be undone.
 *
 * @param done the text to show after a success. If an earlier request had already started the runs, a text that says so
 * is shown instead
 */
export async function runOnce<Answer>(path: string, body: unknown, done?: string): Promise<Answer> {
  const { answer, isFormer } = await sendOnce<Answer>(runs, path, { method: 'POST', body });
  if (isFormer) say(STARTED_BEFORE, { isBad: true });
  else if (done !== undefined) say(done);
  return answer;
}

async function sendOnce<Answer>(keys: Keys, path: string, call: Call): Promise<{ answer: Answer; isFormer: boolean }> {
  const same = JSON.stringify([call.method, path, call.body, call.headers]);
  // `randomUUID` is missing on a page that came by plain HTTP from another host.
  const key = keys.get(same) ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  keys.set(same, key);
  const former = ofPath(path);
  const sent = { path };
  unanswered.add(sent);
  try {
    const response = await request(path, { ...call, headers: { ...call.headers, 'idempotency-key': key } });
    const answer = await bodyOf<Answer>(response);
    keys.delete(same);
    // Requests that were sent after this one may still have no answer.
    for (const one of [...former, sent]) unanswered.delete(one);
    return { answer, isFormer: response.headers.get('idempotent-replayed') === 'true' };
  } catch (error) {
    // An answer below 500 says what became of the request. An answer of 500 or more does not: the server may have lost
    // the answer to a commit, and then has released the key. Neither does a proxy's answer, or half an answer.
    if (error instanceof ApiProblem && error.status !== NO_ANSWER && error.status < 500) {
      unanswered.delete(sent);
      throw error;
    }
    const [problem, status, errors] =
      error instanceof ApiProblem
        ? [error.message, error.status, error.errors]
        : ['The answer was cut off.', NO_ANSWER];
    throw new ApiProblem(status, `${problem.replace(/\.$/, '')}. ${UNKNOWN}`, errors);
  }
}
