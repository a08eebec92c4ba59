import { type Command, Option } from 'commander';
import { given, givenOrNone } from '../../core/given';
import type { ScheduleOptionsAction } from '../../core/schedule/action';
import { alias } from '../options/alias';
import { parseJsonValues, parsePairs, parsePositive, parseWhole } from '../options/arguments';

export interface ActionFlags {
  type?: string;
  taskQueue?: string;
  args?: unknown[];
  workflowId?: string;
  executionTimeout?: string;
  runTimeout?: string;
  taskTimeout?: string;
  softTimeout?: string;
  retryInitialInterval?: string;
  retryMaximumInterval?: string;
  retryBackoffCoefficient?: number;
  retryMaximumAttempts?: number;
  memo?: Record<string, unknown>;
  searchAttribute?: Record<string, unknown>;
  priorityKey?: number;
  fairnessKey?: string;
  fairnessWeight?: number;
  staticSummary?: string;
  staticDetails?: string;
}

export function withAction(command: Command, { forCreate }: { forCreate: boolean }): Command {
  return command
    .addOption(new Option('--type <workflow>', 'workflow type to start').makeOptionMandatory(forCreate))
    .addOption(new Option('-t, --task-queue <name>', 'task queue of its workers').makeOptionMandatory(forCreate))
    .option('-a, --args <json...>', 'arguments, each a JSON value', parseJsonValues)
    .addOption(alias('-i, --input <json...>', 'args').argParser(parseJsonValues))
    .option('-w, --workflow-id <prefix>', "prefix of the workflow IDs (default: '<schedule-id>-workflow')")
    .option('--execution-timeout <duration>', 'time limit of a workflow, including all retries')
    .option('--run-timeout <duration>', 'time limit of a single run')
    .option('--task-timeout <duration>', 'time-out of its workflow tasks (default: the server’s)')
    .option('--soft-timeout <duration>', 'request the cancellation of a workflow that runs for longer than this')
    .option(
      '--retry-maximum-attempts <count>',
      'maximum number of runs of a failing workflow (default: 1; with another --retry flag, no limit)',
      parseWhole,
    )
    .option('--retry-initial-interval <duration>', 'delay before the second run')
    .option('--retry-maximum-interval <duration>', 'maximum delay')
    .option('--retry-backoff-coefficient <number>', 'factor from one delay to the next', parsePositive)
    .option('--memo <key=json...>', `memo of the workflows, such as 'team="ops"'`, parsePairs)
    .option('--search-attribute <key=json...>', `search attributes of the workflows, such as 'Team="ops"'`, parsePairs)
    .option('--priority-key <number>', 'priority of the workflows, 1 to 5; the lowest number goes first', parseWhole)
    .option('--fairness-key <key>', 'fairness key: workflows with the same key share their weight')
    .option('--fairness-weight <number>', 'weight of the fairness key', parsePositive)
    .option('--static-summary <text>', 'one-line summary of a workflow in the Temporal UI')
    .option('--static-details <text>', 'longer description of a workflow in the Temporal UI');
}

/** The fields of the action that the flags set. A retry policy or priority keeps its fields that no flag sets. */
export function actionOf(flags: ActionFlags, previous: Pick<ScheduleOptionsAction, 'retry' | 'priority'> = {}) {
  const retry = givenOrNone({
    maximumAttempts: flags.retryMaximumAttempts,
    initialInterval: flags.retryInitialInterval as '1s' | undefined,
    maximumInterval: flags.retryMaximumInterval as '1s' | undefined,
    backoffCoefficient: flags.retryBackoffCoefficient,
  });
  const priority = givenOrNone({
    priorityKey: flags.priorityKey,
    fairnessKey: flags.fairnessKey,
    fairnessWeight: flags.fairnessWeight,
  });
  return {
    ...given({
      workflowType: flags.type,
      taskQueue: flags.taskQueue,
      args: flags.args,
      workflowId: flags.workflowId,
      workflowExecutionTimeout: flags.executionTimeout as '1m' | undefined,
      workflowRunTimeout: flags.runTimeout as '1m' | undefined,
      workflowTaskTimeout: flags.taskTimeout as '1m' | undefined,
      softTimeout: flags.softTimeout as '1m' | undefined,
      retry: retry && { ...previous.retry, ...retry },
      priority: priority && { ...previous.priority, ...priority },
      memo: flags.memo,
      staticSummary: flags.staticSummary,
      staticDetails: flags.staticDetails,
    }),
    ...searchAttributesOf(flags.searchAttribute),
  };
}

/** Search attributes without types. They replace all former ones, typed or not. */
export function searchAttributesOf(attributes: Record<string, unknown> | undefined) {
  if (!attributes) return {};
  const lists = Object.entries(attributes).map(([key, value]) => [key, Array.isArray(value) ? value : [value]]);
  return { searchAttributes: Object.fromEntries(lists), typedSearchAttributes: undefined };
}
