import { type Command, Option } from 'commander';
import { given, givenOrNone } from '../../core/given';
import type { ScheduleOptionsAction } from '../../core/schedule';
import { alias } from '../options/alias';
import { parseJsonValues, parsePairs, parsePositive, parseWhole } from '../options/arguments';

/** Flags that say what a schedule starts. */
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

/** Add {@link ActionFlags}. Create cannot do without a workflow type and a task queue. */
export function withAction(command: Command, { forCreate }: { forCreate: boolean }): Command {
  return command
    .addOption(new Option('--type <workflow>', 'workflow type to start').makeOptionMandatory(forCreate))
    .addOption(new Option('-t, --task-queue <name>', 'task queue of its workers').makeOptionMandatory(forCreate))
    .option('-a, --args <json...>', 'arguments, each a JSON value', parseJsonValues)
    .addOption(alias('-i, --input <json...>', 'args').argParser(parseJsonValues))
    .option('-w, --workflow-id <prefix>', "prefix of the workflow IDs (default: '<schedule-id>-workflow')")
    .option('--execution-timeout <duration>', 'end a workflow so long after its start, with all its retries')
    .option('--run-timeout <duration>', 'end a single run of it so long after its start')
    .option('--task-timeout <duration>', 'time-out of its workflow tasks (default: the server’s)')
    .option('--soft-timeout <duration>', 'ask a workflow to cancel itself so long after its start')
    .option('--retry-maximum-attempts <count>', 'run a workflow that fails so often (default: once)', parseWhole)
    .option('--retry-initial-interval <duration>', 'wait so long before the second attempt')
    .option('--retry-maximum-interval <duration>', 'wait no longer than this')
    .option('--retry-backoff-coefficient <number>', 'each wait is so many times the former', parsePositive)
    .option('--memo <key=json...>', `memo of the workflows, such as 'team="ops"'`, parsePairs)
    .option('--search-attribute <key=json...>', `search attributes of the workflows, such as 'Team="ops"'`, parsePairs)
    .option('--priority-key <number>', 'priority of the workflows, 1 to 5; the lowest goes first', parseWhole)
    .option('--fairness-key <key>', 'workflows with one key share what they get')
    .option('--fairness-weight <number>', 'how much a fairness key gets', parsePositive)
    .option('--static-summary <text>', 'a line that the Temporal UI shows of a workflow')
    .option('--static-details <text>', 'more that the Temporal UI shows of a workflow');
}

/** The action's fields that the flags give; of a retry policy and a priority those that no flag names stay. */
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

/** As Temporal takes those whose types it knows itself: they replace all that were there. */
export function searchAttributesOf(attributes: Record<string, unknown> | undefined) {
  if (!attributes) return {};
  const lists = Object.entries(attributes).map(([key, value]) => [key, Array.isArray(value) ? value : [value]]);
  // A typed one would otherwise count more than an untyped of its name.
  return { searchAttributes: Object.fromEntries(lists), typedSearchAttributes: undefined };
}
