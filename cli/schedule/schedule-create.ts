import type { Command } from 'commander';
import type { ScheduleOptions } from '../../core/schedule/options';
import { type Environment, withClient } from '../environment';
import { printTime } from '../output/output';
import { actionOf } from './action-flags';
import { type OneScheduleOptions, onOne, report } from './schedule-commands';
import { type DefinitionFlags, labelsOf, policiesOf, stateOf, withDefinition } from './schedule-flags';
import { saysWhen, specOf } from './spec-flags';

type CreateOptions = OneScheduleOptions &
  DefinitionFlags & {
    type: string;
    taskQueue: string;
    namespace?: string;
    paused?: boolean;
    triggerImmediately?: boolean;
  };

export function addCreateCommand(create: Command, environment: Environment): void {
  withDefinition(create, { forCreate: true })
    .option('-n, --namespace <name>', 'Temporal namespace of the workflows (default: TEMPORAL_NAMESPACE, else default)')
    .option('--paused', 'create it paused')
    .option('--trigger-immediately', 'also fire once immediately')
    .action(
      onOne(async (options: CreateOptions, command) => {
        if (!saysWhen(options)) command.error('error: give --cron, --interval, --calendar, --at or --manual-only');
        const { namespace, nextTimes } = await withClient(environment, options, async (client) => {
          const handle = await client.create(scheduleOptions(options));
          const { namespace } = await handle.describe();
          return { namespace, nextTimes: await handle.nextTimes() };
        });
        const { scheduleId } = options;
        const where = options.namespace ? '' : ownNamespace(environment, namespace);
        const next = nextTimes.map(printTime).join(', ') || 'none, until it is triggered';
        report(options, { scheduleId, namespace, nextTimes }, `Created '${scheduleId}'${where}. Next: ${next}`);
      }),
    );
}

/**
 * Names the namespace if it comes from the environment or a profile, since the user may have forgotten that setting.
 */
function ownNamespace(environment: Environment, namespace: string): string {
  return environment.temporal().namespace
    ? ` in namespace '${namespace}', as TEMPORAL_NAMESPACE or Temporal's profile has it`
    : '';
}

function scheduleOptions(options: CreateOptions): ScheduleOptions {
  const { scheduleId, type, taskQueue, namespace, paused = false, triggerImmediately = false } = options;
  return {
    ...labelsOf(options),
    scheduleId,
    spec: specOf(options),
    action: { ...actionOf(options), type: 'startWorkflow', workflowType: type, taskQueue },
    policies: policiesOf(options),
    state: { ...stateOf(options), paused, triggerImmediately },
    ...(namespace === undefined ? {} : { namespace }),
  };
}
