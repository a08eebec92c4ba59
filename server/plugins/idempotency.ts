import { createHash } from 'node:crypto';
import { giveKeyBack, type KeyedRequest, keepAnswer, takeKey } from '../../store/api/requests';
import type { Answer, AnyOperation, Call } from '../operation';
import { invalid, ProblemError, problem } from '../problems/problem';

/** The header by which repeated sends of the same request are recognised. */
export const idempotencyKey = {
  'Idempotency-Key': {
    description:
      'Within a day, a request that succeeded is not carried out again with the same key: the caller gets the first answer',
  },
};

const KEY = /^[\x21-\x7e]{1,255}$/;

type Given = Pick<Call, 'headers' | 'url' | 'body' | 'server' | 'caller'> & Pick<AnyOperation, 'method'>;

/** Whether an operation takes a key: it changes something. */
export function isKeyed({ method, scope }: Pick<AnyOperation, 'method' | 'scope'>): boolean {
  return method !== 'GET' && scope !== 'read';
}

/**
 * Carries out a request once, even if it is sent several times with the same key within a day. Only a success is
 * stored: a request that was refused or failed runs again if it is repeated. Ten minutes after a request began, it can
 * run again if it has no answer, even if its server still works on it.
 *
 * @throws {ProblemError} 422 if the key belongs to another request; 409 while the first one is in progress, or if its
 *   answer was erased
 */
export async function onceByKey(
  { method, headers, url, body, server: { store, logger }, caller }: Given,
  carryOut: () => Promise<Answer & { status: number }>,
): Promise<Answer & { status: number }> {
  const key = headers['idempotency-key'];
  if (key === undefined) return carryOut();
  if (typeof key !== 'string' || !KEY.test(key)) {
    const message = 'is not 1 to 255 printable ASCII characters without spaces';
    throw new ProblemError(invalid([{ path: 'Idempotency-Key', message }]));
  }
  const own = { caller: JSON.stringify([caller.actor, caller.tenant ?? null]), key };
  // A POST gets the same fingerprint as on servers of an earlier version, which may have stored its key.
  const more = method === 'POST' ? [] : [method, headers['if-match'] ?? null];
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([url, body, ...more]))
    .digest('base64url');
  const taken = await takeKey(store, own, fingerprint);
  if (taken.former) return answerOf(taken.former, fingerprint);
  const { claim } = taken;
  let answer: Answer & { status: number };
  try {
    answer = await carryOut();
  } catch (error) {
    // The caller must learn the first error. If the key is not released, the request can run again after ten minutes.
    await giveKeyBack(store, claim).catch((failure) =>
      logger.warn('the key of a failed request was not released', { error: failure }),
    );
    throw error;
  }
  const text = JSON.stringify(answer.body ?? null);
  // The request was carried out, so it must be answered even if this write fails. Without the stored answer, the
  // request seems to be in progress for ten minutes.
  await keepAnswer(store, claim, { status: answer.status, headers: answer.headers ?? {}, body: text }).catch((error) =>
    logger.warn('the answer to a request with a key was not stored', { error }),
  );
  return answer;
}

function answerOf(former: KeyedRequest, fingerprint: string): Answer & { status: number } {
  if (former.fingerprint !== fingerprint) {
    const detail = 'the key was used for another request; use a new one';
    throw new ProblemError(problem(422, 'idempotency-key-reused', 'The key belongs to another request', detail));
  }
  if (former.status === null) {
    const detail =
      'a request with this key is in progress; try again. Without an answer, a repeat runs again after ten minutes';
    throw new ProblemError(problem(409, 'request-under-way', 'The request is in progress', detail), {
      'retry-after': '1',
    });
  }
  const body = JSON.parse(former.body!);
  // A purge sets the answer to null. Only an answer with status 204 has no body of its own.
  if (body === null && former.status !== 204) {
    const detail = 'the request was carried out; its answer was erased with the schedule that it names';
    throw new ProblemError(problem(409, 'answer-erased', 'The answer was erased', detail));
  }
  return {
    status: former.status,
    body,
    headers: { ...former.headers, 'idempotent-replayed': 'true' },
  };
}
