import type { AlertRules } from '../../core/alert-rules';
import { durationInWords } from '../../core/duration';
import type { ScheduleDescription } from '../../index';
import { rulesInWords } from '../alert/alert-rules';
import { type Environment, withClient } from '../environment';
import { printJson, printTable, printTime } from '../output/output';
import { type OneScheduleOptions, onOne } from './schedule-commands';
import { stateOf } from './schedule-list';

/** This many times fit on a line. */
const TIMES = 5;

export function describeSchedule(environment: Environment): (...received: unknown[]) => Promise<void> {
  return onOne(async (options: OneScheduleOptions) => {
    const description = await withClient(environment, options, (client) =>
      client.getHandle(options.scheduleId).describe(),
    );
    if (options.json) printJson(description);
    else printTable(['FIELD', 'VALUE'], rowsOf(description));
  });
}

function rowsOf(description: ScheduleDescription): [string, string][] {
  const { scheduleId, namespace, tenant, source, owner, runbook, externalId, action, policies, memo, state, info } =
    description;
  const [what, since, by] = stateOf(description);
  const { args, memo: memoOfAction } = action;
  const rows: [string, string | undefined][] = [
    ['schedule', scheduleId],
    ['namespace', namespace],
    ['tenant', tenant || undefined],
    ['declared by', source],
    ['owner', owner],
    ['run-book', runbook],
    ['external ID', externalId],
    ['state', [what, since && `since ${since}`, by && `by ${by}`].filter(Boolean).join(' ')],
    ['why', state.specError ?? state.note],
    ['frozen', frozenInWords(info)],
    ['actions left', state.remainingActions?.toString()],
    ...info.description.map((line): [string, string] => ['fires', line]),
    ['workflow', action.workflowType],
    ['task queue', action.taskQueue],
    ['workflow ID', action.workflowId],
    ['arguments', args?.length ? JSON.stringify(args) : undefined],
    ['memo of it', jsonOf(memoOfAction)],
    ...Object.entries(policies).map(([name, value]): [string, string] => [name, policyInWords(name, value)]),
    ['memo', jsonOf(memo)],
    ['version', String(info.version)],
    ['changed', printTime(info.lastUpdatedAt ?? info.createdAt)],
    ['next', timesOf(info.nextActionTimes)],
    ['held back', info.delayedUntil && `by its tenant's quota until ${printTime(info.delayedUntil)}`],
    ['last', printTime(info.lastFireAt)],
    ...info.runningActions.map(({ workflow }): [string, string] => ['running', workflow.workflowId]),
    ...info.handedOver.map(({ startsAt }): [string, string] => ['handed over', `to start at ${printTime(startsAt)}`]),
    ...info.parkedActions.map(({ step, workflowId, since: parkedSince, letterId }): [string, string] => [
      'parked',
      `${step} of ${workflowId} since ${printTime(parkedSince)}, dead letter ${letterId}`,
    ]),
    ['counted from', printTime(info.countedFrom)],
    ['fired', String(info.numActionsTaken)],
    ['missed', String(info.numActionsMissedCatchupWindow)],
    ['skipped (overlap)', String(info.numActionsSkippedOverlap)],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== undefined);
}

/** Policies whose values are durations in milliseconds. */
const DURATIONS = ['catchupWindow', 'parkedAtMost', 'preStart'];

function policyInWords(name: string, value: unknown): string {
  if (name === 'alerts') return rulesInWords(value as AlertRules).join(', ');
  if (DURATIONS.includes(name) && typeof value === 'number') return durationInWords(value);
  return value === Number.POSITIVE_INFINITY ? 'no limit' : String(value);
}

function timesOf(times: Date[]): string | undefined {
  return times.length === 0 ? undefined : times.slice(0, TIMES).map(printTime).join(', ');
}

function jsonOf(value: object | undefined): string | undefined {
  return value && Object.keys(value).length > 0 ? JSON.stringify(value) : undefined;
}

function frozenInWords({ frozen }: ScheduleDescription['info']): string | undefined {
  if (!frozen) return undefined;
  return `until ${printTime(frozen.until)} by freeze ${frozen.freezeId}${frozen.note === undefined ? '' : ` ('${frozen.note}')`}`;
}
