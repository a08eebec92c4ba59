import { type Command, Option } from 'commander';
import type { ScheduleAlerts } from '../../core/alert-rules';
import { given } from '../../core/given';
import { OVERLAP_POLICIES, type OverlapPolicy, type SchedulePolicies } from '../../core/schedule/policies';
import { ALERT_FLAG, parseRule } from '../alert/alert-rules';
import { alias } from '../options/alias';
import { parsePairs, parseWhole } from '../options/arguments';
import { type ActionFlags, searchAttributesOf, withAction } from './action-flags';
import { type SpecFlags, withSpec } from './spec-flags';

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

export function withDefinition(command: Command, how: { forCreate: boolean }): Command {
  return withAction(withSpec(command, how), how)
    .addOption(
      new Option('--overlap-policy <policy>', 'what happens while an earlier firing is open (default: SKIP)').choices(
        OVERLAP_POLICIES,
      ),
    )
    .option(
      '--catchup-window <duration>',
      "how late a firing may start, its wait for other firings not counted (default: '1 year')",
    )
    .option(
      '--catchup-limit <count>',
      "how many missed firings start after downtime, or 'all' (default: 100)",
      parseLimit,
    )
    .option(
      '--max-concurrent <count>',
      'maximum number of open firings (default: one; with ALLOW_ALL no limit)',
      parseWhole,
    )
    .addOption(
      new Option('--on-uncertain <choice>', 'what to do with a start that may have been lost (default: SKIP)').choices([
        'SKIP',
        'START',
      ]),
    )
    .option(
      '--pre-start [duration]',
      'hand firings to Temporal ahead of time when many are due (the default); a duration of up to 10 minutes sets how far ahead',
    )
    .option('--no-pre-start', 'never hand a firing over before its time')
    .option('--pause-on-failure', 'pause when a firing fails')
    .option('--no-pause-on-failure', 'continue when a firing fails (the default)')
    .option('--parked-holds', 'a firing with a parked step counts as running (the default)')
    .option('--no-parked-holds', 'a firing with a parked step does not count as running')
    .option('--parked-at-most <duration>', 'how long a step may be parked before it fails (default: no limit)')
    .option('--alert <rule=value...>', ALERT_FLAG, parseRule)
    .option('--remaining-actions <count>', 'maximum number of further firings (default: no limit)', parseWhole)
    .option('--note <text>', 'note on the state of the schedule')
    .addOption(alias('--notes <text>', 'note'))
    .option('--owner <name>', 'who is responsible for it, such as a team; named in its alerts')
    .option('--runbook <url>', 'link to what to do when it fails; shown in each of its alerts')
    .option('--external-id <id>', 'ID of the schedule in another system, unique within its tenant')
    .option('--schedule-memo <key=json...>', `memo of the schedule itself, such as 'owner="ops"'`, parsePairs)
    .option(
      '--schedule-search-attribute <key=json...>',
      `search attributes of the schedule itself, such as 'Team="ops"'`,
      parsePairs,
    );
}

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

export function stateOf(flags: DefinitionFlags) {
  return given({ note: flags.note, remainingActions: flags.remainingActions });
}

export function labelsOf(flags: DefinitionFlags) {
  return {
    ...given({ memo: flags.scheduleMemo, owner: flags.owner, runbook: flags.runbook, externalId: flags.externalId }),
    ...searchAttributesOf(flags.scheduleSearchAttribute),
  };
}

function parseLimit(value: string): number {
  return value === 'all' ? Number.POSITIVE_INFINITY : parseWhole(value);
}
