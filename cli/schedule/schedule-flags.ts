import { type Command, Option } from 'commander';
import type { ScheduleAlerts } from '../../core/alert-rules';
import { given } from '../../core/given';
import { OVERLAP_POLICIES, type OverlapPolicy, type SchedulePolicies } from '../../core/schedule';
import { ALERT_FLAG, parseRule } from '../alert/alert-rules';
import { alias } from '../options/alias';
import { parsePairs, parseWhole } from '../options/arguments';
import { type ActionFlags, searchAttributesOf, withAction } from './action-flags';
import { type SpecFlags, withSpec } from './spec-flags';

/** Flags that say what a schedule is; create and update have them. */
export interface DefinitionFlags extends SpecFlags, ActionFlags {
  overlapPolicy?: OverlapPolicy;
  catchupWindow?: string;
  catchupLimit?: number;
  maxConcurrent?: number;
  parkedHolds?: boolean;
  parkedAtMost?: string;
  alert?: ScheduleAlerts;
  onUncertain?: SchedulePolicies['onUncertain'];
  preStart?: boolean | string;
  pauseOnFailure?: boolean;
  remainingActions?: number;
  note?: string;
  owner?: string;
  runbook?: string;
  externalId?: string;
  scheduleMemo?: Record<string, unknown>;
  scheduleSearchAttribute?: Record<string, unknown>;
}

/** Add {@link DefinitionFlags}. */
export function withDefinition(command: Command, how: { forCreate: boolean }): Command {
  return withAction(withSpec(command, how), how)
    .addOption(new Option('--overlap-policy <policy>', 'default: SKIP').choices(OVERLAP_POLICIES))
    .option('--catchup-window <duration>', "how late a missed firing may start (default: '1 year')")
    .option(
      '--catchup-limit <count>',
      "how many missed firings start after downtime, or 'all' (default: 100)",
      parseLimit,
    )
    .option('--max-concurrent <count>', 'open firings at once (default: no bound)', parseWhole)
    .addOption(
      new Option('--on-uncertain <choice>', 'what becomes of a start that may have been lost (default: SKIP)').choices([
        'SKIP',
        'START',
      ]),
    )
    .option(
      '--pre-start [duration]',
      'hand firings to Temporal ahead where many are due (the default), up to 10 minutes where a duration is given',
    )
    .option('--no-pre-start', 'never hand a firing over before its time')
    .option('--pause-on-failure', 'pause when a firing fails')
    .option('--no-pause-on-failure', 'go on when a firing fails (the default)')
    .option('--parked-holds', 'a firing with a parked step holds the schedule (the default)')
    .option('--no-parked-holds', 'the schedule goes on while a step of a firing is parked')
    .option('--parked-at-most <duration>', 'how long a step may be parked before it fails (default: no bound)')
    .option('--alert <rule=value...>', ALERT_FLAG, parseRule)
    .option('--remaining-actions <count>', 'how many more firings (default: no limit)', parseWhole)
    .option('--note <text>', 'why it is in that state')
    .addOption(alias('--notes <text>', 'note'))
    .option('--owner <name>', 'who answers for it, such as a team; in every alert of it')
    .option('--runbook <url>', 'where it says what to do when it fails; in every alert of it')
    .option('--external-id <id>', 'what another system calls it; no other schedule of its tenant has the same')
    .option('--schedule-memo <key=json...>', `memo of the schedule itself, such as 'owner="ops"'`, parsePairs)
    .option(
      '--schedule-search-attribute <key=json...>',
      `search attributes of the schedule itself, such as 'Team="ops"'`,
      parsePairs,
    );
}

/** The policies that the flags give. */
export function policiesOf(flags: DefinitionFlags) {
  return given({
    overlap: flags.overlapPolicy,
    catchupWindow: flags.catchupWindow as '1 year' | undefined,
    catchupLimit: flags.catchupLimit,
    maxConcurrent: flags.maxConcurrent,
    onUncertain: flags.onUncertain,
    preStart: flags.preStart as boolean | '1 minute' | undefined,
    pauseOnFailure: flags.pauseOnFailure,
    parkedHolds: flags.parkedHolds,
    parkedAtMost: flags.parkedAtMost as '1 day' | undefined,
    alerts: flags.alert,
  });
}

/** The state that the flags give. */
export function stateOf(flags: DefinitionFlags) {
  return given({ note: flags.note, remainingActions: flags.remainingActions });
}

/** What the flags note of the schedule itself. */
export function labelsOf(flags: DefinitionFlags) {
  return {
    ...given({ memo: flags.scheduleMemo, owner: flags.owner, runbook: flags.runbook, externalId: flags.externalId }),
    ...searchAttributesOf(flags.scheduleSearchAttribute),
  };
}

function parseLimit(value: string): number {
  return value === 'all' ? Number.POSITIVE_INFINITY : parseWhole(value);
}
