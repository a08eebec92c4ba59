import { DEFAULTS } from '../../core/defaults';
import { problemOf } from '../../core/options';
import type { ScheduleOptions } from '../../core/schedule/options';
import type { OverlapPolicy } from '../../core/schedule/policies';
import { type CronJob, cronJobShape, KNOWN_SPEC } from './cron-job-shape';
import { camelCase, keep, type Names, type Reading } from './found';
import { cronJobSpec } from './k8s-expression';

const OVERLAPS: Record<NonNullable<CronJob['spec']['concurrencyPolicy']>, OverlapPolicy> = {
  Allow: 'ALLOW_ALL',
  Forbid: 'SKIP',
  Replace: 'TERMINATE_OTHER',
};

export interface CronJobOptions {
  /** Task queue of the workflows. @default 'crons' */
  taskQueue?: string;
}

/** @throws {InvalidOptionError} for a schedule without a counterpart here */
export function readCronJob(
  manifest: unknown,
  where: string,
  options: CronJobOptions,
  names: Names,
  reading: Reading,
): void {
  const wrong = problemOf(cronJobShape, withoutNulls(manifest));
  if (wrong) {
    reading.problems.push({ where, problem: `${wrong.path}: ${wrong.problem}` });
    return;
  }
  const job = cronJobShape.parse(withoutNulls(manifest));
  const { spec, became, decide } = cronJobSpec(job.spec.schedule, job.spec.timeZone);
  const policies = policiesOf(job);
  const work = workOf(job);
  const workflowType = camelCase(job.metadata.name);
  const schedule: ScheduleOptions = {
    scheduleId: names.unique(job.metadata.name),
    spec,
    action: { type: 'startWorkflow', workflowType, taskQueue: options.taskQueue ?? 'crons', ...work.action },
    policies: policies.policies,
    ...(job.spec.suspend ? { state: { paused: true, note: 'suspended as a CronJob' } } : {}),
  };
  keep(reading, {
    where: `${where}: CronJob '${job.metadata.name}'`,
    schedule,
    became: [
      ...became,
      ...policies.became,
      ...(job.spec.suspend ? ['suspend true -> state.paused'] : []),
      ...work.became,
      ...leftOut(job),
    ],
    decide: [
      ...decide,
      ...policies.decide,
      `the containers became the argument of the workflow '${workflowType}': write that workflow, and its task queue`,
      ...(job.metadata.namespace
        ? [
            `it ran in the Kubernetes namespace ${job.metadata.namespace}; here it gets the Temporal namespace of the client`,
          ]
        : []),
    ],
  });
}

function policiesOf({ spec }: CronJob) {
  const { concurrencyPolicy = 'Allow', startingDeadlineSeconds: deadline } = spec;
  const shortest = DEFAULTS.onTimeMilliseconds / 1_000;
  const window = deadline === undefined ? undefined : Math.max(deadline, shortest);
  const became = [
    `concurrencyPolicy ${concurrencyPolicy} -> overlap ${OVERLAPS[concurrencyPolicy]}`,
    'the controller makes up for the latest one alone -> catchupLimit 1',
    ...(deadline === undefined ? [] : [`startingDeadlineSeconds ${deadline} -> catchupWindow`]),
  ];
  const decide = [
    ...(window !== deadline
      ? [`startingDeadlineSeconds ${deadline} is shorter than ${shortest} s, the least there is`]
      : []),
    ...(concurrencyPolicy === 'Replace' ? ['overlap CANCEL_OTHER lets the workflow before tidy up first'] : []),
    ...(concurrencyPolicy === 'Forbid'
      ? ['the controller may start what it left out once the job before ends: BUFFER_ONE does that, SKIP never']
      : []),
  ];
  const policies = {
    overlap: OVERLAPS[concurrencyPolicy],
    catchupLimit: 1,
    ...(window === undefined ? {} : { catchupWindow: `${window} seconds` as const }),
  };
  return { policies, became, decide };
}

function workOf({ spec }: CronJob) {
  const job = spec.jobTemplate?.spec;
  const containers = job?.template?.spec?.containers ?? [];
  const args = containers.map(({ image, command, args }) => ({ image, command, args }));
  const { activeDeadlineSeconds: deadline, backoffLimit } = job ?? {};
  return {
    action: {
      args: JSON.parse(JSON.stringify(args)),
      ...(deadline === undefined ? {} : { workflowExecutionTimeout: `${deadline} seconds` as const }),
    },
    became: [
      ...(deadline === undefined ? [] : [`activeDeadlineSeconds ${deadline} -> workflowExecutionTimeout`]),
      ...(backoffLimit === undefined
        ? []
        : [`backoffLimit ${backoffLimit} -> nothing: an activity's own retry policy says how often it is tried`]),
    ],
  };
}

function leftOut({ spec }: CronJob): string[] {
  const histories = ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'].filter((name) => name in spec);
  const unknown = Object.keys(spec).filter((name) => !KNOWN_SPEC.includes(name));
  return [
    ...(histories.length === 0
      ? []
      : [`${histories.join(', ')} -> nothing: the ledger keeps what docs/retention.md says`]),
    ...(unknown.length === 0 ? [] : [`${unknown.join(', ')} -> nothing: left out`]),
  ];
}

/** In Kubernetes, null means a missing field. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, held]) => held !== null);
  return Object.fromEntries(fields.map(([key, held]) => [key, withoutNulls(held)]));
}
