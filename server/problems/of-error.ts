import { AlertNotFoundError } from '../../client/alerts/alerts';
import {
  ApplyConflictError,
  ApplyRefusedError,
  PruneRefusedError,
  StaleRevisionError,
} from '../../client/apply/apply-errors';
import { RunAgainError } from '../../client/backfill/run-again-error';
import { CannotUndoError, OperationNotFoundError, OtherTotalError } from '../../client/bulk/errors';
import { CalendarInUseError, CalendarNotFoundError } from '../../client/calendars/errors';
import {
  CannotDecodeError,
  ExclusionError,
  ExternalIdTakenError,
  RetiredMonthError,
  ScheduleAlreadyRunning,
  ScheduleConflictError,
  ScheduleLockedError,
  ScheduleNotFoundError,
} from '../../client/errors';
import { FreezeNotFoundError, ScheduleFrozenError } from '../../client/freezes/errors';
import {
  CannotResumeError,
  DeadLetterConflictError,
  DeadLetterNotFoundError,
  DeadLetterStateError,
  RedriveNeedsForceError,
} from '../../client/letters/errors';
import { TenantQuotaError } from '../../client/tenants/errors';
import {
  InvalidOptionError,
  PostgresUnreachableError,
  SchemaNotMigratedError,
  SchemaTooNewError,
  StatementTimeoutError,
  TemporalUnreachableError,
} from '../../core/errors';
import { RedriveModeError } from '../../core/letters/redrive';
import { InvalidQueryError } from '../../core/list-query/error';
import { invalid, type Problem, ProblemError, problem } from './problem';

type ErrorClass = abstract new (...given: never[]) => Error;

/** The client's errors, and the status, kind and title with which the API answers them. */
export const KINDS: [ErrorClass, number, string, string][] = [
  [ScheduleNotFoundError, 404, 'schedule-not-found', 'There is no such schedule'],
  [DeadLetterNotFoundError, 404, 'dead-letter-not-found', 'There is no such dead letter'],
  [AlertNotFoundError, 404, 'alert-not-found', 'There is no such alert'],
  [CalendarNotFoundError, 404, 'calendar-not-found', 'There is no such calendar'],
  [CalendarInUseError, 409, 'calendar-in-use', 'Schedules name the calendar'],
  [OperationNotFoundError, 404, 'operation-not-found', 'There is no such operation'],
  [OtherTotalError, 409, 'other-total', 'Other schedules match now'],
  [CannotUndoError, 409, 'cannot-undo', 'The operation cannot be undone'],
  [FreezeNotFoundError, 404, 'freeze-not-found', 'There is no such freeze'],
  [ScheduleFrozenError, 409, 'schedule-frozen', 'A freeze holds the schedule'],
  [ScheduleAlreadyRunning, 409, 'schedule-exists', 'A live schedule already has this ID'],
  [ExternalIdTakenError, 409, 'external-id-taken', 'Another schedule already has this external ID'],
  [CannotDecodeError, 409, 'cannot-decode', 'The server cannot decode data that the change would keep'],
  [ScheduleConflictError, 409, 'schedule-conflict', 'Others are changing the schedule'],
  [ScheduleLockedError, 409, 'schedule-locked', 'Another transaction has locked the schedule'],
  [StaleRevisionError, 409, 'stale-revision', 'A higher revision was applied'],
  [ApplyConflictError, 409, 'apply-conflict', 'Others are changing the same schedules'],
  [PruneRefusedError, 409, 'prune-refused', 'The call would delete too many schedules'],
  [DeadLetterConflictError, 409, 'dead-letter-conflict', 'Others are settling the dead letter'],
  [DeadLetterStateError, 409, 'dead-letter-state', 'The dead letter is in another state'],
  [RedriveNeedsForceError, 409, 'redrive-needs-force', 'Completed steps would run again'],
  [CannotResumeError, 422, 'cannot-resume', 'The dead letter cannot be redriven like that'],
  [RedriveModeError, 422, 'redrive-mode', 'The dead letter cannot be redriven like that'],
  [RunAgainError, 409, 'cannot-run-again', 'The occurrence cannot be run again'],
  [ExclusionError, 409, 'exclusion', 'The time cannot be excluded or included'],
  [RetiredMonthError, 422, 'retired-month', 'The firings of that month are retired'],
  [TenantQuotaError, 409, 'tenant-quota', 'The tenant has reached its quota of schedules'],
  [PostgresUnreachableError, 503, 'postgres-unreachable', 'Postgres does not answer'],
  [StatementTimeoutError, 503, 'too-slow', 'Postgres took too long'],
  [TemporalUnreachableError, 503, 'temporal-unreachable', 'Temporal does not answer, or refuses'],
  [SchemaNotMigratedError, 503, 'schema-not-migrated', 'The ledger must be migrated first'],
  [SchemaTooNewError, 503, 'schema-too-new', 'The ledger is too new for this server'],
];

/** Fields of an error that are sent to programs, in addition to its text. */
const TOLD = [
  'scheduleId',
  'scheduleIds',
  'externalId',
  'takenBy',
  'letterId',
  'freezeId',
  'operationId',
  'total',
  'expectedTotal',
  'calendar',
  'source',
  'tenant',
  'month',
  'problem',
  'path',
  'expectedVersion',
  'actualVersion',
];

const RETRY_AFTER_SECONDS = '2';

/** An error as a problem, with its headers; undefined for an unexpected error, whose text is not sent. */
export function problemOf(error: unknown): { problem: Problem; headers: Record<string, string> } | undefined {
  if (error instanceof ProblemError) return { problem: error.problem, headers: error.headers };
  if (error instanceof InvalidQueryError) {
    const { path, problem: message, position } = error;
    return { problem: invalid([{ path, message, position }]), headers: {} };
  }
  if (error instanceof InvalidOptionError) {
    return { problem: invalid([{ path: error.path, message: error.problem }]), headers: {} };
  }
  if (error instanceof ApplyRefusedError) {
    const errors = error.problems.map(({ scheduleId, path, problem: message }) => ({
      path: scheduleId === undefined ? path : `${scheduleId}: ${path}`,
      message,
    }));
    return { problem: invalid(errors, error.message), headers: {} };
  }
  for (const [Class, status, kind, title] of KINDS) {
    if (!(error instanceof Class)) continue;
    const told = Object.fromEntries(
      TOLD.flatMap((name) => {
        const value = (error as unknown as Record<string, unknown>)[name];
        return ['string', 'number'].includes(typeof value) || Array.isArray(value) ? [[name, value]] : [];
      }),
    );
    const headers: Record<string, string> = status === 503 ? { 'retry-after': RETRY_AFTER_SECONDS } : {};
    return { problem: problem(status, kind, title, error.message, told), headers };
  }
  return ofFastify(error);
}

const FASTIFY_TITLES: Record<number, [kind: string, title: string]> = {
  400: ['bad-request', 'The request cannot be read'],
  404: ['not-found', 'Nothing exists at this address'],
  413: ['too-large', 'The body is too large'],
  414: ['too-large', 'The address is too long'],
  415: ['media-type', 'The type of the body is not supported'],
};

/** Errors of the framework Fastify, whose messages are meant for callers. */
function ofFastify(error: unknown): ReturnType<typeof problemOf> {
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  const known = statusCode === undefined ? undefined : FASTIFY_TITLES[statusCode];
  if (!known) return undefined;
  return { problem: problem(statusCode!, known[0], known[1], message ?? known[1]), headers: {} };
}
