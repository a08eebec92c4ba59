export interface MetricDefinition<Type extends 'counter' | 'histogram' | 'gauge' = 'counter' | 'histogram' | 'gauge'> {
  type: Type;
  /** The name includes the unit, as Prometheus asks: seconds, and `_total` for a counter. */
  name: string;
  help: string;
  labels: readonly string[];
  /** Upper bounds of a histogram's buckets, in seconds. */
  buckets?: readonly number[];
}

const DELAY_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600, 86_400];
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

function counter(name: string, help: string, labels: readonly string[] = []): MetricDefinition<'counter'> {
  return { type: 'counter', name: `escapement_${name}_total`, help, labels };
}

function gauge(name: string, help: string, labels: readonly string[] = []): MetricDefinition<'gauge'> {
  return { type: 'gauge', name: `escapement_${name}`, help, labels };
}

function seconds(
  name: string,
  help: string,
  buckets: readonly number[],
  labels: readonly string[],
): MetricDefinition<'histogram'> {
  return { type: 'histogram', name: `escapement_${name}_seconds`, help, labels, buckets };
}

export const TRIGGER_METRICS = {
  claimed: counter('firings_claimed', 'Firings claimed.', ['namespace', 'kind']),
  linked: counter('firings_linked', 'Firings whose workflow was started and recorded.', ['namespace', 'kind']),
  closed: counter('firings_closed', 'Firings whose workflow chain has ended.', ['namespace', 'outcome']),
  late: counter('firings_late', 'Firings claimed on time that started more than 30 seconds after they could.', [
    'namespace',
  ]),
  skipped: counter(
    'firings_skipped',
    'Firings that triggers skipped; not most claims that a pause or deletion skips.',
    ['namespace', 'reason'],
  ),
  abandoned: counter('firings_abandoned', 'Firings that were abandoned, with the reason.', ['namespace', 'reason']),
  recovered: counter('firings_recovered', 'Firings that another trigger took over and linked.', ['namespace']),
  adopted: counter('firings_adopted', 'Workflows whose firing was lost in the ledger, and written again.', [
    'namespace',
  ]),
  missed: counter('occurrences_missed', 'Occurrences in gaps that triggers wrote, not those that clients wrote.', [
    'reason',
  ]),
  lost: counter(
    'firings_lost',
    'Checks of starts that were announced and are not linked: their trigger died, or the start was late, busy or failing.',
    ['namespace'],
  ),
  letters: counter('dead_letters_opened', 'Dead letters that triggers opened or changed; workers open parked ones.', [
    'kind',
  ]),
  deadTriggers: counter('triggers_lost', 'Other triggers that this one found dead.'),
  claimDelay: seconds(
    'firing_claim_delay',
    'From when a firing is due to its claim, for firings that were claimed on time.',
    DELAY_BUCKETS,
    ['namespace'],
  ),
  dispatchDelay: seconds(
    'firing_dispatch_delay',
    'From when a firing may start, by its time and its overlap policy, to the answer to its start.',
    DELAY_BUCKETS,
    ['namespace'],
  ),
  lag: seconds(
    'firing_lag',
    'From when a firing is due, jitter included, to the answer to its start, if that is later.',
    DELAY_BUCKETS,
    ['namespace', 'kind'],
  ),
  noticeDelay: seconds(
    'firing_notice_delay',
    'From the end of a workflow chain, by the clock of Temporal, to its record in the ledger.',
    DELAY_BUCKETS,
    ['namespace'],
  ),
  passDuration: seconds(
    'pass_duration',
    'How long a pass took, including failed ones; `link` is the part that records starts.',
    DURATION_BUCKETS,
    ['pass'],
  ),
  passFailures: counter('pass_failures', 'Passes that failed, such as while Postgres does not answer.', ['pass']),
  callDuration: seconds('temporal_call_duration', 'How long calls to Temporal took.', DURATION_BUCKETS, ['method']),
  calls: counter(
    'temporal_calls',
    'Calls to Temporal, and how they ended, without those that only ask whether a namespace answers; `NO_CONNECTION` if the trigger has no server to call.',
    ['method', 'code'],
  ),
  away: gauge('temporal_namespace_away', '1 while a Temporal namespace does not answer, or refuses every call.', [
    'namespace',
  ]),
  countersAge: gauge('counters_age_seconds', 'Time since the counters of this process began at zero.'),
  clockOffset: gauge('clock_offset_seconds', "How far the database's clock is ahead of this host's."),
  heartbeatAge: gauge('heartbeat_age_seconds', 'Time since the start or the last heartbeat that Postgres accepted.'),
  scheduleLag: seconds(
    'schedule_firing_lag',
    'The lag of firings, for each schedule that has metrics of its own.',
    DELAY_BUCKETS,
    ['schedule'],
  ),
  scheduleClosed: counter(
    'schedule_firings_closed',
    'Firings whose chain has ended, for each schedule that has metrics of its own.',
    ['schedule', 'outcome'],
  ),
  scheduleNotStarted: counter(
    'schedule_firings_not_started',
    'Firings that triggers skipped or abandoned, for each schedule that has metrics of its own.',
    ['schedule', 'reason'],
  ),
} satisfies Record<string, MetricDefinition>;

/** The counts of due schedules and of waiting and running firings stop at 100,000. */
export const LEDGER_METRICS = {
  ledgerUp: gauge(
    'ledger_up',
    '1 if the ledger answered this scrape; otherwise the gauges of the ledger are left out.',
  ),
  due: gauge('schedules_due', 'Schedules that a claim pass should plan by now, mostly since an occurrence is due.'),
  dueAge: gauge('schedules_due_oldest_age_seconds', 'How long the oldest due schedule has been due.'),
  waiting: gauge('firings_waiting', 'Claimed firings whose start nobody has announced yet.'),
  waitingAge: gauge(
    'firings_waiting_oldest_age_seconds',
    'How long ago the oldest waiting firing should have started.',
  ),
  running: gauge('firings_running', 'Firings whose workflow chain runs, by the ledger.'),
  openLetters: gauge('dead_letters_open', 'Dead letters that need a person.', ['kind']),
  openLettersAge: gauge('dead_letters_oldest_age_seconds', 'Age of the oldest open dead letter.'),
  openAlerts: gauge('alerts_open', 'Alerts that are open.', ['condition']),
  leases: gauge('leases_held', 'Leases that are held.'),
  triggers: gauge('triggers_alive', 'Triggers with a recent heartbeat.'),
} satisfies Record<string, MetricDefinition>;
