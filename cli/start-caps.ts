import { type Command, InvalidArgumentError } from 'commander';

/** Caps as the command line has them. */
export interface CapOptions {
  namespaceStartsPerSecond?: Record<string, number>;
  taskQueueStartsPerSecond?: Record<string, number>;
}

/** Options of a command whose starts can be capped. */
export function withStartCaps(command: Command): Command {
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
    );
}

/** The caps as `Trigger.create` takes them. */
export function startCapsOf({ namespaceStartsPerSecond, taskQueueStartsPerSecond }: CapOptions) {
  return {
    ...(namespaceStartsPerSecond ? { namespaces: namespaceStartsPerSecond } : {}),
    ...(taskQueueStartsPerSecond ? { taskQueues: taskQueueStartsPerSecond } : {}),
  };
}

/** A name may have an equals sign in it: the last one counts. */
function readCap(text: string, former: Record<string, number> = {}): Record<string, number> {
  const [, name, number] = /^(.+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (name === undefined || !(Number(number) > 0)) {
    throw new InvalidArgumentError('give a name and a number above 0, such as reports=50');
  }
  return { ...former, [name]: Number(number) };
}
