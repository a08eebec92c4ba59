import { counted } from '../../core/counted';
import { showTime } from '../../core/spec-zone';
import { endOfFreeze } from '../../store/freezes/matching';
import type { Freeze } from '../../store/freezes/rows';
import { describeHolder } from '../../store/schedules/lock-holders';
import type { Cause, LetterOfCause } from './cause';

const STALLS: Record<string, (taskQueue: string) => string> = {
  no_worker: (taskQueue) => `no worker takes its workflow task from task queue '${taskQueue}'`,
  task_failing: (taskQueue) => `its workflow task fails again and again on task queue '${taskQueue}'`,
  paused: () =>
    'somebody has paused its workflow in Temporal, and a cancel does not reach a paused workflow; unpause or terminate it',
};

/**
 * A cause as a clause of a sentence. `holder` describes the firing that blocks this one. The error of a refused start
 * is left out, since the sentence about the firing has it.
 */
export function causeInWords(
  cause: Cause,
  zone: string,
  holder: (cause: Cause & { kind: 'behind' }) => string,
): string {
  const at = (instant: Date) => showTime(instant, zone);
  const next = (instant: Date | null) => (instant ? `; it is tried again at ${at(instant)}` : '');
  switch (cause.kind) {
    case 'no_trigger': {
      const last = cause.lastHeartbeatAt ? `; the last heartbeat was at ${at(cause.lastHeartbeatAt)}` : '';
      return `no trigger is alive${last}`;
    }
    case 'locked':
      return `a row that it needs is locked by ${cause.holders.map(describeHolder).join(' and ')}`;
    case 'newer_trigger':
      return `it waits for a newer trigger, because ${cause.problem}`;
    case 'adoption':
      return 'the database was replaced, and triggers first ask Temporal what it has started';
    case 'start_rejected':
      return `Temporal refuses to start it${next(cause.nextTryAt)}`;
    case 'start_failing':
      return `its start has failed since ${at(cause.since)}, although its namespace answers${next(cause.nextTryAt)}`;
    case 'temporal_away': {
      const { namespace, waiting, since, error } = cause;
      const claims = waiting === 1 ? 'one claim waits' : `${waiting} claims wait`;
      return (
        `Temporal has not answered for namespace '${namespace}', or has refused every call, since ${at(since)} (${error}); ` +
        `${claims}${next(cause.nextTryAt)}`
      );
    }
    case 'cap': {
      const { namespace, taskQueue, perSecond, since, before } = cause;
      const where = namespace === undefined ? `on task queue '${taskQueue}'` : `in namespace '${namespace}'`;
      const claims = before === 0 ? '' : `; ${before === 1 ? 'one claim is' : `${before} claims are`} before it`;
      return `a cap of ${perSecond} starts a second ${where} has held starts back since ${at(since)}${claims}`;
    }
    case 'queue': {
      if (cause.before === 0) return `it waits for its turn in namespace '${cause.namespace}', behind others`;
      const claims = cause.before === 1 ? 'one claim' : `${cause.before} claims`;
      return `it waits for its turn behind ${claims} of namespace '${cause.namespace}'`;
    }
    case 'behind':
      return `it waits behind the firing of ${at(cause.firing.scheduledTime)}: ${holder(cause)}`;
    case 'frozen':
      return `it is held back by ${freezesInWords(cause.freeze, cause.until, zone)}`;
    case 'quota': {
      const { tenant, firingsPerHour, until } = cause;
      return `tenant '${tenant}' has used up its quota (${counted(firingsPerHour, 'firing')} an hour) until ${at(until)}`;
    }
    case 'stalled':
      return STALLS[cause.reason]?.(cause.taskQueue) ?? cause.reason;
    case 'parked': {
      const step = cause.step === undefined ? 'a step' : `its step '${cause.step}'`;
      const until = cause.until ? `, and fails at ${at(cause.until)} unless somebody decides` : '';
      const holds = cause.holds
        ? 'the firing counts as running meanwhile'
        : 'the firing does not count as running meanwhile';
      return `${step} has waited for a person since ${at(cause.since)}${until}; ${failureInWords(cause)}; ${holds}`;
    }
    case 'behind_parked': {
      const step = cause.step === undefined ? 'a step' : `its step '${cause.step}'`;
      return `the firing of ${at(cause.scheduledTime)} was parked, and ${step} waited for a person since ${at(cause.since)}; ${failureInWords(cause)}`;
    }
    case 'failed':
      return failureInWords(cause, 'the failure was');
  }
}

export function freezeInWords({ freezeId, note, from, to, endedAt }: Freeze, zone: string): string {
  const why = note === null ? '' : ` ('${note}')`;
  return `freeze ${freezeId}${why} from ${showTime(from, zone)} to ${showTime(endedAt ?? to, zone)}`;
}

/** A freeze, and until when later ones continue it. */
export function freezesInWords(freeze: Freeze, until: Date, zone: string): string {
  const later = until.getTime() > endOfFreeze(freeze) ? `, and by later freezes until ${showTime(until, zone)}` : '';
  return `${freezeInWords(freeze, zone)}${later}`;
}

function failureInWords({ failure, letterId, letterState }: LetterOfCause, verb = 'it failed with'): string {
  const said = failure ? `${verb} ${failure.type} (${failure.message}); ` : '';
  return `${said}dead letter ${letterId} is ${letterState}`;
}
