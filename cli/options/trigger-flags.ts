import { type Command, InvalidArgumentError } from 'commander';
import { DEFAULTS } from '../../core/defaults';
import type { TriggerOptions } from '../../trigger/options';
import { parseCount } from './arguments';

/** What a trigger takes, as the command line has it. */
export interface TriggerFlags
  extends Pick<TriggerOptions, 'startsInFlight' | 'preStartCap' | 'refusedAtMost' | 'cancelWait' | 'stalledAfter'> {
  namespaceStartsPerSecond?: Record<string, number>;
  taskQueueStartsPerSecond?: Record<string, number>;
}

/** Options of a command that runs a trigger. */
export function withTriggerFlags(command: Command): Command {
  return command
    .option(
      '--namespace-starts-per-second <namespace=number>',
      'starts a second in a namespace that all triggers together make at most; may be repeated (default: no cap)',
      readCap,
    )
    .option(
      '--task-queue-starts-per-second <taskQueue=number>',
      'the same for a task queue; may be repeated (default: no cap)',
      readCap,
    )
    .option(
      '--starts-in-flight <number>',
      `start calls to one namespace at a time at most (default: ${DEFAULTS.trigger.startsInFlight})`,
      parseCount,
    )
    .option(
      '--pre-start-cap <duration>',
      "how far ahead of its time a firing of a burst is handed to Temporal at most; 0 hands nothing over ahead (default: '10 seconds')",
      parseDurationOrNone,
    )
    .option(
      '--refused-at-most <duration>',
      "how long to try again a start that fails while its server answers; then its firing is abandoned (default: '1 hour')",
    )
    .option(
      '--cancel-wait <duration>',
      "how long CANCEL_OTHER waits for the cancelled chain to end before the waiting firing is skipped (default: '10 minutes')",
      parseDurationOrNone,
    )
    .option(
      '--stalled-after <duration>',
      "how long a workflow task waits for a worker before its chain is shown as stalled (default: '1 minute')",
    );
}

/** The flags as `Trigger.create` takes them. */
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

/** Read NAME=NUMBER. A name may have equals signs in it, so the last one separates. */
function readCap(text: string, former: Record<string, number> = {}): Record<string, number> {
  const [, name, number] = /^(.+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (name === undefined || !(Number(number) > 0)) {
    throw new InvalidArgumentError('give a name and a number above 0, such as reports=50');
  }
  return { ...former, [name]: Number(number) };
}

/** The trigger reads durations; its 0 is a number. */
function parseDurationOrNone(text: string): string | number {
  return text === '0' ? 0 : text;
}
