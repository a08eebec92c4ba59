import type { AlertCondition } from '../core/alert-defaults';
import { counted } from '../core/counted';
import { durationInWords } from '../core/duration';
import { COUNTED_AT_MOST, type Sighting } from '../store/alerts/sighting';

export function textOf({ condition, scheduleId, count, at, detail, rule }: Sighting): string {
  const time = at.toISOString().replace('.000Z', 'Z');
  const schedule = `Schedule '${scheduleId}'`;
  const atLeast = count >= COUNTED_AT_MOST ? 'at least ' : '';
  const bound = durationInWords(Math.round(rule ?? 0));
  switch (condition) {
    case 'late':
      return `${schedule}: the firing of ${time} was not started ${bound} after it could start.`;
    case 'not_done':
      return `${schedule}: the firing of ${time} had not ended ${bound} after its time.`;
    case 'running_long':
      return `${schedule}: the workflow of ${time} has run for more than ${bound}.`;
    case 'started_often':
      return `${schedule}: it was started ${counted(count, 'time')} within an hour in addition to its spec, from ${time} on.`;
    case 'overdue':
      if (detail) return `${schedule}: ${detail}.`;
      return `${schedule}: the occurrence of ${time} has no answer.`;
    case 'missed':
      return `${schedule}: ${counted(count, 'occurrence')} did not fire.`;
    case 'failing':
      return `${schedule}: the last ${counted(count, 'firing')} failed, from ${time} on.`;
    case 'skipped':
      return `${schedule}: the last ${counted(count, 'firing')} were skipped since another one ran, from ${time} on.`;
    case 'stalled':
      return `${schedule}: ${atLeast}${counted(count, 'workflow makes', 'workflows make')} no progress: ${stallsOf(detail ?? '')}.`;
    case 'dead_letter':
      return `${schedule}: a dead letter is open and needs a person.`;
    case 'parked':
      return `${schedule}: ${atLeast}${counted(count, 'step has', 'steps have')} been parked since ${time} or earlier, and ${count === 1 ? 'waits' : 'wait'} for a redrive or a discard.`;
    case 'recovered':
      return `${schedule}: a firing was taken over ${count} times, the last time at ${time}.`;
    case 'schedule_set_aside':
      return `${schedule}: it was set aside at ${time}, and does not fire until somebody changes it: ${detail}.`;
  }
}

function stallsOf(reasons: string): string {
  return reasons
    .split(' ')
    .map((reason) => STALLS[reason] ?? reason)
    .join('; ');
}

const STALLS: Record<string, string> = {
  no_worker: 'no worker takes the workflow task',
  task_failing: 'the workflow task fails again and again',
  paused: 'somebody has paused the workflow in Temporal, and a cancel does not reach it. Unpause or terminate it',
};

export function summaryOf(condition: AlertCondition, count: number): string {
  return `${counted(count, NOUNS[condition] ?? 'schedule')} at once: ${IN_SHORT[condition]}.`;
}

/** The noun to count in a summary, for conditions that are not about schedules. */
const NOUNS: Partial<Record<AlertCondition, string>> = {
  namespace_unreachable: 'namespace',
  namespace_held: 'namespace',
  credentials: 'namespace',
  cap_full: 'cap',
  lock_held: 'session',
  partition_missing: 'month',
  retention_held: 'month',
  clock_off: 'host',
};

const IN_SHORT: Record<AlertCondition, string> = {
  late: 'firings are not started in time',
  not_done: 'firings have not ended in time',
  running_long: 'workflows have run for a long time',
  overdue: 'occurrences have no answer',
  missed: 'occurrences did not fire',
  failing: 'firings fail again and again',
  skipped: 'firings are skipped again and again',
  started_often: 'they are started more often than their specs ask for',
  stalled: 'workflows make no progress',
  dead_letter: 'dead letters are open',
  parked: 'steps have been parked for a long time',
  recovered: 'firings are taken over again and again',
  schedule_set_aside: 'no trigger can evaluate their definition',
  namespace_unreachable: 'they do not answer the triggers, or refuse every call',
  namespace_held: 'they fire nothing until Temporal lists their workflows',
  credentials: 'they reject the credentials of triggers',
  cap_full: 'they hold starts back',
  lock_held: 'they keep schedules locked',
  partition_missing: 'they have no partition of firings',
  clock_off: 'their clocks differ from that of Postgres',
  retention_held: 'they are kept past the retention',
  ledger_unavailable: 'Postgres took no writes',
  no_trigger: 'no trigger checked for problems',
};
