import { type Command, InvalidArgumentError } from 'commander';
import { DEFAULTS } from '../../core/defaults';
import type { TriggerOptions } from '../../trigger/options';
import { parseCount } from './arguments';

export interface TriggerFlags
  extends Pick<TriggerOptions, 'startsInFlight' | 'preStartCap' | 'refusedAtMost' | 'cancelWait' | 'stalledAfter'> {
  namespaceStartsPerSecond?: Record<string, number>;
  taskQueueStartsPerSecond?: Record<string, number>;
}

export function withTriggerFlags(command: Command): Command {
  return command
    .option(
      '--namespace-starts-per-second <namespace=number>',
      'maximum starts per second in a namespace, over all triggers, if each has this flag; may be repeated (default: no limit)',
      readCap,
    )
    .option(
      '--task-queue-starts-per-second <taskQueue=number>',
      'maximum starts per second on a task queue, over all triggers, if each has this flag; may be repeated (default: no limit)',
      readCap,
    )
    .option(
      '--starts-in-flight <number>',
      `maximum number of parallel start calls of this trigger to one namespace (default: ${DEFAULTS.trigger.startsInFlight})`,
      parseCount,
    )
    .option(
      '--pre-start-cap <duration>',
      "how long before its time a firing of a burst may be handed to Temporal; 0 for never (default: '10 seconds')",
      parseDurationOrNone,
    )
    .option(
      '--refused-at-most <duration>',
      "how long a firing's start may fail while its namespace answers other calls, or wait uncalled while it refuses all, before the firing is abandoned (default: '1 hour')",
    )
    .option(
      '--cancel-wait <duration>',
      "how long CANCEL_OTHER waits for the cancelled workflow to end before it skips the waiting firing (default: '10 minutes')",
      parseDurationOrNone,
    )
    .option(
      '--stalled-after <duration>',
      "how long a workflow task waits for a worker before the firing is shown as stalled (default: '1 minute')",
    );
}

export function triggerOptionsOf({
  namespaceStartsPerSecond,
  taskQueueStartsPerSecond,
  startsInFlight,
  preStartCap,
  refusedAtMost,
  cancelWait,
  stalledAfter,
}: TriggerFlags) {
  const maxStartsPerSecond = {
    ...(namespaceStartsPerSecond ? { namespaces: namespaceStartsPerSecond } : {}),
    ...(taskQueueStartsPerSecond ? { taskQueues: taskQueueStartsPerSecond } : {}),
  };
  return { maxStartsPerSecond, startsInFlight, preStartCap, refusedAtMost, cancelWait, stalledAfter };
}

/** Parses a cap in the form `NAME=NUMBER`. The name may contain equals signs, so the text is split at the last one. */
function readCap(text: string, former: Record<string, number> = {}): Record<string, number> {
  const [, name, number] = /^(.+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (name === undefined || !(Number(number) > 0)) {
    throw new InvalidArgumentError('give a name and a number above 0, such as reports=50');
  }
  return { ...former, [name]: Number(number) };
}

/** Durations are parsed by the trigger, but 0 must be passed as a number. */
function parseDurationOrNone(text: string): string | number {
  return text === '0' ? 0 : text;
}
